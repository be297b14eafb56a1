/**
 * Sizes that robots hardly have: a number whose unit was left out, or is another one than was meant (`150` for `150 kPa`, mm for m, g/cm^3
 * without its unit). Bounds are far outside of what robots are made of, so that whoever means such a size is rarely asked.
 */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { SourceLocation } from '../../common/error.ts';
import type { RodVolume, Volume } from '../../description/model/reference-volume.ts';
import { sectionDimensions } from '../../description/model/reference-volume.ts';
import type { BodyType, Link, RigidBody, Robot } from '../../description/model/robot.ts';
import type { Warning } from '../../description/model/warnings.ts';
import { parametersAtDefaults, scalarsOf, type Scalars } from './bodies.ts';

/** Pa: gels have hundreds at least, diamond 1.2e12. */
const MODULUS = { least: 500, most: 2e12 } as const;
/** kg/m³: between the lightest foams and beyond osmium. */
const DENSITY = { least: 5, most: 25_000 } as const;
/** s: rubber has hundredths. */
const LONGEST_RETARDATION = 10;
/** m */
const LONGEST_ROD = 50;
/** Half of the section's largest size, as a share of the length of the rod. */
const WIDEST_SECTION = 5;
/** m: of the centre of mass from the origin, and of the radius of gyration. */
const LARGEST_BODY = 10;
/** Each body type once, in the first link that has it; none where the kind is silenced. */
export function suspectSizes(robot: Robot): readonly Warning[] {
  if (robot.silenced?.includes('unusual-size')) return [];
  const parameters = parametersAtDefaults(robot);
  const seen = new Set<BodyType>();
  const found = robot.links.flatMap((link) => {
    const { body, offset, mount } = link;
    const away = Math.max(
      ...[offset, mount].map(({ translation }) => Math.hypot(...evaluate(translation, parameters))),
    );
    if (away > LONGEST_ROD)
      return [
        {
          location: link.location,
          message: `\`${link.name}\` begins ${short(away)} m from its parent: is ${short(away)} mm intended?`,
        },
      ];
    if (body.kind === 'rigid') return rigidSizes(link, body, parameters);
    if (seen.has(body.type)) return [];
    seen.add(body.type);
    return bodySizes(body.type, scalarsOf(body, parameters));
  });
  return found.map(({ location, message }): Warning => ({ name: 'unusual-size', location, message }));
}

interface Doubt {
  readonly location: SourceLocation;
  readonly message: string;
}

function rigidSizes({ name, location }: Link, body: RigidBody, parameters: Scalars): Doubt[] {
  const [mass, ...numbers] = evaluate([body.mass, ...body.centreOfMass, ...body.inertia], parameters) as [number];
  const far = Math.hypot(...(numbers as number[]).slice(0, 3));
  const largest = Math.max(...(numbers as number[]).slice(3));
  const gyration = Math.sqrt(largest / mass);
  return [
    ...(far > LARGEST_BODY
      ? [
          {
            location,
            message: `the centre of mass of \`${name}\` is ${short(far)} m from its origin: is ${short(far)} mm intended?`,
          },
        ]
      : []),
    ...(mass > 0 && gyration > LARGEST_BODY
      ? [
          {
            location,
            message: `\`${name}\` has an inertia of ${short(largest)} kg m^2 with a mass of ${short(mass)} kg, as if that were ${short(gyration)} m away: is another unit intended, such as kg mm^2?`,
          },
        ]
      : []),
  ];
}

function bodySizes(type: BodyType, scalars: Scalars): Doubt[] {
  return type.volumes.flatMap((volume, i) => {
    const middle = middleOf(volume, scalars);
    const place = (formula: Expr): SourceLocation => placeOf(type, formula);
    const material = type.materials?.[i];
    const time = type.materials?.[i]?.damping?.retardationTime;
    return [
      ...(volume.kind === 'rod' ? rodSizes(type, volume, middle) : []),
      ...sizeOf(volume.density, middle, (density) =>
        density > 0 && !isBetween(density, DENSITY)
          ? `the density is ${short(density)} kg/m^3, and 1000 kg/m^3 that of water: is another unit intended, such as g/cm^3?`
          : undefined,
      ).map((message) => ({ location: place(volume.density), message })),
      ...(material?.law === 'rod-elasticity'
        ? sizeOf(material.youngsModulus, middle, (E) =>
            isBetween(E, MODULUS)
              ? undefined
              : `Young's modulus is ${short(E)} Pa, and that of soft rubber 1e5 Pa: is another unit intended, such as kPa?`,
          ).map((message) => ({ location: place(material.youngsModulus), message }))
        : []),
      ...(time
        ? sizeOf(time, middle, (seconds) =>
            seconds > LONGEST_RETARDATION
              ? `the retardation time is ${short(seconds)} s, so that the body creeps: is ${short(seconds)} ms intended?`
              : undefined,
          ).map((message) => ({ location: place(time), message }))
        : []),
    ];
  });
}

/** Where a formula was written, or the parameter that it is. */
function placeOf({ provenance, parameters, locations }: BodyType, formula: Expr): SourceLocation {
  const parameter = parameters.find(({ symbol }) => symbol === formula);
  const written = parameter ? provenance.locationOfParameter(parameter.name) : provenance.locationOf(formula);
  return written ?? locations.volume;
}

function rodSizes(type: BodyType, { start, end, shape }: RodVolume, middle: Scalars): Doubt[] {
  const [from, to, ...sizes] = evaluate([start, end, ...sectionDimensions(shape)], middle) as [number, number];
  const length = to - from;
  const half = Math.max(...(sizes as number[])) / (shape.shape === 'rectangle' ? 2 : 1);
  if (length > LONGEST_ROD)
    return [
      {
        location: placeOf(type, end),
        message: `the rod \`${type.name}\` is ${short(length)} m long: is ${short(length)} mm intended?`,
      },
    ];
  if (half <= WIDEST_SECTION * length) return [];
  return [
    {
      location: placeOf(type, sectionDimensions(shape).at(-1)!),
      message: `the section of \`${type.name}\` reaches ${short(half)} m from its middle, and the rod is ${short(length)} m long: is another unit intended, such as mm?`,
    },
  ];
}

/** A doubt about the value of a formula in the middle of a volume, where it has one there. */
function sizeOf(formula: Expr, middle: Scalars, doubt: (value: number) => string | undefined): string[] {
  if (freeSymbols([formula]).some((s) => !middle.has(s))) return [];
  const message = doubt(evaluate([formula], middle)[0]!);
  return message === undefined ? [] : [message];
}

/** Rods have a middle; formulas over coordinates across them, and over those of other volumes, are left alone. */
function middleOf(volume: Volume, scalars: Scalars): Scalars {
  if (volume.kind !== 'rod') return scalars;
  const [start, end] = evaluate([volume.start, volume.end], scalars) as [number, number];
  return new Map(scalars).set(volume.axial, (start + end) / 2);
}

const isBetween = (x: number, { least, most }: { readonly least: number; readonly most: number }): boolean =>
  x >= least && x <= most;

const short = (x: number): string => String(Number(x.toPrecision(4)));
