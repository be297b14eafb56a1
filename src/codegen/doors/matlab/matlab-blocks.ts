/** Blocks for Simulink, each a C S-function of level 2: the robot, its controllers (in their shells where they have one), its observers. */
import type { RobotInterface } from '../../interface/robot-interface.ts';
import { commentText } from '../../naming/identifiers.ts';
import { blockName, numberText, packageName } from './matlab-names.ts';
import { hasTime, movesBy } from './matlab-functions.ts';

interface Port {
  readonly name: string;
  readonly width: number;
}

interface Parameter {
  readonly name: string;
  /** How many numbers; -1: any. */
  readonly count: number;
  /** May be [] as well. */
  readonly optional: boolean;
  readonly tunable: boolean;
  readonly prompt: string;
  /** What the library begins with, in MATLAB. */
  readonly value: string;
}

export interface Block {
  /** The S-function, and its file without end. */
  readonly file: string;
  readonly title: string;
  readonly kind: 'plant' | 'law' | 'shell' | 'observer';
  /** In C. */
  readonly symbol: string;
  readonly parameters: readonly Parameter[];
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly timed: boolean;
}

export function blocksOf(of: RobotInterface): Block[] {
  const { identifier } = of.robot;
  const name = packageName(identifier);
  const { coordinates: n, inputs: nu, parameters } = of.sizes;
  const timed = hasTime(of);
  const p: Parameter = {
    name: 'p',
    count: parameters,
    optional: false,
    tunable: true,
    prompt: `Parameters: ${name}.parameters`,
    value: `cell2mat(struct2cell(${name}.parameters))`,
  };
  const period = (seconds: number): Parameter => ({
    name: 'period',
    count: 1,
    optional: false,
    tunable: false,
    prompt: 'Period in s',
    value: numberText(seconds),
  });
  const state = [port('q', n), port('qd', n)];
  const plant = movesBy(of).moves
    ? [
        {
          file: blockName(name),
          title: 'robot',
          kind: 'plant' as const,
          symbol: identifier,
          parameters: [
            p,
            {
              name: 'x0',
              count: 2 * n,
              optional: false,
              tunable: false,
              prompt: '[q; qd] at the start',
              value: `${name}.start`,
            },
            {
              name: 'frames',
              count: -1,
              optional: true,
              tunable: false,
              prompt: 'Numbers of frames whose positions are outputs',
              value: of.functions.some((own) => own.name === 'frame') ? String(of.tip + 1) : '[]',
            },
          ],
          inputs: [...(nu > 0 ? [port('u', nu)] : []), port('tau', n)],
          outputs: state,
          timed,
        },
      ]
    : [];
  const laws = of.controllers.map((own): Block => {
    const { y, yd, ydd } = own.referenceSizes;
    const gains = own.parameters.reduce((total, { size }) => total + size, 0);
    const symbol = own.shell?.symbol ?? own.symbol;
    const seconds = own.parameters.find((field) => field.name === 'period')?.default?.[0];
    const settings = own.shell?.settings.find((field) => field.name === 'period')?.default?.[0];
    return {
      file: blockName(own.symbol),
      title: commentText(own.name),
      kind: own.shell ? 'shell' : 'law',
      symbol,
      parameters: [
        p,
        period(settings ?? seconds ?? 1e-3),
        {
          name: 'gains',
          count: gains,
          optional: true,
          tunable: true,
          prompt: 'Gains, in the order of the law; [] those of the robot file',
          value: '[]',
        },
      ],
      inputs: [...(own.shell ? [port('wanted', 1)] : []), ...state, port('y', y), port('yd', yd), port('ydd', ydd)],
      outputs: [port('u', own.outputs.length), ...(own.shell ? [port('mode', 1), port('reason', 1)] : [])],
      timed,
    };
  });
  const observers = (of.observers ?? []).map((own): Block => {
    const seconds = own.settings.find((field) => field.name === 'period')?.default?.[0];
    return {
      file: blockName(own.symbol),
      title: commentText(own.name),
      kind: 'observer',
      symbol: own.symbol,
      parameters: [p, period(seconds ?? 1e-3)],
      inputs: [...(nu > 0 ? [port('u', nu)] : []), port('z', own.measurements.length)],
      outputs: state,
      timed,
    };
  });
  return [...plant, ...laws, ...observers];
}

const port = (name: string, width: number): Port => ({ name, width });
