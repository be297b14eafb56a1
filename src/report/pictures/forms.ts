/** Forms of pictures and films: the ends of their files. */

/** By the ffmpeg of the system. */
const VIDEO_FORMS = ['mp4', 'webm', 'webp'] as const;
export const FIGURE_FORMS = ['svg', 'png'] as const;
export const FILM_FORMS = ['gif', 'svg', 'png', ...VIDEO_FORMS] as const;
export type VideoForm = (typeof VIDEO_FORMS)[number];
export type FigureForm = (typeof FIGURE_FORMS)[number];
export type FilmForm = (typeof FILM_FORMS)[number];
