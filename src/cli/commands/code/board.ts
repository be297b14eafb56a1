/** `kanegen board`: a controller in closed loop on a processor, with all that an image needs. */
import path from 'node:path';
import { boardOf } from '../../../codegen/doors/board/board.ts';
import { CROSS, hasCrossCompiler, sizeOfImage, type CodeSize } from '../../../codegen/c/code-size.ts';
import { KanegenError } from '../../../common/error.ts';
import { writeGeneratedFolder } from '../../../files/generated-folder.ts';
import { demandBytes, demandCrossCompiler, maximumBytes } from '../../options/bytes.ts';
import { checkOutFolder } from '../../files/output.ts';
import type { FileOptions } from '../../files/file-options.ts';
import { openRobot, reportNotes } from '../../files/load.ts';
import { withProgress } from '../../terminal/progress.ts';
import { complain, print } from '../../terminal/terminal.ts';

interface BoardCommandOptions extends FileOptions {
  readonly board: string;
  readonly controller?: string;
  readonly to?: string;
  readonly out?: string;
  readonly maxBytes?: string;
  readonly json?: boolean;
}

export async function boardCommand(file: string, options: BoardCommandOptions): Promise<void> {
  const { board: name, controller, to } = options;
  const board = boardOf(name);
  const maximum = maximumBytes(options.maxBytes);
  if (maximum !== undefined) await demandCrossCompiler();
  if (options.out !== undefined) checkOutFolder(options.out);
  const robot = openRobot(file, options);
  reportNotes(robot.model);
  const folder = `board-${name}`;
  const { files, size } = await withProgress(async (show) => {
    show(`compiling ${robot.name}`);
    const made = await (await robot.compile()).board(name, { controller, to });
    if (!(await hasCrossCompiler())) return { files: made, size: undefined };
    show('linking the image');
    return {
      files: made,
      size: await sizeOfImage(made.map((own) => ({ ...own, path: path.posix.relative(folder, own.path) }))),
    };
  });
  if (size) demandRoom(robot.name, name, size, board);
  if (size) demandBytes(`the image of ${robot.name}`, size, maximum, 'choose a controller of less code, or allow more');
  const out = options.out ?? path.join('generated', robot.name);
  writeGeneratedFolder(out, files);
  if (!size)
    complain(
      `note: the image was not linked: ${CROSS}gcc is not here (Debian: gcc-arm-none-eabi libnewlib-arm-none-eabi)\n`,
    );
  const place = path.join(out, folder);
  print(
    options.json
      ? `${JSON.stringify({ robot: robot.name, board: name, out: place, files: files.map((own) => own.path), ...(size && { size }) }, null, 2)}\n`
      : boardText(robot.name, board.title, place, size),
  );
}

/** The linker refuses images beyond the memory by itself, in words of its own. */
function demandRoom(
  robot: string,
  name: string,
  { text, data, bss }: CodeSize,
  { flash, ram, stack }: ReturnType<typeof boardOf>,
): void {
  const needed = [
    ['flash', text + data, flash.bytes],
    ['RAM', data + bss + stack, ram.bytes],
  ] as const;
  for (const [memory, bytes, there] of needed)
    if (bytes > there)
      throw new KanegenError(
        'too-large',
        `the image of ${robot} needs ${bytes} bytes of ${memory}, the board ${name} has ${there}`,
      );
}

function boardText(robot: string, title: string, place: string, size: CodeSize | undefined): string {
  const bytes = (count: number): string => `${count.toLocaleString('en-US')} bytes`;
  return [
    `${robot} on ${title} → ${place}`,
    ...(size
      ? [`image: ${bytes(size.text + size.data)} of flash, ${bytes(size.data + size.bss)} of RAM beside the stack`]
      : []),
    `make -C ${place} check runs it in QEMU and on this machine, and compares`,
    '',
  ].join('\n');
}
