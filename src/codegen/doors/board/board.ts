/**
 * A controller on a processor: start-up code, linker script, timer and console of a board, the controller in closed loop with
 * the generated forward dynamics, faults on purpose, and a Makefile that runs it all in QEMU and on the host.
 */
import { KanegenError } from '../../../common/error.ts';
import { nearest } from '../../../common/nearest.ts';
import { inColumns } from '../../naming/statement-lines.ts';
import { signedLiteral } from '../../c-language/target.ts';
import { loadTemplates } from '../../c-language/templates.ts';
import type { BoardOptions } from './board-options.ts';
import type { RobotInterface } from '../../interface/robot-interface.ts';
import type { GeneratedFile } from '../../modules/robot-model.ts';
import { commentText } from '../../naming/identifiers.ts';

interface Memory {
  readonly origin: string;
  readonly bytes: number;
}

export interface Board {
  readonly title: string;
  /** Flags of the compiler. */
  readonly cpu: string;
  /** Of the timer, Hz; where the start changes it, afterwards. */
  readonly clock: number;
  readonly flash: Memory;
  readonly ram: Memory;
  /** Bytes. */
  readonly stack: number;
  /** In QEMU. */
  readonly machine: string;
  /** A console of its own, USART2 of the STM32F4; otherwise that of QEMU. */
  readonly uart: boolean;
}

const MPS2 = {
  clock: 25_000_000,
  flash: { origin: '0x00000000', bytes: 4 << 20 },
  ram: { origin: '0x20000000', bytes: 4 << 20 },
  stack: 65536,
  uart: false,
};

const BOARDS = {
  'qemu-m4': {
    ...MPS2,
    title: 'Cortex-M4F of QEMU (mps2-an386)',
    cpu: '-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard',
    machine: 'mps2-an386',
  },
  'qemu-m7': {
    ...MPS2,
    title: 'Cortex-M7 of QEMU (mps2-an500)',
    cpu: '-mcpu=cortex-m7 -mthumb -mfpu=fpv5-d16 -mfloat-abi=hard',
    machine: 'mps2-an500',
  },
  stm32f4: {
    title: 'STM32F405 and STM32F407, 168 MHz',
    cpu: '-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard',
    clock: 168_000_000,
    flash: { origin: '0x08000000', bytes: 1 << 20 },
    ram: { origin: '0x20000000', bytes: 128 << 10 },
    stack: 16384,
    machine: 'netduinoplus2',
    uart: true,
  },
} as const satisfies Record<string, Board>;

export const BOARD_NAMES = Object.keys(BOARDS);

/** @throws KanegenError `unknown-board` */
export function boardOf(name: string): Board {
  const found = Object.entries(BOARDS).find(([own]) => own === name);
  if (found) return found[1];
  throw new KanegenError('unknown-board', `there is no board ${JSON.stringify(name)}`, {
    remedy: `write ${nearest(name, BOARD_NAMES) ?? BOARD_NAMES.join(', ')}`,
  });
}

/** Start-up code and linker script, `board.h`, `board.c`, `board.ld`: with a function `main`, all that an image needs. */
export async function startUp(board: Board, header: readonly string[] = []): Promise<GeneratedFile[]> {
  const render = await loadTemplates('board');
  const data = { ...board, header: header.map(commentText) };
  return ['board.h', 'board.c', 'board.ld'].map((path) => ({ path, text: render(path, data) }));
}

/**
 * @param code the C of the robot; it goes into the folder `robot`.
 * @throws KanegenError `unknown-board`; `no-board` where the closed loop lacks something.
 */
export async function boardFiles(
  name: string,
  of: RobotInterface,
  code: readonly GeneratedFile[],
  header: readonly string[],
  { controller: wanted, to }: BoardOptions,
): Promise<GeneratedFile[]> {
  const board = boardOf(name);
  const controller = controllerOf(of, wanted);
  const render = await loadTemplates('board');
  const from = of.coordinates.map((own) => own.default);
  const goal = to === undefined ? from : stateOf(of, to);
  const ways = goal.map((value, i) => Math.abs(value - from[i]!));
  const data = {
    ...board,
    header: header.map(commentText),
    robot: commentText(of.robot.name),
    controller: commentText(controller.name),
    name: of.robot.identifier,
    symbol: controller.symbol,
    n: of.coordinates.length,
    nu: of.inputs.length,
    ny: controller.references.length,
    ...referenceOf(of, controller),
    from: inColumns(from.map(signedLiteral), 110),
    to: inColumns(goal.map(signedLiteral), 110),
    // The encoder of the longest way.
    faulty: ways.indexOf(Math.max(...ways)),
    period: controller.parameters.some((own) => own.name === 'period'),
    time: of.parameters.some(({ kind }) => kind === 'time'),
  };
  // The loop closes around the law itself: shells, which include other laws, stay away.
  const others = of.controllers.flatMap((other) => [
    ...(other === controller ? [] : [other.symbol]),
    ...(other.shell ? [other.shell.symbol] : []),
  ]);
  const isLeftOut = (path: string): boolean =>
    path.endsWith('_selftest.c') || others.some((symbol) => path === `${symbol}.c` || path === `${symbol}.h`);
  const own = ['closed_loop.h', 'closed_loop.c', 'main.c', 'host.c', 'Makefile'];
  return [
    ...(await startUp(board, header)),
    ...own.map((path) => ({ path, text: render(path, data) })),
    ...code
      .filter(({ path }) => /\.[ch]$/.test(path) && !isLeftOut(path))
      .map((file) => ({ ...file, path: `robot/${file.path}` })),
  ];
}

type Controller = RobotInterface['controllers'][number];

function controllerOf(of: RobotInterface, wanted: string | undefined): Controller {
  const names = of.controllers.map(({ name }) => name);
  if (names.length === 0)
    throw refused(
      `\`${of.robot.name}\` has no controller`,
      'add `controllers:` to the robot file (docs/controllers.md)',
    );
  const found = of.controllers.find(({ name }) => wanted === undefined || name === wanted);
  if (!found)
    throw refused(
      `\`${of.robot.name}\` has no controller ${JSON.stringify(wanted)}`,
      `write --controller ${nearest(wanted!, names) ?? names.join(', ')}`,
    );
  const needed = ['actuate', 'actuation', 'implicit_step'];
  const missing = needed.filter((name) => !of.functions.some((own) => own.name === name));
  if (missing.length > 0)
    throw refused(
      `the plant of \`${of.robot.name}\` calls ${missing.map((name) => name.replace('_', '-')).join(', ')}, which the robot does not have`,
      'boards run robots with actuators and without loops',
    );
  return found;
}

/** Where the numbers of the reference come from: coordinates, or outputs of actuators. */
function referenceOf(of: RobotInterface, { name, references, frame, law }: Controller): object {
  const places = (all: readonly { readonly name: string }[]): number[] =>
    references.map((own) => all.findIndex((other) => other.name === own.name));
  const among = (found: readonly number[]): boolean => found.length > 0 && found.every((i) => i >= 0);
  const [coordinates, outputs] = [places(of.coordinates), places(of.inputs)];
  if (frame === undefined && among(coordinates)) return { coordinates };
  if (frame === undefined && among(outputs)) return { coordinates: undefined, outputs };
  throw refused(
    `the reference of the controller ${JSON.stringify(name)} (${law}) is the pose of a frame`,
    'choose one whose reference are coordinates or outputs: --controller NAME',
  );
}

function stateOf(of: RobotInterface, name: string): readonly number[] {
  const found = of.states[name];
  const names = Object.keys(of.states);
  if (!found)
    throw refused(
      `\`${of.robot.name}\` has no state ${JSON.stringify(name)}`,
      names.length > 0
        ? `write --to ${nearest(name, names) ?? names.join(', ')}`
        : 'add it to `states:` of the robot file',
    );
  return found;
}

const refused = (message: string, remedy: string): KanegenError => new KanegenError('no-board', message, { remedy });
