/**
 * A link in forward dynamics: the accelerations of its coordinates eliminated on the way to the base and found again on the
 * way back (`equations/elimination.ts`). A coordinate is eliminated at the last frame at which it moves what lies beyond:
 * body coordinates at the proximal frame, those of a joint at the child of its motion, where most entries of a motion about
 * an axis are zeros.
 */
import { plus, symbol, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import {
  ARTICULATED,
  articulatedEntries,
  articulatedFromEntries,
  type ArticulatedInertia,
} from '../equations/articulated.ts';
import { MassMatrix, stepComposite, type Composite } from '../equations/composite.ts';
import {
  eliminate,
  reduce,
  restore,
  splitStep,
  stepResponse,
  takeOff,
  type Eliminated,
  type Pivot,
  type Response,
} from '../equations/elimination.ts';
import { xyz } from '../equations/names.ts';
import { addWrenches, stepWrench, type FrameStep, type Wrench } from '../equations/recursion.ts';
import type { BodyComposite } from '../body/body-part.ts';
import { coupledPairs } from '../body/force-terms.ts';
import { coordinateLabels, type LinkParts } from './link-parts.ts';
import type { InputBuffer, Kernel } from '../kernels/link-type.ts';
import type { AddedMass } from '../body/water-on-rod.ts';

/** Frames of a link from the distal one inwards. */
interface Station {
  /** Towards the base: what lies beyond is carried through it, then coordinates are eliminated. */
  readonly step: FrameStep | 'body';
  readonly eliminated: readonly number[];
}

type Inputs = Readonly<Record<InputBuffer, readonly SymbolExpr[]>>;

export class ArticulatedLink {
  /** What `reduce` and `restore` find in the buffer `factor`. */
  readonly factor: readonly SymbolExpr[];
  readonly articulate: Kernel;
  private readonly parts: LinkParts;
  private readonly inputs: Inputs;
  private readonly stations: readonly Station[];
  /** Per station, entries as symbols of the factor. */
  private readonly eliminated: readonly (readonly Eliminated[])[];

  private readonly addedMass: AddedMass | undefined;

  /** @param addedMass of the water around the body. */
  constructor(parts: LinkParts, inputs: Inputs, addedMass?: AddedMass) {
    this.parts = parts;
    this.addedMass = addedMass;
    this.inputs = inputs;
    this.stations = stationsOf(parts, inputs.q);
    const { inertia, pivots } = this.factorise();
    const stored = new FactorEntries(coordinateLabels(parts.coordinates));
    this.eliminated = pivots.map((atStation) => atStation.map((pivot) => stored.of(pivot)));
    this.factor = stored.symbols;
    const ordered = this.zeros();
    for (const { coordinate, pivot } of pivots.flat()) ordered[coordinate] = pivot;
    this.articulate = {
      name: 'articulate',
      outputs: [
        { buffer: 'parentArticulated', values: articulatedEntries(inertia) },
        { buffer: 'pivots', values: ordered },
        { buffer: 'factor', values: stored.values },
      ],
    };
  }

  private zeros(): Expr[] {
    return this.parts.coordinates.map(() => zero);
  }

  private factorise(): { readonly inertia: ArticulatedInertia; readonly pivots: readonly (readonly Pivot[])[] } {
    const { body, bodyCoordinates, drives, coordinates } = this.parts;
    const M = new MassMatrix(coordinates.length);
    for (const { coordinate: a, inertia: value } of drives) M.take({ a, b: a, value });
    for (const [a, b] of coupledPairs(this.parts.forces, coordinates.length))
      M.take({ a, b, value: this.inputs.addend[a * coordinates.length + b]! });
    let composite: Composite<ArticulatedInertia> = { inertia: undefined, units: new Map() };
    const pivots = this.stations.map(({ step, eliminated }) => {
      if (step === 'body') {
        const alone = body.composite(ARTICULATED, articulatedFromEntries(this.inputs.distalArticulated));
        const own = this.addedMass ? withAddedMass(alone, this.addedMass) : alone;
        own.block.forEach((row, i) =>
          row.slice(i).forEach((value, j) => M.take({ a: bodyCoordinates[i]!, b: bodyCoordinates[i + j]!, value })),
        );
        composite = {
          inertia: own.inertia,
          units: new Map(own.columns.map((wrench, i) => [bodyCoordinates[i]!, wrench])),
        };
      } else composite = stepComposite(ARTICULATED, step, composite, M.take);
      const reduced = eliminate(composite, M, eliminated);
      composite = reduced.composite;
      return reduced.pivots;
    });
    return { inertia: composite.inertia!, pivots };
  }

  /** The body's own wrench acts beside that at the distal frame, or none; or the wrench is given by callers. */
  reduce(name: 'reduce' | 'reduceAlone' | 'reduceRow'): Kernel {
    const { body, bodyCoordinates } = this.parts;
    const { bodyWrench, load, [name === 'reduceRow' ? 'appliedWrench' : 'distalWrench']: distalWrench } = this.inputs;
    const withBody = name === 'reduce';
    const residual: Expr[] = [...load];
    const quotients = this.zeros();
    let wrench: Wrench = { force: vector(distalWrench, 0), moment: vector(distalWrench, 3) };
    this.stations.forEach(({ step }, i) => {
      if (step === 'body') {
        const through = body.backward(wrench, withBody ? bodyWrench.slice(this.parts.drives.length) : null);
        takeOff(residual, bodyCoordinates, through.generalized);
        wrench = through.wrench;
      } else {
        const stepped = stepWrench(step, wrench);
        takeOff(residual, step.coordinates, stepped.generalized);
        wrench = stepped.wrench;
      }
      wrench = reduce(this.eliminated[i]!, wrench, residual, quotients);
    });
    return {
      name,
      outputs: [
        { buffer: 'quotients', values: quotients },
        {
          buffer: name === 'reduceRow' ? 'parentApplied' : 'parentWrench',
          values: [...wrench.force, ...wrench.moment],
        },
      ],
    };
  }

  restore(): Kernel {
    const { parentResponse, quotients } = this.inputs;
    const accelerations = this.zeros();
    let response: Response = { angular: vector(parentResponse, 0), linear: vector(parentResponse, 3) };
    for (let i = this.stations.length - 1; i >= 0; i--) {
      restore(this.eliminated[i]!, response, quotients, accelerations);
      response = stepResponse(this.stepAt(i), response, accelerations);
    }
    return {
      name: 'restore',
      outputs: [
        { buffer: 'ownResponse', values: [...response.angular, ...response.linear] },
        { buffer: 'accelerations', values: accelerations },
      ],
    };
  }

  private stepAt(station: number): FrameStep {
    const { step } = this.stations[station]!;
    if (step !== 'body') return step;
    const { body, bodyCoordinates } = this.parts;
    return { ...body.step, coordinates: body.step.coordinates.map((a) => bodyCoordinates[a]!) };
  }
}

/** A body with the water that it moves. */
export function withAddedMass(
  { inertia, block, columns }: BodyComposite<ArticulatedInertia>,
  added: AddedMass,
): BodyComposite<ArticulatedInertia> {
  return {
    inertia: ARTICULATED.add(inertia, added.inertia),
    block: block.map((row, a) => row.map((value, b) => plus(value, added.units[a]!.generalized[b]!))),
    columns: columns.map((wrench, a) => addWrenches(wrench, added.units[a]!)),
  };
}

const vector = (symbols: readonly Expr[], from: number): Vector3 => vector3(symbols.slice(from, from + 3));

function stationsOf({ jointSteps, bodyCoordinates, coordinates }: LinkParts, q: readonly SymbolExpr[]): Station[] {
  const inwards = [...jointSteps].reverse();
  const moves = (step: FrameStep, a: number): boolean => step.coordinates.includes(a);
  const isLast = (a: number, from: number): boolean => !inwards.slice(from).some((step) => moves(step, a));
  const body: Station = { step: 'body', eliminated: bodyCoordinates.filter((a) => isLast(a, 0)) };
  const joints = inwards.flatMap((step, i): Station[] => {
    if (step.coordinates.length === 0) return [{ step, eliminated: [] }];
    const { moving, fixed } = splitStep(step, q);
    return [
      { step: moving, eliminated: step.coordinates.filter((a) => isLast(a, i + 1)) },
      { step: fixed, eliminated: [] },
    ];
  });
  const stations = [body, ...joints];
  const missing = coordinates.flatMap((_, a) => (stations.some((s) => s.eliminated.includes(a)) ? [] : [a]));
  const last = stations.pop()!;
  return [...stations, { ...last, eliminated: [...last.eliminated, ...missing] }];
}

/** Entries of eliminated coordinates as symbols; numbers stay what they are. */
class FactorEntries {
  readonly values: Expr[] = [];
  readonly symbols: SymbolExpr[] = [];
  private readonly coordinates: readonly string[];
  private readonly known = new Map<Expr, SymbolExpr>();

  constructor(coordinates: readonly string[]) {
    this.coordinates = coordinates;
  }

  of({ coordinate, reciprocal, direction, couplings }: Pivot): Eliminated {
    const own = this.coordinates[coordinate]!;
    const all = (v: Vector3, label: string): Vector3 =>
      vector3(v.map((e, i) => this.entry(e, `${xyz(label)[i]!}_${own}`)));
    return {
      coordinate,
      reciprocal: this.entry(reciprocal, `reciprocal_${own}`),
      direction: { force: all(direction.force, 'force'), moment: all(direction.moment, 'moment') },
      couplings: couplings.map(({ coordinate: b, factor }) => ({
        coordinate: b,
        factor: this.entry(factor, `coupling_${own}_${this.coordinates[b]!}`),
      })),
    };
  }

  private entry(value: Expr, name: string): Expr {
    if (value.kind === 'rational') return value;
    const found = this.known.get(value);
    if (found) return found;
    const made = symbol(`factor.${name}`);
    this.known.set(value, made);
    this.values.push(value);
    this.symbols.push(made);
    return made;
  }
}
