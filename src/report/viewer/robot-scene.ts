/** The robot in space: surfaces of its bodies, tendons, rigid parts, the trace of its tip, world axes, and a floor with its shadow. */
import {
  AxesHelper,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  DirectionalLight,
  DoubleSide,
  GridHelper,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PerspectiveCamera,
  PlaneGeometry,
  Scene,
  ShadowMaterial,
  SphereGeometry,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Bounds, Structure, Triple } from './animation-data.ts';
import { Tube } from './tube.ts';

const COLOURS = ['#4c8bc0', '#e08a4f', '#5aa88a', '#c58fb4', '#d9ac46', '#7fb8de'];
const CORDS = ['#1b2a41', '#8e2c48', '#1d6b4f', '#5b3a8e', '#8a5a00'];
const METAL = '#9aa0a6';
/** Half of the angle of view, degrees. */
const HALF_VIEW = 17.5;

interface Moving {
  readonly geometry: BufferGeometry;
  readonly position: Float32Array;
}

export class RobotScene {
  /** Of the grid on the floor, m. */
  readonly cell: number;
  private readonly structure: Structure;
  private readonly scene = new Scene();
  private readonly renderer: WebGLRenderer;
  private readonly camera: PerspectiveCamera;
  private readonly controls: OrbitControls;
  private readonly surfaces: readonly Moving[];
  private readonly tendons: readonly { readonly tube: Tube; readonly material: MeshBasicMaterial }[];
  private readonly rods: readonly { readonly mesh: Mesh; readonly from: number; readonly to: number }[];
  private readonly corners: readonly number[];
  private readonly balls: readonly Mesh[];
  private readonly trace = new BufferGeometry();
  private readonly resized: ResizeObserver;

  /** @throws where the browser has no WebGL. */
  constructor(canvas: HTMLCanvasElement, structure: Structure, bounds: Bounds) {
    this.structure = structure;
    const size = Math.max(1e-6, ...bounds.extent);
    this.cell = 10 ** Math.round(Math.log10(size / 8));
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.renderer.setPixelRatio(devicePixelRatio);
    this.renderer.shadowMap.enabled = true;
    this.scene.background = new Color('#ffffff');
    this.surfaces = structure.surfaces.map((_, i) => this.surface(i));
    const names = [...new Set(structure.tendons.map(({ name }) => name))];
    this.tendons = structure.tendons.map(({ name, count }) => {
      const color = CORDS[names.indexOf(name) % CORDS.length]!;
      // Within the body, and seen all the same.
      const material = new MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.9 });
      const tube = new Tube(count, 0.003 * size);
      const mesh = new Mesh(tube.geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = 1;
      this.scene.add(mesh);
      return { tube, material };
    });
    const metal = new MeshStandardMaterial({ color: METAL, roughness: 0.4, metalness: 0.3 });
    const thickness = 0.008 * size;
    const rod = new CylinderGeometry(thickness, thickness, 1, 16);
    const ball = new SphereGeometry(1.4 * thickness, 20, 14);
    const solid = (geometry: BufferGeometry): Mesh => {
      const mesh = new Mesh(geometry, metal);
      mesh.castShadow = true;
      this.scene.add(mesh);
      return mesh;
    };
    this.rods = structure.lines.map(([from, to]) => ({ mesh: solid(rod), from, to }));
    this.corners = [...new Set(structure.lines.flat())];
    this.balls = this.corners.map(() => solid(ball));
    const line = new Line(this.trace, new LineBasicMaterial({ color: '#c0392b' }));
    line.frustumCulled = false;
    this.scene.add(line);
    this.furnish(size, bounds);
    const { camera, controls } = this.look(canvas, bounds);
    this.camera = camera;
    this.controls = controls;
    this.resized = this.fitting(canvas);
  }

  private surface(index: number): Moving {
    const { triangles, count } = this.structure.surfaces[index]!;
    const position = new Float32Array(3 * count);
    const geometry = new BufferGeometry()
      .setAttribute('position', new BufferAttribute(position, 3))
      .setIndex(new BufferAttribute(Uint32Array.from(triangles), 1));
    const color = COLOURS[index % COLOURS.length]!;
    const mesh = new Mesh(geometry, new MeshStandardMaterial({ color, roughness: 0.55, side: DoubleSide }));
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    this.scene.add(mesh);
    return { geometry, position };
  }

  /** Lights, floor and axes. @param size of what is seen, m */
  private furnish(size: number, { least, extent, low }: Bounds): void {
    const { up } = this.structure;
    const vertical = new Vector3(...up);
    const centre = centreOf({ least, extent });
    this.scene.add(new HemisphereLight('#ffffff', '#b8b8b8', 2.2));
    const sun = new DirectionalLight('#ffffff', 1.8);
    sun.position.copy(centre).addScaledVector(vertical, 2 * size);
    sun.position.x += 0.6 * size;
    sun.position.y -= 0.6 * size;
    sun.target.position.copy(centre);
    sun.castShadow = true;
    const reach = 1.2 * size;
    Object.assign(sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: size / 50 });
    sun.shadow.camera.far = 6 * size;
    sun.shadow.mapSize.set(1024, 1024);
    sun.shadow.radius = 4;
    this.scene.add(sun, sun.target, new AxesHelper(0.2 * size));
    const { cell } = this;
    const cells = 2 * Math.ceil(size / cell);
    const height = vertical.x * centre.x + vertical.y * centre.y + vertical.z * centre.z;
    const floor = new GridHelper(cell * cells, cells, '#9a9a9a', '#9a9a9a');
    floor.material.transparent = true;
    floor.material.opacity = 0.35;
    floor.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), vertical);
    floor.position.copy(centre).addScaledVector(vertical, low - height - 0.01 * size);
    const shade = new Mesh(new PlaneGeometry(cell * cells, cell * cells), new ShadowMaterial({ opacity: 0.18 }));
    shade.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), vertical);
    shade.position.copy(floor.position);
    shade.receiveShadow = true;
    this.scene.add(floor, shade);
  }

  private look(
    canvas: HTMLCanvasElement,
    bounds: Bounds,
  ): { readonly camera: PerspectiveCamera; readonly controls: OrbitControls } {
    const { up } = this.structure;
    const size = Math.max(1e-6, ...bounds.extent);
    const camera = new PerspectiveCamera(2 * HALF_VIEW, 1, size / 100, 100 * size);
    camera.up.copy(new Vector3(...up));
    const controls = new OrbitControls(camera, canvas);
    this.aim(camera, controls, bounds);
    controls.addEventListener('change', () => this.render());
    return { camera, controls };
  }

  /** From a little above, mostly along the level axis in which the least happens. */
  private aim(camera: PerspectiveCamera, controls: OrbitControls, bounds: Bounds): void {
    const { up } = this.structure;
    const { extent } = bounds;
    const size = Math.max(1e-6, ...extent);
    const centre = centreOf(bounds);
    const narrow = [0, 1, 2].map((axis) => (1 - Math.abs(up[axis]!)) / (extent[axis]! + 0.2 * size));
    const view = new Vector3(narrow[0], -narrow[1]!, narrow[2]).normalize();
    view.addScaledVector(new Vector3(...up), 0.3).normalize();
    camera.position
      .copy(centre)
      .addScaledVector(view, (0.48 * Math.hypot(...extent)) / Math.sin((HALF_VIEW * Math.PI) / 180));
    controls.target.copy(centre);
    controls.update();
  }

  private fitting(canvas: HTMLCanvasElement): ResizeObserver {
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = canvas;
      if (width === 0 || height === 0) return;
      this.renderer.setSize(width, height, false);
      this.camera.aspect = width / height;
      this.camera.updateProjectionMatrix();
      this.render();
    });
    observer.observe(canvas);
    return observer;
  }

  /** @param points x, y, z of all points in the order of the structure, m. */
  place(points: ArrayLike<number>): void {
    let first = 0;
    const take = (position: Float32Array): void => {
      for (let i = 0; i < position.length; i++) position[i] = points[first + i]!;
      first += position.length;
    };
    for (const { geometry, position } of this.surfaces) {
      take(position);
      geometry.setAttribute('position', new BufferAttribute(position, 3));
      geometry.computeVertexNormals();
    }
    for (const { tube } of this.tendons) {
      take(tube.path);
      tube.follow();
    }
    const at = (index: number): Vector3 =>
      new Vector3(points[3 * index]!, points[3 * index + 1]!, points[3 * index + 2]!);
    for (const { mesh, from, to } of this.rods) {
      const a = at(from);
      const along = new Vector3().subVectors(at(to), a);
      const length = along.length();
      mesh.visible = length > 0;
      if (!mesh.visible) continue;
      mesh.position.copy(a).addScaledVector(along, 0.5);
      mesh.scale.set(1, length, 1);
      mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), along.normalize());
    }
    this.corners.forEach((corner, i) => this.balls[i]!.position.copy(at(corner)));
    this.render();
  }

  /** The whole way of the tip. */
  setTrace(points: Float32Array): void {
    this.trace.setAttribute('position', new BufferAttribute(points, 3));
  }

  /** How many of its points are seen. */
  showTrace(count: number): void {
    this.trace.setDrawRange(0, count);
  }

  /** @param colourOf a tendon by its name; undefined leaves it as it is. */
  paint(colourOf: (name: string) => string | undefined): void {
    this.structure.tendons.forEach(({ name }, i) => {
      const colour = colourOf(name);
      if (colour !== undefined) this.tendons[i]!.material.color.set(colour);
    });
    this.render();
  }

  setGround(colour: string): void {
    this.scene.background = new Color(colour);
    this.render();
  }

  /** To the right and upwards in the picture, in world axes. */
  screenAxes(): readonly [Triple, Triple] {
    const { elements: m } = this.camera.matrixWorld;
    return [
      [m[0]!, m[1]!, m[2]!],
      [m[4]!, m[5]!, m[6]!],
    ];
  }

  /** Looks from where another scene was looked at. */
  lookAs({ camera, controls }: RobotScene): void {
    this.camera.position.copy(camera.position);
    this.controls.target.copy(controls.target);
    this.controls.update();
  }

  /** Looks at all of it again. */
  home(bounds: Bounds): void {
    this.aim(this.camera, this.controls, bounds);
    this.render();
  }

  dispose(): void {
    this.resized.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
  }

  private render(): void {
    this.renderer.render(this.scene, this.camera);
  }
}

function centreOf({ least, extent }: Pick<Bounds, 'least' | 'extent'>): Vector3 {
  const [x, y, z] = least.map((from, axis) => from + extent[axis]! / 2);
  return new Vector3(x, y, z);
}
