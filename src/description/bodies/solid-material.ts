/**
 * Materials of solids: the energy that a volume stores, as a law of the library or as a formula, and viscosity.
 * F = ∂p/∂X is the deformation gradient, C = FᵀF, e = ½(C − 1) the strain of Green and Lagrange in Cartesian axes of the
 * reference volume (x, y across and z along a rod).
 */
import * as z from 'zod';
import { foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import { library } from '../../library/index.ts';
import type { RawMaterial } from '../language/schema.ts';
import { STRAIN_MEASURES, type SolidMaterial } from '../model/material.ts';
import { Place, yamlDocument, type SourceDocument } from '../source/source.ts';
import type { Requirement } from '../values/requirement.ts';
import { dues, readAny, readScalar, Scope, type Due, type RawValue } from '../values/scope.ts';
import { dimensionless, parseUnit } from '../values/units.ts';
import type { Caution } from './caution.ts';
import { cautionOfLocking } from './locking.ts';
import { cautionOfStress } from './stress-at-rest.ts';

const definitionSchema = z.strictObject({
  material: z.string(),
  summary: z.string(),
  parameters: z.record(
    z.string(),
    z.strictObject({
      unit: z.string(),
      summary: z.string(),
      /** Bounds that the value stays away from, or may reach. */
      above: z.number().optional(),
      below: z.number().optional(),
      from: z.number().optional(),
    }),
  ),
  let: z.record(z.string(), z.string()).optional(),
  energy: z.string(),
});
type Definition = z.infer<typeof definitionSchema>;

const definitions = new Map<string, { readonly definition: Definition; readonly document: SourceDocument }>();

function definitionOf(name: string): { readonly definition: Definition; readonly document: SourceDocument } {
  const known = definitions.get(name);
  if (known) return known;
  const file = library.material(name)!;
  const document = yamlDocument(file.text, file.file);
  const found = { definition: definitionSchema.parse(document.data), document };
  definitions.set(name, found);
  return found;
}

const ENERGY: Due = { what: 'the energy of a unit volume', dimension: [1, -1, -2, 0, 0] };

export interface SolidReading {
  readonly solid: SolidMaterial;
  readonly cautions: readonly Caution[];
  readonly requirements: readonly Requirement[];
}

/** The keys of `material` that name a law for solids. */
export function solidLaws(): readonly string[] {
  return [...library.materialNames(), 'energy'];
}

/**
 * @param law one of `solidLaws`.
 * @param parameters of the body type.
 * @throws KanegenError `missing-parameter`, `unknown-key`, `wrong-value`, or what reading values throws.
 */
export function readSolidMaterial(place: Place, raw: RawMaterial, law: string, parameters: Scope): SolidReading {
  const requirements: Requirement[] = [];
  const value = (raw as Record<string, unknown>)[law];
  const energy =
    law === 'energy'
      ? readEnergy(place.at('energy'), value as RawValue, withMeasures(new Scope(parameters)))
      : lawEnergy(place.at(law), value, law, parameters, requirements);
  const cautions = [cautionOfStress, cautionOfLocking].map((caution) => caution(place.at(law), { name: law, energy }));
  if (raw.viscosity === undefined) return { solid: { name: law, energy }, cautions, requirements };
  const at = place.at('viscosity');
  const viscosity = readScalar(at, raw.viscosity, dues.viscosity, parameters).value;
  requirements.push(bounded(at, viscosity, 'the viscosity', { from: 0 }));
  return { solid: { name: law, energy, viscosity }, cautions, requirements };
}

function readEnergy(place: Place, raw: RawValue, scope: Scope): Expr {
  const energy = readScalar(place, raw, ENERGY, scope).value;
  const measures = new Set<Expr>(Object.values(STRAIN_MEASURES));
  if (freeSymbols([energy]).some((name) => measures.has(name))) return energy;
  throw place.error(
    'wrong-value',
    'this energy does not depend on the strain',
    `write it in ${Object.keys(STRAIN_MEASURES).slice(0, 5).join(', ')} or the entries e_xx, e_xy, …`,
  );
}

function lawEnergy(place: Place, raw: unknown, law: string, parameters: Scope, requirements: Requirement[]): Expr {
  const { definition, document } = definitionOf(law);
  const names = Object.keys(definition.parameters);
  const example = `write \`${law}: { ${names.map((name) => `${name}: …`).join(', ')} }\``;
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw place.error('wrong-shape', `\`${law}\` needs its parameters by name`, example);
  const given = raw as Record<string, unknown>;
  for (const key of Object.keys(given))
    if (!names.includes(key)) {
      const close = nearest(key, names);
      throw place
        .at(key)
        .keyError('unknown-key', `unknown key \`${key}\``, close ? `did you mean \`${close}\`?` : example);
    }
  const scope = new Scope();
  for (const [name, { unit, summary, ...bounds }] of Object.entries(definition.parameters)) {
    const own = given[name];
    if (own === undefined) throw place.error('missing-parameter', `\`${law}\` needs \`${name}\`, ${summary}`, example);
    const at = place.at(name);
    if (typeof own !== 'number' && typeof own !== 'string') throw at.error('wrong-shape', `${summary} takes one value`);
    const { dimension } = parseUnit(unit);
    const { value } = readScalar(at, own, { what: summary, dimension }, parameters);
    scope.define(name, value, dimension);
    const requirement = bounded(at, value, summary, bounds);
    // Formulas of the law may have no value beyond the bounds: numbers are looked at before.
    const number = freeSymbols([value]).length === 0 ? foldConstant(value) : undefined;
    if (number !== undefined && !requirement.holds(number))
      throw at.error(requirement.code, requirement.message(number), requirement.remedy);
    requirements.push(requirement);
  }
  for (const [name, formula] of Object.entries(definition.let ?? {})) {
    const { value, dimension } = readAny(new Place(document, ['let', name]), formula, scope);
    scope.define(name, value, dimension);
  }
  return readEnergy(new Place(document, ['energy']), definition.energy, withMeasures(scope));
}

/** Names of strain measures mean these, unless the type calls something else so. */
function withMeasures(scope: Scope): Scope {
  for (const [name, own] of Object.entries(STRAIN_MEASURES))
    if (!scope.find(name)) scope.imply(name, own, dimensionless);
  return scope;
}

interface Bounds {
  readonly above?: number | undefined;
  readonly below?: number | undefined;
  readonly from?: number | undefined;
}

function bounded(place: Place, value: Expr, what: string, { above, below, from }: Bounds): Requirement {
  const texts = [
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(from === undefined ? [] : [`of ${from} or more`]),
    ...(below === undefined ? [] : [`below ${below}`]),
  ];
  return {
    place,
    value,
    holds: (number) =>
      (above === undefined || number > above) &&
      (from === undefined || number >= from) &&
      (below === undefined || number < below),
    code: 'wrong-value',
    message: (number) => `${what} is ${number}`,
    remedy: `write a value ${texts.join(' and ')}`,
  };
}
