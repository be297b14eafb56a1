/**
 * Triangles of COLLADA files (1.4, 1.5): geometries as the visual scene places them, in metres, z upwards. Triangles, polygons and lists of
 * polygons are read, with the vertex places of their first set; materials, animations and controllers are not.
 */
import { SaxesParser } from 'saxes';
import { DamagedMesh, MOST_TRIANGLES, type Triangles } from './triangles.ts';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Rows of an affine map, three of four. */
type Affine = readonly number[];
const IDENTITY: Affine = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
/** Nodes within each other. */
const DEEPEST = 200;

/** @throws DamagedMesh */
export function colladaTriangles(text: string): Triangles {
  const root = elementsOf(text);
  if (root.name !== 'COLLADA') throw new DamagedMesh('it is XML, and no COLLADA');
  const reader = new Reader(root);
  return reader.read();
}

function elementsOf(text: string): Element {
  const parser = new SaxesParser();
  const top: Element = { name: '', attributes: {}, children: [], text: '' };
  const open: Element[] = [top];
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes: { ...attributes }, children: [], text: '' };
    open[open.length - 1]!.children.push(element);
    open.push(element);
  });
  parser.on('text', (own) => (open[open.length - 1]!.text += own));
  parser.on('closetag', () => open.pop());
  parser.on('error', (error) => {
    throw new DamagedMesh(`it is damaged XML: ${error.message}`);
  });
  parser.write(text.replace(/^\uFEFF/, '')).close();
  const [root] = top.children;
  if (!root) throw new DamagedMesh('it is empty');
  return root;
}

const numbersOf = (text: string): number[] => (text.trim() === '' ? [] : text.trim().split(/\s+/).map(Number));
const childrenOf = (element: Element | undefined, name: string): Element[] =>
  element?.children.filter((own) => own.name === name) ?? [];
const childOf = (element: Element | undefined, name: string): Element | undefined => childrenOf(element, name)[0];

class Reader {
  private readonly root: Element;
  private readonly byId = new Map<string, Element>();
  private readonly position: number[] = [];
  private readonly triangles: number[] = [];

  constructor(root: Element) {
    this.root = root;
    const note = (element: Element): void => {
      const { id } = element.attributes;
      if (id !== undefined) this.byId.set(id, element);
      element.children.forEach(note);
    };
    note(root);
  }

  read(): Triangles {
    const { root } = this;
    const asset = childOf(root, 'asset');
    const metre = Number(childOf(asset, 'unit')?.attributes['meter'] ?? 1);
    const up = childOf(asset, 'up_axis')?.text.trim() ?? 'Y_UP';
    const scene = this.named(childOf(childOf(root, 'scene'), 'instance_visual_scene')?.attributes['url']);
    const upright = scaled(turnUpwards(up), metre);
    if (scene) for (const node of childrenOf(scene, 'node')) this.node(node, upright, 0);
    else
      for (const geometry of childrenOf(childOf(root, 'library_geometries'), 'geometry'))
        this.geometry(geometry, upright);
    return { position: this.position, triangles: this.triangles };
  }

  private named(url: string | undefined): Element | undefined {
    return url === undefined ? undefined : this.byId.get(url.replace(/^#/, ''));
  }

  private node(node: Element, above: Affine, depth: number): void {
    if (depth > DEEPEST) throw new DamagedMesh('its nodes hold each other');
    const own = node.children.reduce((map, step) => product(map, stepOf(step)), above);
    for (const { attributes } of childrenOf(node, 'instance_geometry')) {
      const geometry = this.named(attributes['url']);
      if (geometry) this.geometry(geometry, own);
    }
    for (const inner of childrenOf(node, 'node')) this.node(inner, own, depth + 1);
    for (const { attributes } of childrenOf(node, 'instance_node')) {
      const other = this.named(attributes['url']);
      if (other) this.node(other, own, depth + 1);
    }
  }

  private geometry(geometry: Element, map: Affine): void {
    for (const mesh of childrenOf(geometry, 'mesh'))
      for (const part of mesh.children)
        if (['triangles', 'polylist', 'polygons'].includes(part.name)) this.part(part, map);
  }

  private part(part: Element, map: Affine): void {
    const inputs = childrenOf(part, 'input').map(({ attributes }) => attributes);
    const vertex = inputs.find(({ semantic }) => semantic === 'VERTEX');
    const vertices = this.named(vertex?.['source']);
    const source = this.named(
      childrenOf(vertices, 'input').find(({ attributes }) => attributes['semantic'] === 'POSITION')?.attributes[
        'source'
      ],
    );
    if (!source) throw new DamagedMesh('its triangles have no places of vertices');
    const places = numbersOf(childOf(source, 'float_array')?.text ?? '');
    const accessor = childOf(childOf(source, 'technique_common'), 'accessor')?.attributes;
    const [stride, first] = [Number(accessor?.['stride'] ?? 3), Number(accessor?.['offset'] ?? 0)];
    const width = 1 + Math.max(...inputs.map(({ offset }) => Number(offset ?? 0)));
    const from = Number(vertex?.['offset'] ?? 0);
    const base = this.position.length / 3;
    const count = Math.floor((places.length - first) / stride);
    for (let i = 0; i < count; i++) {
      const at = first + stride * i;
      this.position.push(...applied(map, places.slice(at, at + 3)));
    }
    const lists = childrenOf(part, 'p').map(({ text }) => numbersOf(text));
    for (const list of lists) {
      const corners = Array.from({ length: Math.floor(list.length / width) }, (_, i) => base + list[width * i + from]!);
      const sizes =
        part.name === 'polylist'
          ? numbersOf(childOf(part, 'vcount')?.text ?? '')
          : part.name === 'polygons'
            ? [corners.length]
            : Array.from({ length: Math.floor(corners.length / 3) }, () => 3);
      let at = 0;
      for (const size of sizes) {
        for (let k = 1; k + 1 < size; k++) this.triangles.push(corners[at]!, corners[at + k]!, corners[at + k + 1]!);
        at += size;
      }
      if (at > corners.length) throw new DamagedMesh('it is cut off within a list of polygons');
      if (this.triangles.length > 3 * MOST_TRIANGLES) return;
    }
  }
}

/** To z upwards. */
function turnUpwards(up: string): Affine {
  if (up === 'Z_UP') return IDENTITY;
  if (up === 'X_UP') return [0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0];
  return [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0];
}

const scaled = (map: Affine, by: number): Affine => map.map((entry) => by * entry);

/** What one step of a node does; elements that are no step do nothing. */
function stepOf({ name, text }: Element): Affine {
  const numbers = (count: number): number[] => {
    const found = numbersOf(text);
    if (found.length < count) throw new DamagedMesh(`<${name}> has ${found.length} numbers of ${count}`);
    return found;
  };
  switch (name) {
    case 'matrix':
      return numbers(16).slice(0, 12);
    case 'translate': {
      const [x, y, z] = numbers(3);
      return [1, 0, 0, x!, 0, 1, 0, y!, 0, 0, 1, z!];
    }
    case 'scale': {
      const [x, y, z] = numbers(3);
      return [x!, 0, 0, 0, 0, y!, 0, 0, 0, 0, z!, 0];
    }
    case 'rotate': {
      const [x, y, z, degrees] = numbers(4) as [number, number, number, number];
      const size = Math.hypot(x, y, z) || 1;
      const [u, v, w] = [x / size, y / size, z / size];
      const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
      const d = 1 - c;
      return [
        ...[c + u * u * d, u * v * d - w * s, u * w * d + v * s, 0],
        ...[v * u * d + w * s, c + v * v * d, v * w * d - u * s, 0],
        ...[w * u * d - v * s, w * v * d + u * s, c + w * w * d, 0],
      ];
    }
    default:
      return IDENTITY;
  }
}

function product(a: Affine, b: Affine): Affine {
  return Array.from({ length: 12 }, (_, i) => {
    const [row, column] = [4 * Math.floor(i / 4), i % 4];
    const sum = [0, 1, 2].reduce((all, k) => all + a[row + k]! * b[4 * k + column]!, 0);
    return column === 3 ? sum + a[row + 3]! : sum;
  });
}

const applied = (map: Affine, point: readonly number[]): number[] =>
  [0, 4, 8].map((row) => map[row]! * point[0]! + map[row + 1]! * point[1]! + map[row + 2]! * point[2]! + map[row + 3]!);
