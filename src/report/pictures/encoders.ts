/** Pixels as files: PNG, also animated, and GIF. */
import { deflateSync } from 'node:zlib';
import * as gifenc from 'gifenc';
import { crc32 } from '../../common/bytes.ts';
import type { Pixels } from './pixels.ts';

/** A module of CommonJS: bundlers find its names, Node has it whole as its default. */
const GIF = 'GIFEncoder' in gifenc ? gifenc : (gifenc as { readonly default: typeof gifenc }).default;

/** Frames that follow each other at equal times. */
export interface Frames {
  /** One or more, of equal size. */
  readonly frames: readonly Pixels[];
  /** Frames a second. */
  readonly rate: number;
}

/** @returns a PNG, with several frames an animated one that repeats for ever. */
export function pngOf({ frames, rate }: Frames): Uint8Array {
  const { width, height } = frames[0]!;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunks = [Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', header)];
  if (frames.length > 1) chunks.push(chunk('acTL', words(frames.length, 0)));
  let sequence = 0;
  frames.forEach((frame, k) => {
    const data = deflateSync(filtered(frame), { level: 9 });
    if (frames.length > 1) {
      const delay = Buffer.alloc(6);
      delay.writeUInt16BE(1000, 0);
      delay.writeUInt16BE(Math.round(1000 * rate), 2);
      chunks.push(chunk('fcTL', Buffer.concat([words(sequence++, width, height, 0, 0), delay])));
    }
    chunks.push(k === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([words(sequence++), data])));
  });
  chunks.push(chunk('IEND', Buffer.alloc(0)));
  return Buffer.concat(chunks);
}

function words(...values: readonly number[]): Buffer {
  const out = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => out.writeUInt32BE(value, 4 * i));
  return out;
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  return Buffer.concat([words(data.length), body, words(crc32(body))]);
}

/** Every row as differences from the one above it. */
function filtered({ width, height, rgb }: Pixels): Uint8Array {
  const length = 3 * width;
  const out = new Uint8Array((length + 1) * height);
  for (let row = 0; row < height; row++) {
    out[row * (length + 1)] = 2;
    for (let i = 0; i < length; i++)
      out[row * (length + 1) + 1 + i] = rgb[row * length + i]! - (row > 0 ? rgb[(row - 1) * length + i]! : 0);
  }
  return out;
}

/** Colours of a GIF, without the one that leaves a pixel as it is. */
const COLOURS = 127;
/** Frames from which colours are chosen. */
const LOOKED_AT = 6;

/** @returns a GIF that repeats for ever; later frames have only what changes. */
export function gifOf({ frames, rate }: Frames): Uint8Array {
  const { width, height } = frames[0]!;
  const step = Math.max(1, Math.ceil(frames.length / LOOKED_AT));
  const looked = frames.filter((_, k) => k % step === 0).map(withAlpha);
  const palette = GIF.quantize(joined(looked), COLOURS);
  const unchanged = palette.length;
  const encoder = GIF.GIFEncoder();
  let before: Uint8Array | undefined;
  // Delays are whole hundredths of a second: what is rounded off goes to the next frame.
  const endOf = (k: number): number => Math.round((100 * k) / rate);
  frames.forEach((frame, k) => {
    const index = GIF.applyPalette(withAlpha(frame), palette);
    const written = before ? index.map((colour, i) => (colour === before![i] ? unchanged : colour)) : index;
    encoder.writeFrame(written, width, height, {
      ...(k === 0 && { palette: [...palette, [0, 0, 0]] }),
      delay: 10 * (endOf(k + 1) - endOf(k)),
      transparent: k > 0,
      transparentIndex: unchanged,
      dispose: 1,
    });
    before = index;
  });
  encoder.finish();
  return encoder.bytes();
}

function withAlpha({ rgb }: Pixels): Uint8Array {
  const out = new Uint8Array((4 * rgb.length) / 3).fill(255);
  for (let i = 0; 3 * i < rgb.length; i++) out.set(rgb.subarray(3 * i, 3 * i + 3), 4 * i);
  return out;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
