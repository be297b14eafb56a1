/**
 * Bodies of modes over the nodes of a mesh, as finite-element programs compute them: p = X + Σ φ_a(X) q_a + Σ φ_ab(X) q_a q_b, with
 * functions that are linear in every tetrahedron. Nothing else is particular about them: they are bodies by position.
 */
import { host } from '#host';
import { meshFields } from '../../mesh/element-fields.ts';
import { readModes as readNodalModes } from '../../mesh/modes.ts';
import { plus, times, type Expr } from '../../symbolic/graph/expr.ts';
import { ONE } from '../../symbolic/graph/rational.ts';
import { vector3, type Vector3 } from '../../symbolic/graph/vector.ts';
import type { RawModes } from '../language/schema.ts';
import type { MeshVolume } from '../model/reference-volume.ts';
import type { BodyCoordinate } from '../model/robot.ts';
import type { SourceFiles } from '../source/files.ts';
import { within, type Place } from '../source/source.ts';
import { cartesianCoordinates, meshScale, type VolumeReading, type Written } from '../volumes/volume.ts';

interface ModesContext {
  readonly place: Place;
  readonly keys: ReadonlyMap<string, Written>;
  readonly volumes: readonly VolumeReading[];
  readonly coordinates: readonly BodyCoordinate[];
  readonly files: SourceFiles;
}

/**
 * @returns the volume with its modes, and where its points go.
 * @throws KanegenError `bad-modes`, `missing-file` at the file; `wrong-volume`, `not-supported`.
 */
export function readModes(
  { value, place }: Written<RawModes>,
  { keys, volumes, coordinates, files }: ModesContext,
): { readonly reading: VolumeReading; readonly position: Vector3 } {
  const [reading, other] = volumes;
  const { volume } = reading!;
  if (other || volume.kind !== 'mesh')
    throw (other ?? reading!).place.error(
      'wrong-volume',
      '`modes` move the nodes of one mesh',
      'write `volume: { mesh: { file: body.msh }, density: … }`',
    );
  if (keys.has('chambers'))
    throw keys
      .get('chambers')!
      .place.keyError(
        'not-supported',
        'chambers in a body with modes are not supported',
        'remove them; forces on the body can hold on to frames within it, `frames: { tip: { at: … } }`',
      );
  const { file, unit } = typeof value === 'string' ? { file: value } : value;
  const at = typeof value === 'string' ? place : place.at('file');
  const { numerator, denominator } = unit === undefined ? ONE : meshScale(place.at('unit'), unit);
  const scale = Number(numerator) / Number(denominator);
  const bytes = files.bytes(at, file);
  const { mesh, axes } = volume;
  const modes = within(at, () =>
    readNodalModes(bytes, { file: host.paths.basename(file), mesh, coordinates: coordinates.length, scale }),
  );
  const parts = modes.flatMap(({ coordinates: of, values }) =>
    ['x', 'y', 'z'].flatMap((axis, i) => {
      const field = values.filter((_, k) => k % 3 === i);
      const name = `mode_${of.map((a) => a + 1).join('_')}_${axis}`;
      return field.some((own) => own !== 0) ? [{ axis: i, name, of, field }] : [];
    }),
  );
  const fields = meshFields(mesh, axes, new Map(parts.map(({ name, field }) => [name, field])));
  const terms = parts.map(({ axis, of }, k): { readonly axis: number; readonly term: Expr } => ({
    axis,
    term: times(fields.formulas[k]!, ...of.map((a) => coordinates[a]!.symbol)),
  }));
  const position = cartesianCoordinates(volume).map((own) => {
    const axis = axes.findIndex((e) => e === own);
    return plus(own, ...terms.filter((part) => part.axis === axis).map(({ term }) => term));
  });
  const moved: MeshVolume = { ...volume, fields };
  return { reading: { ...reading!, volume: moved }, position: vector3(position) };
}
