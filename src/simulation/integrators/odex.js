/** The package odex; its declarations stand beside this file, since the package has sources in their place. */
export { default } from 'odex';
