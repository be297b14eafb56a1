/** Constants of links as parameters of their types: links that differ in numbers only share a type. */
import { exactUnit } from '../symbolic/evaluation/evaluate.ts';
import { minusOne, one, symbol, zero, type Expr } from '../symbolic/graph/expr.ts';
import {
  composeFrames,
  frameEntries,
  frameFromEntries,
  identityFrame,
  isIdentityFrame,
  type Frame,
} from '../symbolic/graph/vector.ts';
import { substitutedJoint, type DeformableBody, type Joint, type Link } from '../description/model/robot.ts';
import { freeSymbols } from '../symbolic/graph/traverse.ts';
import { formulasOf, jointSteps } from './equations/joint.ts';
import { fixedStep, type FrameStep } from './equations/recursion.ts';
import type { LinkParameter } from './kernels/link-type.ts';
import { BARE_UNIT } from '../description/values/units.ts';

/** Constants of a link sorted into what belongs to the type (0, ±1) and parameters with this link's values. */
export class ParameterTable {
  readonly parameters: LinkParameter[] = [];
  readonly values: Expr[] = [];
  private pattern = '';

  /** A stand-in for `value`: the value itself when it is exactly 0 (or ±1 where units fold), else a new parameter. */
  place(value: Expr, name: string, unit: string, summary: string, foldUnits = false): Expr {
    if (value === zero || (foldUnits && (value === one || value === minusOne))) {
      this.pattern += value === zero ? '0' : value === one ? '+' : '-';
      return value;
    }
    this.pattern += '#';
    const parameter: LinkParameter = { name, symbol: symbol(`link.${name}`), unit, summary };
    this.parameters.push(parameter);
    this.values.push(value);
    return parameter.symbol;
  }

  add(parameter: LinkParameter, value: Expr): void {
    this.parameters.push(parameter);
    this.values.push(value);
  }

  get key(): string {
    return this.pattern;
  }
}

export const AXES = ['x', 'y', 'z'] as const;
const ENTRIES = AXES.flatMap((row) => AXES.map((col) => `${row}${col}`));

/** A stand-in for a frame that does not move. */
export function placeFrame(table: ParameterTable, frame: Frame, stem: string): Frame {
  const entries = frameEntries(frame).map((e, i) =>
    i < 9
      ? table.place(exactUnit(e), `${stem}_rotation_${ENTRIES[i]}`, '1', `${stem} rotation, entry ${ENTRIES[i]}`, true)
      : table.place(e, `${stem}_${AXES[i - 9]}`, 'm', `${stem} translation along ${AXES[i - 9]}`),
  );
  return frameFromEntries(entries);
}

/** Offset, joint and mount of a link: from the distal frame of its parent to the proximal one of its body. */
export function placeJoint(table: ParameterTable, { joint, offset, mount }: Link): readonly FrameStep[] {
  const steps = jointSteps(placeMotions(table, joint));
  const merged = steps.length === 0;
  const around = (frame: Frame): FrameStep[] => (isIdentityFrame(frame) ? [] : [fixedStep(frame)]);
  const before = placeFrame(table, merged ? composeFrames(offset, mount) : offset, 'offset');
  const after = merged ? identityFrame : placeFrame(table, mount, 'mount');
  return [...around(before), ...steps, ...around(after)];
}

/** Run-time parameters in formulas of motions become parameters of the type. */
function placeMotions(table: ParameterTable, joint: Joint): Joint {
  const { motions, prescribed, coordinates } = joint;
  const own = new Set<Expr>([...(prescribed ? [prescribed.time] : []), ...coordinates.map(({ symbol }) => symbol)]);
  const held = freeSymbols(motions.flatMap(formulasOf)).filter((s) => !own.has(s));
  const known = new Map<Expr, Expr>(
    held.map((s) => {
      const name = s.name.replace(/^.*\./, '');
      return [s, table.place(s, `prescribed_${name}`, BARE_UNIT, `${name} of a prescribed coordinate`)];
    }),
  );
  return known.size > 0 ? substitutedJoint(joint, known) : joint;
}

/** The parameters of a deformable body. */
export function addBodyParameters(body: DeformableBody, table: ParameterTable): void {
  body.type.parameters.forEach((p, i) =>
    table.add(
      {
        name: p.name,
        symbol: p.symbol,
        unit: p.unit,
        summary: p.summary ?? `parameter ${p.name} of ${body.type.name}`,
      },
      body.parameters[i]!,
    ),
  );
}
