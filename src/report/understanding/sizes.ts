/**
 * Sizes that robots hardly have: a number whose unit was left out, or is another one than was meant (`150` for `150 kPa`, mm for m, g/cm^3
 * without its unit). Bounds are far outside of what robots are made of, so that whoever means such a size is rarely asked.
 */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import { differentiate } from '../../symbolic/graph/differentiate.ts';
import type { SourceLocation } from '../../common/error.ts';
import type { ContactLaw } from '../../description/model/contact.ts';
import type { RodVolume, Volume } from '../../description/model/reference-volume.ts';
import { sectionDimensions } from '../../description/model/reference-volume.ts';
import type { BodyType, Joint, Link, RigidBody, Robot } from '../../description/model/robot.ts';
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
/** m per revolution. */
const LONGEST_PITCH = 2;
/** Pa: balloons have hundreds. */
const LEAST_PRESSURE = 20;
/** Racing tyres have 2. */
const MOST_FRICTION = 5;

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
    if (body.kind === 'rigid') return [...jointSizes(link, parameters), ...rigidSizes(link, body, parameters)];
    if (seen.has(body.type)) return jointSizes(link, parameters);
    seen.add(body.type);
    const place = (formula: Expr, key: string): SourceLocation => placeOf(robot, link, body.type, formula, key);
    return [...jointSizes(link, parameters), ...bodySizes(body.type, scalarsOf(body, parameters), place)];
  });
  const all = [...found, ...pressureSizes(robot), ...frictionSizes(robot, parameters)];
  // Types that extend another one share what it says.
  const unique = new Map(all.map((own) => [`${JSON.stringify(own.location)} ${own.message}`, own]));
  return [...unique.values()].map(({ location, message }): Warning => ({ name: 'unusual-size', location, message }));
}

function jointSizes({ name, joint, location }: Link, parameters: Scalars): Doubt[] {
  if (joint.type !== 'helical' || joint.prescribed) return [];
  const [{ symbol }] = joint.coordinates as [Joint['coordinates'][0]];
  const rates = joint.motions.flatMap((motion) =>
    motion.kind === 'translation' ? motion.displacement.map((x) => differentiate(x, symbol)) : [],
  );
  const pitch = 2 * Math.PI * Math.hypot(...evaluate(rates, parameters));
  if (pitch <= LONGEST_PITCH) return [];
  const message = `\`${name}\` moves ${short(pitch)} m in a revolution: is ${short(pitch)} mm intended?`;
  return [{ location, message }];
}

function pressureSizes({ actuators }: Robot): Doubt[] {
  return actuators.flatMap(({ name, kind, lower = 0, upper = 0, location }) => {
    const most = Math.max(Math.abs(lower), Math.abs(upper));
    if (kind !== 'pressure' || most === 0 || most >= LEAST_PRESSURE) return [];
    const message = `\`${name}\` has ${short(most)} Pa at most, and the air around it 1e5 Pa: is another unit intended, such as bar?`;
    return [{ location, message }];
  });
}

function frictionSizes({ links, touching = [] }: Robot, parameters: Scalars): Doubt[] {
  const contacts: { readonly name: string; readonly law: ContactLaw; readonly location: SourceLocation }[] = [
    ...links.flatMap(({ contacts: own = [] }) => own),
    ...touching,
  ];
  return contacts.flatMap(({ name, law: { friction }, location }) => {
    if (!friction || freeSymbols([friction.coefficient]).some((s) => !parameters.has(s))) return [];
    const [coefficient] = evaluate([friction.coefficient], parameters) as [number];
    if (coefficient <= MOST_FRICTION) return [];
    const message = `the coefficient of friction of \`${name}\` is ${short(coefficient)}, and that of rubber about 1: is a share intended?`;
    return [{ location, message }];
  });
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

/** Where a formula was written, which is the value of this key. */
type PlaceOf = (formula: Expr, key: string) => SourceLocation;

function bodySizes(type: BodyType, scalars: Scalars, place: PlaceOf): Doubt[] {
  return type.volumes.flatMap((volume, i) => {
    const middle = middleOf(volume, scalars);
    const material = type.materials?.[i];
    const time = type.materials?.[i]?.damping?.retardationTime;
    return [
      ...(volume.kind === 'rod' ? rodSizes(type, volume, middle, place) : []),
      ...sizeOf(volume.density, middle, (density) =>
        density > 0 && !isBetween(density, DENSITY)
          ? `the density is ${short(density)} kg/m^3, and 1000 kg/m^3 that of water: is another unit intended, such as g/cm^3?`
          : undefined,
      ).map((message) => ({ location: place(volume.density, 'density'), message })),
      ...(material?.law === 'rod-elasticity'
        ? sizeOf(material.youngsModulus, middle, (E) =>
            isBetween(E, MODULUS)
              ? undefined
              : `Young's modulus is ${short(E)} Pa, and that of soft rubber 1e5 Pa: is another unit intended, such as kPa?`,
          ).map((message) => ({ location: place(material.youngsModulus, 'E'), message }))
        : []),
      ...(time
        ? sizeOf(time, middle, (seconds) =>
            seconds > LONGEST_RETARDATION
              ? `the retardation time is ${short(seconds)} s, so that the body creeps: is ${short(seconds)} ms intended?`
              : undefined,
          ).map((message) => ({ location: place(time, 'retardation-time'), message }))
        : []),
    ];
  });
}

/** Where the link gives a parameter that the formula has, else where the type has the parameter that it is, or the formula. */
function placeOf(robot: Robot, link: Link, type: BodyType, formula: Expr, key: string): SourceLocation {
  const { provenance, parameters, locations } = type;
  const symbols = new Set<Expr>(freeSymbols([formula]));
  const own = parameters.filter(({ symbol }) => symbols.has(symbol));
  for (const { name } of own) {
    const given = robot.provenance.locationWithin(link.location, `parameters.${name}`);
    if (given) return given;
  }
  const written =
    own[0]?.symbol === formula
      ? provenance.locationOfParameter(own[0].name)
      : (provenance.locationOfValue(formula, key) ?? provenance.locationOf(formula));
  return written ?? locations.volume;
}

function rodSizes(type: BodyType, { start, end, shape }: RodVolume, middle: Scalars, place: PlaceOf): Doubt[] {
  const [from, to, ...sizes] = evaluate([start, end, ...sectionDimensions(shape)], middle) as [number, number];
  const length = to - from;
  const half = Math.max(...(sizes as number[])) / (shape.shape === 'rectangle' ? 2 : 1);
  if (length > LONGEST_ROD)
    return [
      {
        location: place(end, 's'),
        message: `the rod \`${type.name}\` is ${short(length)} m long: is ${short(length)} mm intended?`,
      },
    ];
  if (half <= WIDEST_SECTION * length) return [];
  return [
    {
      location: place(sectionDimensions(shape).at(-1)!, shape.shape),
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
