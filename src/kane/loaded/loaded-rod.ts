/**
 * Equilibrium of a rod under the tensions of its tendons, its weight, and a dead force and moment at its end: its strain at every point by Newton's method, with
 * steps of collocation that are halved until the end stays where it is. No basis: the strain is what balances each section.
 */
import { layRod, POINTS, type Rod } from '../../runtime/rod-march.ts';
import {
  allColumns,
  beginOutwards,
  FAILED_END,
  FAILED_PATH,
  FAILED_PROFILES,
  FAILED_SECTION,
  FAILED_SECTIONS,
  finishRod,
  outwardsOver,
  solveRod,
  solveShare,
  solveUnloaded,
} from '../../runtime/rod-statics.ts';
import { createRod, mostSteps } from './rod-record.ts';
import { rotationOf, times, transposed, transposedSlope, type Numbers } from './rotations.ts';
import type { SectionsInNumbers } from './section-rows.ts';

/** What hangs on the end of a rod, world axes: forces at places that it carries, and a moment. */
export interface EndLoads {
  /** m/s² */
  readonly gravity: Numbers;
  /** N m */
  readonly moment: Numbers;
  /** N, and where, in axes of the end, m. */
  readonly forces: readonly { readonly force: Numbers; readonly arm: Numbers }[];
}

export interface LoadedRodRequest {
  /** Coordinates of the equilibrium: tensions and amplitudes of stress. */
  readonly q: Numbers;
  /** Of the section that the rod begins with, world axes. */
  readonly base: { readonly q: Numbers; readonly position: Numbers };
  readonly loads: EndLoads;
  /** m along the rod, where strains are asked for. */
  readonly places?: Numbers;
  /** By which each profile changes until the end where the search begins; 0 when missing. */
  readonly begin?: Numbers;
  /** Steps along the rod; halved until the end moves by less than `SETTLED` when missing. */
  readonly steps?: number;
}

/** World axes, SI units; derivatives angular part first, 6 rows. */
export interface LoadedRod {
  readonly position: Numbers;
  readonly rotation: readonly Numbers[];
  readonly byCoordinate: readonly Numbers[];
  /** By the dead force and the dead moment at the end. */
  readonly byForce: readonly Numbers[];
  readonly byMoment: readonly Numbers[];
  readonly profiles: readonly LoadedProfile[];
  /** What holds the start: of everything beyond it. */
  readonly base: { readonly force: Numbers; readonly moment: Numbers };
  /** At the places that were asked for. */
  readonly strains: readonly Numbers[];
  /** There, Λ: moment and force of everything beyond, in axes of the section, and its derivatives by the coordinates, 6 × n. */
  readonly loads: readonly { readonly value: Numbers; readonly byCoordinate: readonly Numbers[] }[];
  /** Where the same rod ends without weight and loads, world axes, m. */
  readonly unloaded: Numbers;
  /** Steps along the rod, and how far the last halving moved the end, of its length; none where the steps are given. */
  readonly steps: number;
  readonly error: number | undefined;
  /** Sweeps of Newton's method at the last steps, that of the derivatives among them. */
  readonly sweeps: number;
  /** m along the rod, beyond which it is no minimum of energy; none where it is stable. */
  readonly unstable: readonly number[];
}

export interface LoadedProfile {
  readonly name: string;
  readonly end: number;
  /** At the places that were asked for. */
  readonly values: Numbers;
  /** What holds it at the start, in J for each unit. */
  readonly effort: number;
  /** Of the end of the rod by its value at the start, 6, and of its own end. */
  readonly byStart: Numbers;
  readonly endByStart: number;
}

/** Why there is no equilibrium, and at which share of weight and loads the search ended. */
export class NoRodEquilibrium extends Error {
  readonly share: number;

  constructor(share: number, message: string) {
    super(message);
    this.share = share;
  }
}

const [FEWEST_STEPS, MOST_STEPS] = [8, 1024];
/** Of the length of the rod, and rad, from one number of steps to its double, which moves the end 256 times less. */
const SETTLED = 1e-13;
const ENOUGH = 1e-9;
/** What a step of a section by itself may change where the next one changes rounding errors alone: strains, and curvatures times the length. */
const CONVERGED = 1e-7;
const MOST_SECTION_STEPS = 30;

/** @throws NoRodEquilibrium */
export function equilibriumOfRod(sections: SectionsInNumbers, request: LoadedRodRequest): LoadedRod {
  if (request.steps !== undefined) return new Search(sections, request, request.steps).result().rod;
  let known: Found | undefined;
  let least: LoadedRod | undefined;
  for (let steps = FEWEST_STEPS; steps <= MOST_STEPS; steps *= 2) {
    const next = new Search(sections, request, steps).result(known?.strainAt);
    const error = known && apart(known.rod, next.rod, sections);
    known = { ...next, rod: { ...next.rod, error } };
    if (error === undefined) continue;
    if (error <= SETTLED) return known.rod;
    // Rounding errors do not fall any more.
    if (least && least.error! <= ENOUGH && error >= least.error!) return least;
    least = known.rod;
  }
  if (known!.rod.error! <= ENOUGH) return known!.rod;
  throw new NoRodEquilibrium(1, `${MOST_STEPS} steps along the rod do not settle where its end is`);
}

/** A result, and its strain anywhere, which more steps begin with. */
interface Found {
  readonly rod: LoadedRod;
  readonly strainAt: (s: number) => Numbers;
}

function apart(a: LoadedRod, b: LoadedRod, { ends }: SectionsInNumbers): number {
  const length = Math.abs(ends.at(-1)! - ends[0]!);
  const moved = a.position.map((e, i) => Math.abs(e - b.position[i]!) / length);
  const turned = a.rotation.flatMap((row, i) => row.map((e, k) => Math.abs(e - b.rotation[i]![k]!)));
  const slopes = (['byCoordinate', 'byForce', 'byMoment'] as const).map((key) =>
    relative(a[key].flat(), b[key].flat()),
  );
  return Math.max(...moved, ...turned, SLOPES * Math.max(...slopes));
}

/** Derivatives count less: they are of no equation that is solved. */
const SLOPES = 1e-3;

function relative(a: Numbers, b: Numbers): number {
  const scale = Math.max(0, ...b.map(Math.abs));
  return scale === 0 ? 0 : Math.max(...a.map((e, i) => Math.abs(e - b[i]!))) / scale;
}

/** A row of numbers, three or so each. */
const rowOf = (array: Float64Array, size: number, k: number): number[] => [...array.slice(size * k, size * (k + 1))];

class Search {
  private readonly sections: SectionsInNumbers;
  private readonly request: LoadedRodRequest;
  private readonly rod: Rod;

  constructor(sections: SectionsInNumbers, request: LoadedRodRequest, count: number) {
    this.sections = sections;
    this.request = request;
    const { ends } = sections;
    const inside = (request.places ?? []).filter((s) => s > ends[0]! && s < ends.at(-1)!);
    const borders = [...new Set([...ends, ...inside])].sort((a, b) => a - b);
    const { gravity, moment, forces } = request.loads;
    const panels = borders.length - 1;
    const rod = createRod({
      ...{ panels, steps: mostSteps(count, panels), arms: forces.length },
      ...{ unknowns: sections.free.length, inputs: sections.coordinates, profiles: sections.profiles.length },
    });
    this.rod = rod;
    rod.ends.set(borders);
    layRod(rod, count);
    for (const c of sections.free) rod.free[c] = 1;
    rod.starts.set(sections.profiles.map(({ from }) => from));
    rod.beginnings.set(request.begin ?? []);
    rod.u.set(request.q);
    rod.base.set([...request.base.q, ...request.base.position]);
    rod.gravity.set(gravity);
    rod.moment.set(moment);
    rod.forces.set(forces.flatMap(({ force, arm }) => [...force, ...arm]));
  }

  /** @param begin strains of the same equilibrium with fewer steps. @throws NoRodEquilibrium */
  result(begin?: (s: number) => Numbers): Found {
    const { rod, sections } = this;
    if (!(begin && this.isFoundNear(begin)) && !solveRod(rod, sections)) throw this.problem();
    if (!finishRod(rod, sections)) throw this.problem();
    const derivatives = sections.coordinates;
    const columns = allColumns(rod);
    const change = Array.from({ length: 6 }, (_, r) => rowOf(rod.end, columns, r));
    const states = this.states();
    const part = (from: number, to: number): number[][] => change.map((row) => row.slice(from, to));
    const behind = 1 + derivatives + rod.profiles;
    const { steps } = rod;
    const found = {
      position: rowOf(rod.positionNodes, 3, steps),
      rotation: rotationOf(rowOf(rod.turnNodes, 4, steps)),
      byCoordinate: part(1, 1 + derivatives),
      byForce: part(behind, behind + 3),
      byMoment: part(behind + 3, behind + 6),
      profiles: this.profilesOf(change, states),
      base: { force: rowOf(rod.forceNodes, 3, 0), moment: rowOf(rod.momentNodes, 3, 0) },
      strains: this.strainsAt(),
      loads: this.loadsAt(states),
      unloaded: [...rod.unloaded],
      steps,
      error: undefined,
      sweeps: rod.sweeps,
      unstable: [...rod.nodes.slice(0, steps)].filter((_, k) => rod.yields[k]! > 0),
    };
    const strains = rod.strains.slice(0, (6 + rod.profiles) * POINTS * steps);
    return { rod: found, strainAt: (s) => this.strainBetween(strains, s) };
  }

  /** With the strains of fewer steps. */
  private isFoundNear(begin: (s: number) => Numbers): boolean {
    const { rod, sections } = this;
    if (!solveUnloaded(rod, sections)) throw this.problem();
    rod.strains.set([...rod.places.slice(0, POINTS * rod.steps)].flatMap(begin));
    return solveShare(rod, sections, 1);
  }

  private problem(): NoRodEquilibrium {
    const { failure, failedAt, reached } = this.rod;
    const texts: Readonly<Record<number, string>> = {
      [FAILED_SECTION]: `the section at ${failedAt} m is not stable at these coordinates`,
      [FAILED_SECTIONS]: 'the sections do not come to rest at these coordinates',
      [FAILED_PROFILES]: 'the profiles do not come to rest from where they begin',
      [FAILED_PATH]: 'the path of equilibria cannot be followed further',
      [FAILED_END]: `the rod gives way beyond ${failedAt} m`,
    };
    return new NoRodEquilibrium(failure === FAILED_END ? 1 : reached, texts[failure]!);
  }

  /** By the polynomial through the points of a step. */
  private strainBetween(strains: Float64Array, s: number): Numbers {
    const { nodes, places, steps } = this.rod;
    const after = nodes.findIndex((node, k) => k > 0 && k <= steps && s <= node);
    const step = after < 0 ? steps - 1 : after - 1;
    const rows = Array.from({ length: POINTS }, (_, i) => POINTS * step + i);
    const shares = rows.map((row) =>
      rows.reduce(
        (product, other) =>
          other === row ? product : (product * (s - places[other]!)) / (places[row]! - places[other]!),
        1,
      ),
    );
    const { profiles } = this.rod;
    const entries = 6 + profiles;
    return Array.from({ length: entries }, (_, c) =>
      shares.reduce((sum, share, i) => sum + share * strains[entries * rows[i]! + c]!, 0),
    );
  }

  /** Changes of y where steps end, by its entries and columns. */
  private states(): readonly (readonly Numbers[])[] {
    const { rod } = this;
    const columns = allColumns(rod);
    const state = (): number[][] =>
      Array.from({ length: 7 + 2 * rod.profiles }, (_, r) => rowOf(rod.state, columns, r));
    beginOutwards(rod, columns);
    const found = [state()];
    for (let k = 0; k < rod.steps; k++) {
      outwardsOver(rod, k, columns);
      found.push(state());
    }
    return found;
  }

  private nodesOf(places: Numbers): readonly number[] {
    const found = places.map((s) => this.rod.nodes.indexOf(s));
    const outside = found.indexOf(-1);
    if (outside >= 0) throw new RangeError(`there is no rod at ${places[outside]!} m`);
    return found;
  }

  private profilesOf(change: readonly Numbers[], states: readonly (readonly Numbers[])[]): readonly LoadedProfile[] {
    const { profileNodes, pullNodes, profiles, steps } = this.rod;
    const nodes = this.nodesOf(this.request.places ?? []);
    return this.sections.profiles.map(({ name }, j) => {
      // The first column is the correction.
      const column = 1 + this.sections.coordinates + j;
      return {
        name,
        end: profileNodes[profiles * steps + j]!,
        values: nodes.map((k) => profileNodes[profiles * k + j]!),
        effort: -pullNodes[j]!,
        byStart: change.map((row) => row[column]!),
        endByStart: states.at(-1)![4 + j]![column]!,
      };
    });
  }

  /** Λ where steps end. */
  private loadAt(k: number): number[] {
    const { turnNodes, momentNodes, forceNodes } = this.rod;
    const inverse = transposed(rotationOf(rowOf(turnNodes, 4, k)));
    return [...times(inverse, rowOf(momentNodes, 3, k)), ...times(inverse, rowOf(forceNodes, 3, k))];
  }

  private loadsAt(states: readonly (readonly Numbers[])[]): LoadedRod['loads'] {
    const { turnNodes, momentNodes, forceNodes, profiles } = this.rod;
    const { coordinates } = this.sections;
    return this.nodesOf(this.request.places ?? []).map((k) => {
      const q = rowOf(turnNodes, 4, k);
      const inverse = transposed(rotationOf(q));
      const slopes = [momentNodes, forceNodes].flatMap((own) => transposedSlope(q, rowOf(own, 3, k)));
      const state = states[k]!;
      return {
        value: this.loadAt(k),
        byCoordinate: slopes.map((slope, i) =>
          Array.from({ length: coordinates }, (_, a) => {
            // The first column is the correction; dead forces stay as they are.
            const turned = slope.reduce((sum, e, d) => sum + e * state[d]![1 + a]!, 0);
            return (inverse[i] ?? []).reduce((sum, e, d) => sum + e * state[4 + profiles + d]![1 + a]!, turned);
          }),
        ),
      };
    });
  }

  /** At the places that were asked for, from what is beyond them. @throws NoRodEquilibrium */
  private strainsAt(): readonly Numbers[] {
    const { places = [] } = this.request;
    const { strains, profileNodes, profiles, steps } = this.rod;
    if (places.length === 0) return [];
    const found = this.nodesOf(places);
    const { free } = this.sections;
    const at = Float64Array.from(places);
    const rest = this.sections.restAt(at);
    const begin = found.map((k, i) => {
      const own = rowOf(strains, 6 + profiles, Math.min(POINTS * k, POINTS * steps - 1));
      return own.map((e, c) => (free.includes(c) ? e : rest[i]![c]!));
    });
    const along = found.map((k) => rowOf(profileNodes, profiles, k));
    const loads = found.map((k) => [...this.loadAt(k), ...rowOf(this.rod.pullNodes, profiles, k)]);
    return this.sectionsIn(at, begin, loads, along).map((own) => own.slice(0, 6));
  }

  /** Strains that balance tendons and Λ. @throws NoRodEquilibrium */
  private sectionsIn(
    places: Float64Array,
    start: readonly Numbers[],
    loads: readonly Numbers[],
    profiles: readonly Numbers[],
  ): readonly Numbers[] {
    const { free } = this.sections;
    let strains = start.map((own) => [...own]);
    for (let step = 0; step < MOST_SECTION_STEPS; step++) {
      const balance = this.sections.balanceAt(places, this.request.q, strains, profiles);
      let largest = 0;
      strains = strains.map((strain, row) => {
        const divide = balance.factor(row);
        if (!divide)
          throw new NoRodEquilibrium(1, `the section at ${places[row]!} m is not stable at these coordinates`);
        const residual = balance.residual(row).map((e, i) => e - loads[row]![free[i]!]!);
        const next = [...strain];
        divide(residual).forEach((e, i) => {
          const c = free[i]!;
          next[c]! -= e;
          largest = Math.max(largest, Math.abs(e) * (c < 3 || c >= 6 ? this.rod.length : 1));
        });
        return next;
      });
      if (largest < CONVERGED) return strains;
      if (Number.isNaN(largest)) break;
    }
    throw new NoRodEquilibrium(1, 'the sections do not come to rest at these coordinates');
  }
}
