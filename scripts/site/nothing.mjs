/** Stands for modules of Node that a page never asks anything of. */
export default {};
