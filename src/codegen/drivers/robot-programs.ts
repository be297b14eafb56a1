/**
 * What a driver computes itself, beside calling links: motions of the base, poses of frames, columns of Jacobians. Programs
 * like those of links, from `kane/equations/base-and-frames.ts`.
 */
import { KanegenError } from '../../common/error.ts';
import { withinTime } from '../../common/work-limit.ts';
import {
  baseMotions,
  columnAtPoint,
  momentumAbout,
  motionOfFrame,
  work,
  wrenchInFrame,
  wrenchOnLink,
  type BaseMotion,
} from '../../kane/equations/base-and-frames.ts';
import { QUANTITIES, type ReadByBase } from '../../kane/kernels/quantities.ts';
import { adjoints, differentiateAll, directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import {
  minus,
  one,
  plus,
  power,
  times,
  zero,
  type Expr,
  type SymbolExpr,
  symbols,
} from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import {
  composeFrames,
  frameEntries,
  frameFromEntries,
  inverseFrame,
  transformPoint,
  transpose,
  vector3,
} from '../../symbolic/graph/vector.ts';
import { coordinateSymbol } from '../../description/model/actuator.ts';
import { loopTime, type RobotModel } from '../modules/robot-model.ts';
import { FORMULAS, type FormulaName } from '../sweeps/actuator-functions.ts';
import { BLOCK, FRAME_PLACES, placeOf } from '../modules/workspace.ts';
import { OperationGraph } from '../programs/operation-graph.ts';
import { buildProgram, type Program } from '../programs/program.ts';

export const named = (name: string, count: number): readonly SymbolExpr[] => symbols(`driver.${name}`, count);

export interface Buffer {
  readonly buffer: string;
  readonly symbols: readonly SymbolExpr[];
}

export interface Result {
  readonly buffer: string;
  readonly values: readonly Expr[];
  /** Place of the first number. */
  readonly from?: number;
  readonly optional?: true;
}

/**
 * Programs by all that they are made of, with the expressions whose numbers stand for them: those of frames, wrenches and motions are the
 * same for all robots, and every target asks for them.
 */
const made = new Map<string, { readonly program: Program; readonly results: readonly Result[] }>();
const MOST_MADE = 512;
/** Those of more nodes belong to one robot. */
const MOST_NODES = 5000;

export function programOf(name: string, inputs: readonly Buffer[], results: readonly Result[]): Program {
  if (results.some(({ values }) => values.some(({ size }) => size > MOST_NODES)))
    return makeProgram(name, inputs, results);
  const ids = (expressions: readonly Expr[]): string => expressions.map(({ id }) => id).join(' ');
  const key = JSON.stringify([
    name,
    inputs.map(({ buffer, symbols }) => [buffer, ids(symbols)]),
    results.map(({ buffer, values, from, optional }) => [buffer, ids(values), from, optional]),
  ]);
  const known = made.get(key);
  if (known) return known.program;
  const program = makeProgram(name, inputs, results);
  made.set(key, { program, results });
  if (made.size > MOST_MADE) made.delete([...made.keys()][0]!);
  return program;
}

function makeProgram(name: string, inputs: readonly Buffer[], results: readonly Result[]): Program {
  const declarations = inputs.flatMap(({ buffer, symbols }) =>
    symbols.map((own, index) => ({ symbol: own, place: { buffer, index }, stage: 1 as const })),
  );
  const graph = new OperationGraph(
    results.flatMap(({ values }) => [...values]),
    declarations,
  );
  const source = {
    name,
    reads: inputs.map(({ buffer }) => buffer),
    writes: [...new Set(results.map(({ buffer }) => buffer))],
    outputs: results.flatMap(({ buffer, values, from = 0, optional }) =>
      values.map((value, index) => ({
        place: { buffer, index: from + index },
        value: graph.of(value),
        ...(optional && { optional }),
      })),
    ),
    ready: new Map(),
  };
  return buildProgram(source, graph);
}

const gravity: Buffer = { buffer: 'gravity', symbols: named('gravity', 3) };
const basePose: Buffer = { buffer: 'basePose', symbols: named('base', 12) };

/** Of rows of loops that depend on the time. */
export function timeBuffer(model: RobotModel): readonly Buffer[] {
  const time = loopTime(model);
  return time ? [{ buffer: 'time', symbols: [time] }] : [];
}

/** `gravity` and, where they depend on run-time parameters, `basePose` and the current → the `base`'s block. */
export function baseProgram({ robot, held }: RobotModel, motion: BaseMotion): Program {
  const isFixed = freeSymbols(frameEntries(robot.base)).length === 0;
  const base = isFixed ? robot.base : frameFromEntries(basePose.symbols);
  const values = baseMotions(base, vector3(gravity.symbols), robot.current)[motion];
  const from = motion === 'velocity' || motion === 'placement' ? placeOf(motion) : FRAME_PLACES.motion;
  const ofCurrent = { buffer: 'formulaParameters', symbols: held };
  return programOf(motion, [gravity, basePose, ofCurrent], [{ buffer: 'base', values, from }]);
}

/** `dp`, run-time parameters and `gravity` → changes of all parameters of links, of the motion of the base and of places that move. */
export function parameterChangeProgram({ robot, held, instances, wet, reaching, moving }: RobotModel): Program {
  const dp = named('dp', held.length);
  const direction = new Map<Expr, Expr>(pairs(held, dp));
  const motions = baseMotions(robot.base, vector3(gravity.symbols), robot.current);
  const motion = wet ? motions.accelerationInWater : motions.acceleration;
  const ofLinks = instances.flatMap(({ expressions }) => [...expressions]);
  const ofPlaces = moving ? reaching!.places.flatMap(({ offset }) => frameEntries(offset)) : [];
  return programOf(
    'along',
    [gravity, { buffer: 'formulaParameters', symbols: held }, { buffer: 'dp', symbols: dp }],
    [
      { buffer: 'linkParametersTangent', values: directionalDerivative(ofLinks, direction) },
      { buffer: 'baseTangent', values: directionalDerivative(motion, direction), from: FRAME_PLACES.motion },
      { buffer: 'placeOffsetsTangent', values: directionalDerivative(ofPlaces, direction) },
      ...(moving ? [{ buffer: 'formulaParametersTangent', values: dp }] : []),
    ],
  );
}

/** Derivatives by parameters of links, and by the motion of the base → `by_p`, those by run-time parameters: its transpose. */
export function parameterGradientProgram({ robot, held, instances, wet }: RobotModel): Program {
  const ofLinks = instances.flatMap(({ expressions }) => [...expressions]);
  const seeds = named('byLinkParameter', ofLinks.length);
  // What points do not weigh is none of theirs.
  const weighs = instances.flatMap(({ expressions, pointOf }) => expressions.map(() => pointOf === undefined));
  const ofMass = seeds.map((seed, i) => (weighs[i] ? seed : zero));
  const byBase = named('byBase', BLOCK);
  const motions = baseMotions(robot.base, vector3(gravity.symbols), robot.current);
  const ofBase = wet ? motions.accelerationInWater : motions.acceleration;
  const { motion } = FRAME_PLACES;
  return programOf(
    'gather',
    [
      gravity,
      { buffer: 'formulaParameters', symbols: held },
      { buffer: 'linkParametersTangent', symbols: seeds },
      { buffer: 'baseTangent', symbols: byBase },
    ],
    [
      {
        buffer: 'by_p',
        values: adjoints([...ofLinks, ...ofBase], [...ofMass, ...byBase.slice(motion, motion + ofBase.length)], held),
      },
    ],
  );
}

/** `pose` of a link, `offset` of a frame on it → `R` and `t` where they are wanted, `point`: the frame's origin again. */
export function frameProgram(): Program {
  const [pose, offset] = [named('pose', 12), named('offset', 12)];
  const { rotation, translation } = composeFrames(frameFromEntries(pose), frameFromEntries(offset));
  const inputs = [
    { buffer: 'pose', symbols: pose },
    { buffer: 'offset', symbols: offset },
  ];
  return programOf('frame', inputs, [
    { buffer: 'point', values: translation },
    { buffer: 'R', values: rotation, optional: true },
    { buffer: 't', values: translation, optional: true },
  ]);
}

/** `pose` of a link, `offset` of a frame on it, `wrench` on the frame → `own`: that on the link, in its block. */
export function wrenchProgram(axes: 'world' | 'frame'): Program {
  const [pose, offset, wrench] = [named('pose', 12), named('offset', 12), named('wrench', 6)];
  const frame = frameFromEntries(offset);
  const turn = axes === 'world' ? transpose(frameFromEntries(pose).rotation) : frame.rotation;
  const inputs = [
    { buffer: 'pose', symbols: pose },
    { buffer: 'offset', symbols: offset },
    { buffer: 'wrench', symbols: wrench },
  ];
  const values = wrenchOnLink(turn, frame.translation, wrench);
  return programOf('wrench', inputs, [{ buffer: 'own', values }]);
}

/**
 * `pose` of a link and `poseTangent`, `offset` of a frame on it, `wrench` and its `change` → `own`: the change of that on the link;
 * of a variation with `offsetTangent`, too.
 */
export function wrenchChangeProgram(axes: 'world' | 'frame', kind: 'Tangent' | 'Variation'): Program {
  const [pose, poseTangent, offset] = [named('pose', 12), named('poseTangent', 12), named('offset', 12)];
  const [wrench, change] = [named('wrench', 6), named('change', 6)];
  const offsetTangent = kind === 'Variation' ? named('offsetTangent', 12) : [];
  const frame = frameFromEntries(offset);
  const turn = axes === 'world' ? transpose(frameFromEntries(pose).rotation) : frame.rotation;
  const direction = [...pairs(pose, poseTangent), ...pairs(wrench, change), ...variationPairs(offset, offsetTangent)];
  const values = directionalDerivative(wrenchOnLink(turn, frame.translation, wrench), new Map<Expr, Expr>(direction));
  const inputs = Object.entries({ pose, poseTangent, offset, wrench, change, offsetTangent });
  return programOf(
    'wrenchChange',
    inputs.map(([buffer, symbols]) => ({ buffer, symbols })),
    [{ buffer: 'own', values }],
  );
}

/**
 * `pose` and `poseTangent` of a link, `offset` of a frame on it → changes of the frame's `origin`, and where wanted of its `axes`; as
 * above, or on the base.
 */
export function frameChangeProgram(kind: 'Tangent' | 'Variation', withAxes: boolean, isOnBase = false): Program {
  const [pose, poseTangent, offset] = [named('pose', 12), named('poseTangent', 12), named('offset', 12)];
  const offsetTangent = kind === 'Variation' ? named('offsetTangent', 12) : [];
  const { rotation, translation } = composeFrames(frameFromEntries(pose), frameFromEntries(offset));
  const inputs = Object.entries({ pose, poseTangent, offset, offsetTangent });
  const direction = new Map<Expr, Expr>([
    ...(isOnBase ? [] : pairs(pose, poseTangent)),
    ...variationPairs(offset, offsetTangent),
  ]);
  return programOf(
    'frameTangent',
    inputs.map(([buffer, symbols]) => ({ buffer, symbols })),
    [
      ...(withAxes
        ? [{ buffer: 'axes', values: directionalDerivative(rotation, direction), optional: true as const }]
        : []),
      {
        buffer: 'origin',
        values: directionalDerivative(translation, direction),
        ...(withAxes && { optional: true as const }),
      },
    ],
  );
}

const variationPairs = (offset: readonly Expr[], change: readonly Expr[]): [Expr, Expr][] =>
  change.length > 0 ? pairs(offset, change) : [];

const pairs = (of: readonly Expr[], changes: readonly Expr[]): [Expr, Expr][] => of.map((e, i) => [e, changes[i]!]);

/** `pose` of a link, `offset` of a frame on it, `drift` of the link → `velocity` and `bias` of the frame, where wanted. */
export function motionProgram(): Program {
  const [pose, offset, drift] = [named('pose', 12), named('offset', 12), named('drift', 12)];
  const { velocity, bias } = motionOfFrame(
    frameFromEntries(pose).rotation,
    frameFromEntries(offset).translation,
    drift,
  );
  const inputs = [
    { buffer: 'pose', symbols: pose },
    { buffer: 'offset', symbols: offset },
    { buffer: 'drift', symbols: drift },
  ];
  return programOf('motion', inputs, [
    { buffer: 'velocity', values: velocity, optional: true },
    { buffer: 'bias', values: bias, optional: true },
  ]);
}

const motionOf = (pose: readonly Expr[], offset: readonly Expr[], drift: readonly Expr[]): readonly Expr[] => {
  const { velocity, bias } = motionOfFrame(
    frameFromEntries(pose).rotation,
    frameFromEntries(offset).translation,
    drift,
  );
  return [...velocity, ...bias];
};

/**
 * `pose` and `drift` of a link with their changes, `offset` of a frame on it → changes of its `twist` and `acceleration`; of a
 * variation with `offsetTangent`, too.
 */
export function motionChangeProgram(kind: 'Tangent' | 'Variation'): Program {
  const [pose, poseTangent, offset] = [named('pose', 12), named('poseTangent', 12), named('offset', 12)];
  const [drift, change] = [named('drift', 12), named('change', 12)];
  const offsetTangent = kind === 'Variation' ? named('offsetTangent', 12) : [];
  const moved = [...pairs(pose, poseTangent), ...pairs(drift, change), ...variationPairs(offset, offsetTangent)];
  const values = directionalDerivative(motionOf(pose, offset, drift), new Map<Expr, Expr>(moved));
  const inputs = Object.entries({ pose, poseTangent, offset, drift, change, offsetTangent });
  return programOf(
    'motionTangent',
    inputs.map(([buffer, symbols]) => ({ buffer, symbols })),
    [
      { buffer: 'twist', values: values.slice(0, 6) },
      { buffer: 'acceleration', values: values.slice(6) },
    ],
  );
}

/** The transpose by the motion of the link: derivatives by `twist` and `acceleration` → added to `seeds`, those by `drift`. */
export function motionWeightsProgram(): Program {
  const [pose, offset, drift, seeds] = [named('pose', 12), named('offset', 12), named('drift', 12), named('seeds', 12)];
  const [twist, acceleration] = [named('twist', 6), named('acceleration', 6)];
  const weights = adjoints(motionOf(pose, offset, drift), [...twist, ...acceleration], drift);
  const inputs = Object.entries({ pose, offset, drift, twist, acceleration, seeds });
  return programOf(
    'motionWeights',
    inputs.map(([buffer, symbols]) => ({ buffer, symbols })),
    [{ buffer: 'seeds', values: weights.map((weight, i) => plus(seeds[i]!, weight)) }],
  );
}

/** `column` of a link's Jacobian, `point` → column of `J`; its linear part alone where that is enough. */
export function columnProgram(part: 'all' | 'linear' = 'all'): Program {
  const [column, point] = [named('column', 6), named('point', 3)];
  const inputs = [
    { buffer: 'column', symbols: column },
    { buffer: 'point', symbols: point },
  ];
  const values = columnAtPoint(column, vector3(point));
  return programOf('column', inputs, [{ buffer: 'J', values: part === 'all' ? values : values.slice(3) }]);
}

/** `pose` of a frame in another → `inverse`: of that in the first. */
export function inverseProgram(): Program {
  const pose = named('pose', 12);
  const values = frameEntries(inverseFrame(frameFromEntries(pose)));
  return programOf('inverse', [{ buffer: 'pose', symbols: pose }], [{ buffer: 'inverse', values }]);
}

/** `pose` of a link in another, `wrench` at its frame → `moved`: the same there, its axes, about its origin. */
export function gatherProgram(): Program {
  const [pose, wrench] = [named('pose', 12), named('wrench', 6)];
  const inputs = [
    { buffer: 'pose', symbols: pose },
    { buffer: 'wrench', symbols: wrench },
  ];
  return programOf('gather', inputs, [{ buffer: 'moved', values: wrenchInFrame(frameFromEntries(pose), wrench) }]);
}

/** `pose` of a link's parent, `momentum` of a unit rate there, a point `about` → `A`: angular about the point, linear; `J`: linear. Where wanted. */
export function unitMomentumProgram(): Program {
  const [pose, momentum, about] = [named('pose', 12), named('momentum', 6), named('about', 3)];
  const inputs = Object.entries({ pose, momentum, about }).map(([buffer, symbols]) => ({ buffer, symbols }));
  const values = momentumAbout(about, frameFromEntries(pose), momentum);
  return programOf('unitMomentum', inputs, [
    { buffer: 'A', values, optional: true },
    { buffer: 'J', values: values.slice(3), optional: true },
  ]);
}

/** What links hand to the `base`, a point `about` → `h`: momentum of all bodies; or `mass` and its `centre`, or `share`: one over the mass. */
export function momentumProgram({ robot, held }: RobotModel, of: 'whole' | 'centre' | 'jacobian'): Program {
  const isFixed = freeSymbols(frameEntries(robot.base)).length === 0;
  const base = isFixed ? robot.base : frameFromEntries(basePose.symbols);
  const [handed, about] = [named('handed', BLOCK), named('about', 3)];
  const atBase = (quantity: ReadByBase): readonly Expr[] =>
    handed.slice(placeOf(quantity)).slice(0, QUANTITIES[quantity].entries.length);
  const entries = atBase('momentum');
  const [mass, ...first] = entries.slice(6) as [Expr, Expr, Expr, Expr];
  const share = power(mass, -1);
  const results: Record<typeof of, Result[]> = {
    whole: [{ buffer: 'h', values: momentumAbout(about, base, entries) }],
    centre: [
      { buffer: 'mass', values: [mass], optional: true },
      {
        buffer: 'centre',
        values: transformPoint(base, vector3(first.map((e) => times(share, e)))),
        optional: true,
      },
    ],
    jacobian: [{ buffer: 'share', values: [share] }],
  };
  const inputs = [basePose, { buffer: 'formulaParameters', symbols: held }];
  const ofBase = { buffer: 'base', symbols: handed };
  return programOf(of, [...inputs, ofBase, { buffer: 'about', symbols: about }], results[of]);
}

/** `motion` per unit rate of a coordinate, `moved` wrench of another → their `entry` of the mass matrix. */
export function entryProgram(): Program {
  const [motion, wrench] = [named('motion', 6), named('wrench', 6)];
  const inputs = [
    { buffer: 'motion', symbols: motion },
    { buffer: 'moved', symbols: wrench },
  ];
  return programOf('entry', inputs, [{ buffer: 'entry', values: [work(motion, wrench)] }]);
}

/** Are there actuation coordinates that mix coordinates of several links? */
export function hasFormulas({ robot }: RobotModel): boolean {
  return robot.actuators.some(({ terms }) => terms.some((term) => term.kind === 'robot-formula'));
}

/**
 * `q`, `qd`, `formulaParameters` → y, B (n × actuators), or their rates; or `u` and `tau` → `tau` with their forces; or changes of
 * these along `dq`; or derivatives by parameters of what they weigh. Entries that are always zero are left out.
 */
export function formulaProgram(model: RobotModel, name: FormulaName): Program {
  return withinTime(slowFormulas(model), () => formulaProgramOf(model, name));
}

/** Says so at the largest formula. */
function slowFormulas({ robot: { actuators } }: RobotModel): (seconds: number) => KanegenError {
  const sizes = actuators.map(({ terms }) =>
    Math.max(0, ...terms.map((term) => (term.kind === 'robot-formula' ? term.value.size : 0))),
  );
  const { name, location } = actuators[sizes.indexOf(Math.max(...sizes))]!;
  return (seconds) =>
    new KanegenError(
      'too-slow',
      `the code of formulas over several links takes more than ${seconds} s of the processor; the largest is \`${name}\``,
      { remedy: 'make this formula shorter, or allow more time with --max-seconds', location },
    );
}

function formulaProgramOf({ robot, held }: RobotModel, name: FormulaName): Program {
  const { reads, optional } = FORMULAS[name];
  const { coordinates, actuators } = robot;
  const arrays = {
    q: coordinates.map((coordinate) => coordinateSymbol(coordinate.name)),
    qd: named('qd', coordinates.length),
    u: named('u', actuators.length),
    tau: named('tau', coordinates.length),
    dq: named('dq', coordinates.length),
    dtau: named('dtau', coordinates.length),
    by_tau: named('byTau', coordinates.length),
    by_p: named('byParameter', held.length),
  };
  const parameters = { buffer: 'formulaParameters', symbols: held };
  const inputs = [...reads.map((buffer) => ({ buffer, symbols: arrays[buffer] })), parameters];
  const formulas = actuators.flatMap(({ terms }, index) =>
    terms.flatMap((term) => (term.kind === 'robot-formula' ? [{ index, value: term.value }] : [])),
  );
  const along = (value: Expr): Expr =>
    plus(...arrays.q.map((q, a) => times(differentiateAll([value], q)[0]!, arrays.qd[a]!)));
  const gradients = formulas.map(({ value }) => arrays.q.map((q) => differentiateAll([value], q)[0]!));
  const entry = (buffer: string, from: number, value: Expr): Result[] =>
    value === zero ? [] : [{ buffer, values: [value], from, ...(optional && { optional }) }];
  const results: Record<FormulaName, () => Result[]> = {
    values: () =>
      formulas.flatMap(({ index, value }, k) => [
        ...entry('y', index, value),
        ...gradients[k]!.flatMap((e, a) => entry('B', a * actuators.length + index, e)),
      ]),
    rates: () =>
      formulas.flatMap(({ index, value }) => [
        ...entry('yd', index, along(value)),
        ...entry('ydd0', index, along(along(value))),
      ]),
    forces: () =>
      arrays.tau.flatMap((before, a) => {
        const force = plus(...formulas.map(({ index }, k) => times(gradients[k]![a]!, arrays.u[index]!)));
        return force === zero ? [] : entry('tau', a, plus(before, force));
      }),
    changes: () => {
      const direction = new Map<Expr, Expr>(arrays.q.map((q, a) => [q, arrays.dq[a]!]));
      return arrays.dtau.flatMap((before, a) => {
        const force = plus(...formulas.map(({ index }, k) => times(gradients[k]![a]!, arrays.u[index]!)));
        const change = directionalDerivative([force], direction)[0]!;
        return change === zero ? [] : entry('dtau', a, plus(before, change));
      });
    },
    gradients: () => {
      const power = plus(
        ...formulas.flatMap(({ index }, k) =>
          gradients[k]!.map((e, a) => times(e, arrays.u[index]!, arrays.by_tau[a]!)),
        ),
      );
      return adjoints([power], [one], held).flatMap((value, k) =>
        value === zero ? [] : entry('by_p', k, minus(arrays.by_p[k]!, value)),
      );
    },
  };
  return programOf(name, inputs, results[name]());
}
