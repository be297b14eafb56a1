/** The part of gifenc that films use; it has no declarations of its own. */
declare module 'gifenc' {
  type Palette = number[][];
  interface Encoder {
    writeFrame(
      index: Uint8Array,
      width: number,
      height: number,
      options: {
        palette?: Palette;
        /** ms */
        delay?: number;
        /** 0 for ever. */
        repeat?: number;
        transparent?: boolean;
        transparentIndex?: number;
        /** 1 keeps what is there. */
        dispose?: number;
      },
    ): void;
    finish(): void;
    bytes(): Uint8Array;
  }
  export function GIFEncoder(): Encoder;
  export function quantize(rgba: Uint8Array, colours: number): Palette;
  export function applyPalette(rgba: Uint8Array, palette: Palette): Uint8Array;
}
