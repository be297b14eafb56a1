/** What URDF files show of their links: `<visual>` by meshes, boxes, cylinders and spheres; what is missing or damaged is said. */
import { composed, movedPoints, poseOf, rotationOfAngles, type Pose } from '../../common/poses.ts';
import { triple } from '../../common/tuples.ts';
import { KanegenError } from '../../common/error.ts';
import type { Robot } from '../../description/model/robot.ts';
import { host } from '#host';
import { UnreadableFile } from '../../host/host.ts';
import { MOST_BYTES, readRegularText } from '../../description/source/read-file.ts';
import { xmlDocument, type XmlElement } from '../../description/imported/xml-document.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { frameEntries } from '../../symbolic/graph/vector.ts';
import { coarseTriangles } from '../volume-surface.ts';
import { meshOf } from './mesh-file.ts';
import { box, capsule, cylinder, DamagedMesh, sphere, type Triangles } from './triangles.ts';

const { paths: path } = host;

/** One visual, in the axes of the distal frame of a link of the robot. */
interface Visual extends Triangles {
  readonly name: string;
  /** −1: the base. */
  readonly link: number;
  /** As `#rrggbb`. */
  readonly colour?: string;
}

/** Vertices of one visual, and of a whole robot. */
const ENOUGH = 6_000;
const ENOUGH_IN_ALL = 60_000;

/** @param parameters run-time parameters of the robot. */
export function urdfVisuals(
  robot: Robot,
  parameters: ReadonlyMap<Expr, number>,
): {
  readonly visuals: readonly Visual[];
  /** Links that have to be drawn in another way, wholly or in part. */
  readonly unseen: ReadonlySet<number>;
  readonly notes: readonly string[];
} {
  const places = robot.urdf ?? [];
  const enough = Math.min(ENOUGH, Math.floor(ENOUGH_IN_ALL / Math.max(1, places.length)));
  const files = new Map<string, UrdfFile | undefined>();
  const visuals: Visual[] = [];
  const missing: string[] = [];
  const unseen = new Set<number>();
  let coarsened = 0;
  for (const { file, name, link, offset } of places) {
    if (!files.has(file)) files.set(file, openUrdf(robot, file));
    const pose = evaluate(frameEntries(offset), parameters);
    for (const element of files.get(file)?.visualsOf(name) ?? [])
      try {
        const { position, triangles } = files.get(file)!.solidOf(element);
        const kept = coarseTriangles(triangles, position, enough);
        if (kept !== triangles) coarsened++;
        const colour = files.get(file)!.colourOf(element);
        const own = trimmed(movedPoints(composed(pose, originOf(element)), position), kept);
        visuals.push({ name, link, ...own, ...(colour !== undefined && { colour }) });
      } catch (error) {
        if (!(error instanceof DamagedMesh)) throw error;
        missing.push(`${name}: ${error.message}`);
        unseen.add(link);
      }
  }
  const notes = [
    ...(missing.length > 0
      ? [`${missing[0]!}${missing.length > 1 ? `, and ${missing.length - 1} more` : ''}; drawn by simple parts instead`]
      : []),
    ...(coarsened > 0 ? [`${coarsened} ${coarsened === 1 ? 'mesh is' : 'meshes are'} drawn coarser`] : []),
  ];
  return { visuals, unseen, notes };
}

/** The vertices that triangles have. */
function trimmed(position: ArrayLike<number>, triangles: readonly number[]): Triangles {
  const used = [...new Set(triangles)];
  const index = new Map(used.map((vertex, i) => [vertex, i]));
  return {
    position: used.flatMap((vertex) => [0, 1, 2].map((axis) => Number(position[3 * vertex + axis]!.toPrecision(6)))),
    triangles: triangles.map((vertex) => index.get(vertex)!),
  };
}

function openUrdf({ source }: Robot, shown: string): UrdfFile | undefined {
  const read = source.read?.find((own) => path.basename(own.path) === path.basename(shown));
  if (!read) return undefined;
  try {
    const text = readRegularText(read.path, MOST_BYTES.urdf);
    return new UrdfFile(read.path, xmlDocument(text, shown).root);
  } catch (error) {
    // The robot was read from it: what has become of it since is told where it is read again.
    if (error instanceof UnreadableFile || error instanceof KanegenError) return undefined;
    throw error;
  }
}

const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((own) => own.name === name);

function numbersOf(element: XmlElement | undefined, name: string, count: number, standard: number): number[] {
  const text = element?.attribute(name);
  if (text === undefined) return Array.from({ length: count }, () => standard);
  const numbers = text.trim().split(/\s+/).map(Number);
  if (numbers.length !== count || !numbers.every(Number.isFinite))
    throw new DamagedMesh(`${name}="${text}" are not ${count} numbers`);
  return numbers;
}

function originOf(visual: XmlElement): Pose {
  const origin = childOf(visual, 'origin');
  return poseOf(rotationOfAngles(numbersOf(origin, 'rpy', 3, 0)), numbersOf(origin, 'xyz', 3, 0));
}

class UrdfFile {
  private readonly folder: string;
  private readonly root: XmlElement;
  private readonly meshes = new Map<string, Triangles | DamagedMesh>();

  constructor(file: string, root: XmlElement) {
    this.folder = path.dirname(file);
    this.root = root;
  }

  visualsOf(link: string): readonly XmlElement[] {
    const own = this.root.children.find((element) => element.name === 'link' && element.attribute('name') === link);
    return own?.children.filter(({ name }) => name === 'visual') ?? [];
  }

  /** @throws DamagedMesh */
  solidOf(visual: XmlElement): Triangles {
    const [shape] = childOf(visual, 'geometry')?.children ?? [];
    const size = (name: string): number => numbersOf(shape, name, 1, NaN)[0]!;
    switch (shape?.name) {
      case 'box':
        return box(triple(numbersOf(shape, 'size', 3, NaN)));
      case 'cylinder':
        return cylinder(size('radius'), size('length') / 2);
      case 'capsule':
        return capsule(size('radius'), size('length') / 2);
      case 'sphere':
        return sphere(size('radius'));
      case 'mesh': {
        const name = shape.attribute('filename') ?? shape.attribute('uri') ?? '';
        const scale = numbersOf(shape, 'scale', 3, 1);
        const { position, triangles } = this.mesh(name);
        return { position: position.map((x, i) => x * scale[i % 3]!), triangles };
      }
      case undefined:
      default:
        throw new DamagedMesh('its visual has no known geometry');
    }
  }

  /** Its own, or that of the material of the robot that it names. */
  colourOf(visual: XmlElement): string | undefined {
    const material = childOf(visual, 'material');
    const named = this.root.children.find(
      (own) => own.name === 'material' && own.attribute('name') === material?.attribute('name'),
    );
    const rgba = (childOf(material, 'color') ?? childOf(named, 'color'))?.attribute('rgba')?.trim().split(/\s+/);
    const shares = rgba?.slice(0, 3).map(Number);
    if (shares?.length !== 3 || !shares.every(Number.isFinite)) return undefined;
    const part = (share: number): string => Math.round(255 * Math.min(1, Math.max(0, share))).toString(16).padStart(2, '0'); // prettier-ignore
    return `#${shares.map(part).join('')}`;
  }

  private mesh(name: string): Triangles {
    let known = this.meshes.get(name);
    if (!known) {
      known = this.readMesh(name);
      this.meshes.set(name, known);
    }
    if (known instanceof DamagedMesh) throw known;
    return known;
  }

  private readMesh(name: string): Triangles | DamagedMesh {
    const file = this.candidates(name).find((candidate) => host.exists(candidate));
    if (file === undefined) return new DamagedMesh(`${name} is nowhere beside the URDF file`);
    try {
      return meshOf(file, host.readFile(file, MOST_BYTES.data));
    } catch (error) {
      if (error instanceof UnreadableFile || error instanceof DamagedMesh)
        return new DamagedMesh(`${path.basename(file)}: ${error.message}`);
      throw error;
    }
  }

  /** Where a mesh may be: beside the file, or in the folder of its package, which is one of those around it or beside these. */
  private candidates(name: string): string[] {
    const [, scheme, rest = name] = /^([a-z]+):\/\/(.*)$/i.exec(name) ?? [];
    if (scheme === 'http' || scheme === 'https') return [];
    if (scheme === 'file') return [rest];
    const [pack, ...inside] = rest.split('/');
    const around: string[] = [];
    for (let folder = this.folder; !around.includes(folder); folder = path.dirname(folder)) around.push(folder);
    return [
      path.resolve(this.folder, rest),
      ...around.flatMap((folder) => [
        ...(path.basename(folder) === pack ? [path.join(folder, ...inside)] : []),
        path.join(folder, rest),
        ...(scheme === undefined ? [] : [path.join(folder, ...inside)]),
      ]),
    ];
  }
}
