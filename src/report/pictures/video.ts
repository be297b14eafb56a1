/** Frames as a video, by the ffmpeg of the system. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KanegenError } from '../../common/error.ts';
import type { Frames } from './encoders.ts';
import type { VideoForm } from './forms.ts';

/** Players want 4:2:0. */
const ENCODING: Readonly<Record<VideoForm, readonly string[]>> = {
  mp4: ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-crf', '18', '-movflags', '+faststart'],
  webm: ['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuv420p', '-crf', '30', '-b:v', '0'],
  webp: ['-c:v', 'libwebp_anim', '-loop', '0', '-quality', '85'],
};

/** @throws KanegenError `no-encoder` where there is no ffmpeg, or where it fails. */
export async function videoOf({ frames, rate }: Frames, form: VideoForm): Promise<Uint8Array> {
  const { width, height } = frames[0]!;
  const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-film-'));
  const file = path.join(folder, `film.${form}`);
  const input = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`, '-r', `${rate}`, '-i', 'pipe:0'];
  // Videos have even sizes.
  const even = ['-vf', 'pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white'];
  try {
    await fed(['-loglevel', 'error', '-y', ...input, ...even, ...ENCODING[form], file], frames, form);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fed(words: readonly string[], frames: Frames['frames'], form: VideoForm): Promise<void> {
  return new Promise((resolve, reject) => {
    const process = spawn('ffmpeg', words, { stdio: ['pipe', 'ignore', 'pipe'] });
    let said = '';
    process.stderr.on('data', (text: Buffer) => (said += text.toString()));
    process.on('error', () =>
      reject(
        new KanegenError('no-encoder', `a film as .${form} needs the program ffmpeg, which is not there`, {
          remedy:
            'install it (Debian: apt-get install ffmpeg; macOS: brew install ffmpeg), or name the film .gif, .svg or .png',
        }),
      ),
    );
    process.on('close', (code) => {
      if (code === 0) return resolve();
      const reason = said.trim().split('\n')[0] ?? '';
      reject(
        new KanegenError('no-encoder', `ffmpeg could not write .${form}: ${reason || `it ended with ${code}`}`, {
          remedy: 'name the film .gif, .svg or .png, which need no program',
        }),
      );
    });
    // What ffmpeg did not read it complains of itself.
    process.stdin.on('error', () => undefined);
    for (const { rgb } of frames) process.stdin.write(rgb);
    process.stdin.end();
  });
}
