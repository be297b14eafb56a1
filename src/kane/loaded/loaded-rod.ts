/**
 * Equilibrium of a rod under the tensions of its tendons, its weight, and a dead force and moment at its end: its strain at every point by Newton's method, with
 * steps of collocation that are halved until the end stays where it is. No basis: the strain is what balances each section.
 */
import { collocation } from './gauss-steps.ts';
import { marchAlong, outwardsAlong, rodSteps, type EndLoads, type RodAtRest, type RodSteps } from './rod-march.ts';
import { loadOf, loadSlope, sweep, type Change, type Columns } from './rod-sweep.ts';
import { product, rotationOf, type Numbers } from './rotations.ts';
import type { BalanceRows, SectionsInNumbers } from './section-rows.ts';

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

/** Points of a step: order eight. */
const POINTS = 4;
const [FEWEST_STEPS, MOST_STEPS] = [8, 1024];
/** Of the length of the rod, and rad, from one number of steps to its double, which moves the end 256 times less. */
const SETTLED = 1e-13;
const ENOUGH = 1e-9;
/** What a sweep may change where the next one changes rounding errors alone: strains, and curvatures times the length. */
const CONVERGED = 1e-7;
const MOST_SWEEPS = 12;
const MOST_HALVINGS = 6;
const LEAST_SHARE = 1 / 256;
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

/** A state of the search: strains by row with what they make of the rod. */
interface Trial {
  readonly strains: readonly Numbers[];
  readonly profiles: ReturnType<typeof outwardsAlong>;
  readonly rod: RodAtRest;
  readonly balance: BalanceRows;
}

/** Where a step ends. */
function rowAt({ nodes }: RodAtRest, k: number): RodAtRest['rows'][number] {
  const { q, n, m, p } = nodes[k]!;
  return { q, n, m, p, rotation: rotationOf(q) };
}

class Search {
  private readonly sections: SectionsInNumbers;
  private readonly request: LoadedRodRequest;
  private readonly steps: RodSteps;
  private readonly length: number;
  private sweeps = 0;

  constructor(sections: SectionsInNumbers, request: LoadedRodRequest, count: number) {
    this.sections = sections;
    this.request = request;
    const { ends } = sections;
    this.length = Math.abs(ends.at(-1)! - ends[0]!);
    const inside = (request.places ?? []).filter((s) => s > ends[0]! && s < ends.at(-1)!);
    const borders = [...new Set([...ends, ...inside])].sort((a, b) => a - b);
    const nodes = borders.slice(1).flatMap((to, i) => {
      const from = borders[i]!;
      const own = Math.max(1, Math.round((count * (to - from)) / this.length));
      return Array.from({ length: own }, (_, k) => (k + 1 === own ? to : from + ((k + 1) / own) * (to - from)));
    });
    this.steps = rodSteps(collocation(POINTS), [borders[0]!, ...nodes], (places) => sections.weightAt(places));
  }

  /** @param begin strains of the same equilibrium with fewer steps. @throws NoRodEquilibrium */
  result(begin?: (s: number) => Numbers): Found {
    const unloaded = this.withoutLoads();
    const near = begin && this.newton([...this.steps.places].map(begin), 1);
    const found = near?.trial ?? this.loaded(unloaded);
    const derivatives = this.sections.coordinates;
    const change = this.swept(found, 1, { correction: true, derivatives });
    const final = this.trial(this.moved(found, change, 1), 1);
    const end = final.rod.nodes.at(-1)!;
    const start = final.rod.nodes[0]!;
    const columns = (from: number, to: number): number[][] => change.end.map((row) => row.slice(from, to));
    const behind = 1 + derivatives + this.sections.profiles.length;
    const rod = {
      position: end.position,
      rotation: rotationOf(end.q),
      byCoordinate: columns(1, 1 + derivatives),
      byForce: columns(behind, behind + 3),
      byMoment: columns(behind + 3, behind + 6),
      profiles: this.profilesOf(final, change),
      base: { force: start.n, moment: start.m },
      strains: this.strainsAt(final),
      loads: this.loadsAt(final, change),
      unloaded: unloaded.rod.nodes.at(-1)!.position,
      steps: this.steps.nodes.length - 1,
      error: undefined,
      sweeps: this.sweeps,
      unstable: change.unstable,
    };
    return { rod, strainAt: (s) => this.strainBetween(final.strains, s) };
  }

  /** By the polynomial through the points of a step. */
  private strainBetween(strains: readonly Numbers[], s: number): Numbers {
    const { nodes, method, places } = this.steps;
    const count = method.weights.length;
    const after = nodes.findIndex((node, k) => k > 0 && s <= node);
    const step = after < 0 ? nodes.length - 2 : after - 1;
    const rows = method.weights.map((_, i) => count * step + i);
    const shares = rows.map((row) =>
      rows.reduce(
        (product, other) =>
          other === row ? product : (product * (s - places[other]!)) / (places[row]! - places[other]!),
        1,
      ),
    );
    return strains[rows[0]!]!.map((_, c) => shares.reduce((sum, share, i) => sum + share * strains[rows[i]!]![c]!, 0));
  }

  private loadsOf(share: number): EndLoads {
    const { gravity, moment, forces } = this.request.loads;
    const part = (v: Numbers): number[] => v.map((e) => share * e);
    return {
      gravity: part(gravity),
      moment: part(moment),
      forces: forces.map(({ force, arm }) => ({ force: part(force), arm })),
    };
  }

  private trial(strains: readonly Numbers[], share: number): Trial {
    const { sections, steps, request } = this;
    const start = sections.profiles.map(({ from }) => from);
    const rates = strains.map((own) => own.slice(6));
    const profiles = outwardsAlong(steps, start, rates);
    const balance = sections.balanceAt(steps.places, request.q, strains, profiles.rows);
    const pulls = strains.map((_, row) => balance.pull(row));
    return { strains, profiles, balance, rod: marchAlong(steps, request.base, strains, this.loadsOf(share), pulls) };
  }

  /** Each section alone, or with profiles from where they begin. @throws NoRodEquilibrium */
  private withoutLoads(): Trial {
    const rest = this.sections.restAt(this.steps.places);
    const { profiles } = this.sections;
    if (profiles.length === 0)
      return this.trial(
        this.sectionsIn(
          this.steps.places,
          rest,
          rest.map(() => [0, 0, 0, 0, 0, 0]),
          rest.map(() => []),
        ),
        0,
      );
    const { begin = profiles.map(() => 0) } = this.request;
    const found = this.newton(
      rest.map((own) => [...own.slice(0, 6), ...begin.map((change) => change / this.length)]),
      0,
    );
    if (found) return found.trial;
    throw new NoRodEquilibrium(0, 'the profiles do not come to rest from where they begin');
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
          throw new NoRodEquilibrium(0, `the section at ${places[row]!} m is not stable at these coordinates`);
        const residual = balance.residual(row).map((e, i) => e - loads[row]![free[i]!]!);
        const next = [...strain];
        divide(residual).forEach((e, i) => {
          next[free[i]!]! -= e;
          largest = Math.max(largest, this.scaled(free[i]!, e));
        });
        return next;
      });
      if (largest < CONVERGED) return strains;
      if (Number.isNaN(largest)) break;
    }
    throw new NoRodEquilibrium(0, 'the sections do not come to rest at these coordinates');
  }

  private scaled(component: number, change: number): number {
    return Math.abs(change) * (component < 3 || component >= 6 ? this.length : 1);
  }

  private sweptOnce(at: Trial, share: number, columns: Columns): ReturnType<typeof sweep> {
    const { steps, sections } = this;
    return sweep({ steps, ...at, free: sections.free, loads: this.loadsOf(share) }, columns);
  }

  /** @throws NoRodEquilibrium */
  private swept(at: Trial, share: number, columns: Columns): Change {
    this.sweeps += 1;
    const found = this.sweptOnce(at, share, columns);
    if (!('singularAt' in found)) return found;
    throw new NoRodEquilibrium(share, `the rod gives way beyond ${found.singularAt} m`);
  }

  private moved({ strains }: Trial, change: Change, part: number): readonly Numbers[] {
    const { free } = this.sections;
    return strains.map((own, row) => {
      const next = [...own];
      free.forEach((c, i) => (next[c]! += part * change.strains[row]![i]![0]!));
      return next;
    });
  }

  /** Σ (f − Λ)² over lengths, with what each strain is worth. */
  private unbalance({ rod, balance }: Trial): number {
    const { free } = this.sections;
    const { method, nodes } = this.steps;
    return rod.rows.reduce((sum, here, row) => {
      const step = Math.floor(row / method.weights.length);
      const length = method.weights[row % method.weights.length]! * (nodes[step + 1]! - nodes[step]!);
      const load = loadOf(here);
      const left = balance.residual(row).map((e, i) => e - load[free[i]!]!);
      const divided = balance.factor(row)?.(left);
      if (!divided) return Infinity;
      return sum + length * left.reduce((total, e, i) => total + e * divided[i]!, 0);
    }, 0);
  }

  /** Along stable equilibria where they lead to the whole loads; else along any. @throws NoRodEquilibrium */
  private loaded(unloaded: Trial): Trial {
    const stable = this.followed(unloaded, true);
    const found = 'trial' in stable ? stable : this.followed(unloaded, false);
    if ('trial' in found) return found.trial;
    throw new NoRodEquilibrium(found.share, 'the path of equilibria cannot be followed further');
  }

  /** Loads at once, or by shares that grow; the share that was reached where they do not lead further. */
  private followed(unloaded: Trial, onlyStable: boolean): { readonly trial: Trial } | { readonly share: number } {
    let at = unloaded;
    let share = 0;
    let part = 1;
    while (share < 1) {
      const next = Math.min(1, share + part);
      this.sweeps = 0;
      const found = this.newton(at.strains, next);
      if (found && !(onlyStable && found.unstable)) {
        at = found.trial;
        share = next;
        part *= 2;
        continue;
      }
      part /= 2;
      if (part < LEAST_SHARE) return { share };
    }
    return { trial: at };
  }

  /** None where it does not converge. */
  private newton(
    start: readonly Numbers[],
    share: number,
  ): { readonly trial: Trial; readonly unstable: boolean } | undefined {
    const { free } = this.sections;
    let at = this.trial(start, share);
    let left = this.unbalance(at);
    for (let step = 0; step < MOST_SWEEPS; step++) {
      this.sweeps += 1;
      const change = this.sweptOnce(at, share, { correction: true, derivatives: false });
      if ('singularAt' in change) return undefined;
      const size = Math.max(
        0,
        ...change.strains.map((own) => Math.max(...own.map(([e], i) => this.scaled(free[i]!, e!)))),
      );
      let next: Trial | undefined;
      for (let halving = 0, part = 1; halving <= MOST_HALVINGS; halving++, part /= 2) {
        const trial = this.trial(this.moved(at, change, part), share);
        const unbalance = this.unbalance(trial);
        // Where rounding errors are all that is left, they may as well grow.
        if (!(unbalance < left) && !(size < CONVERGED)) continue;
        [next, left] = [trial, unbalance];
        break;
      }
      if (!next) return undefined;
      at = next;
      if (size < CONVERGED) return { trial: at, unstable: change.unstable.length > 0 };
    }
    return undefined;
  }

  private nodesOf(places: Numbers): readonly number[] {
    const found = places.map((s) => this.steps.nodes.indexOf(s));
    const outside = found.indexOf(-1);
    if (outside >= 0) throw new RangeError(`there is no rod at ${places[outside]!} m`);
    return found;
  }

  private profilesOf({ profiles, rod }: Trial, { end, states }: Change): readonly LoadedProfile[] {
    const nodes = this.nodesOf(this.request.places ?? []);
    return this.sections.profiles.map(({ name }, j) => {
      // The first column is the correction.
      const column = 1 + this.sections.coordinates + j;
      return {
        name,
        end: profiles.nodes.at(-1)![j]!,
        values: nodes.map((k) => profiles.nodes[k]![j]!),
        effort: -rod.nodes[0]!.p[j]!,
        byStart: end.map((row) => row[column]!),
        endByStart: states.at(-1)![4 + j]![column]!,
      };
    });
  }

  private loadsAt({ rod }: Trial, { states }: Change): LoadedRod['loads'] {
    const { coordinates } = this.sections;
    return this.nodesOf(this.request.places ?? []).map((k) => {
      const row = rowAt(rod, k);
      // The first column is the correction.
      const byCoordinate = states[k]!.map((entries) => entries.slice(1, 1 + coordinates));
      return { value: loadOf(row).slice(0, 6), byCoordinate: product(loadSlope(row).slice(0, 6), byCoordinate) };
    });
  }

  /** At the places that were asked for, from what is beyond them. */
  private strainsAt({ strains, profiles, rod }: Trial): readonly Numbers[] {
    const { places = [] } = this.request;
    const { method } = this.steps;
    if (places.length === 0) return [];
    const found = this.nodesOf(places);
    const loads = found.map((k) => loadOf(rowAt(rod, k)));
    const count = method.weights.length;
    const start = found.map((k) => strains[Math.min(count * k, strains.length - 1)]!);
    const at = Float64Array.from(places);
    const rest = this.sections.restAt(at);
    const { free } = this.sections;
    const begin = start.map((own, row) => own.map((e, c) => (free.includes(c) ? e : rest[row]![c]!)));
    const along = found.map((k) => profiles.nodes[k]!);
    return this.sectionsIn(at, begin, loads, along).map((own) => own.slice(0, 6));
  }
}
