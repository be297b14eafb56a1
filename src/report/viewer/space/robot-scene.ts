/** The robot in space: its parts, forces as arrows, the trace of its tip, world axes, frames, and a floor with its shadow. */
import {
  AxesHelper,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  DirectionalLight,
  DoubleSide,
  DynamicDrawUsage,
  GridHelper,
  Group,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  type Object3D,
  PerspectiveCamera,
  PlaneGeometry,
  Scene,
  ShadowMaterial,
  SphereGeometry,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { movedPoints, NO_POSE } from '../../../common/poses.ts';
import type { Arrow, Bounds, Solid, Structure, Triple } from '../animation-data.ts';
import { ArrowMeshes } from './arrow-meshes.ts';
import { numbersOf } from '../pictures.ts';
import {
  ARROW_COLOURS,
  CURRENT_COLOUR,
  GRAVITY_COLOUR,
  LONGEST_ARROW,
  planeSquare,
  type Colouring,
  type ShownRobot,
  type Surroundings,
} from './shown-robot.ts';
import { ShadowFloor } from './shadow-floor.ts';
import { strainColour, surfaceStrain } from './surface-strain.ts';
import { Tubes } from './tubes.ts';
import { vertexNormals } from './vertex-normals.ts';

const COLOURS = ['#4c8bc0', '#e08a4f', '#5aa88a', '#c58fb4', '#d9ac46', '#7fb8de'];
const CORDS = ['#1b2a41', '#8e2c48', '#1d6b4f', '#5b3a8e', '#8a5a00'];
const METAL = '#9aa0a6';
const CAVITY = '#8a94a3';
const OBSTACLE = '#b08968';
/** Half of the angle of view, degrees. */
const HALF_VIEW = 17.5;

interface Moving {
  readonly geometry: BufferGeometry;
  readonly position: Float32Array;
}

/** All surfaces of bodies in one: their points are the first of a picture. */
interface BodySurfaces extends Moving {
  readonly normal: Float32Array;
  readonly colour: Float32Array;
  readonly reference: Float32Array;
  readonly triangles: readonly number[];
}

export class RobotScene implements ShownRobot {
  /** Of the grid on the floor, m. */
  readonly cell: number;
  /** Less than a hundredth of a per cent is what is left of rounding. */
  mostStrain = 1e-4;
  private readonly structure: Structure;
  private readonly size: number;
  private readonly scene = new Scene();
  private readonly renderer: WebGLRenderer;
  private readonly camera: PerspectiveCamera;
  private readonly controls: OrbitControls;
  private readonly surfaces: BodySurfaces;
  private readonly tendons: Tubes;
  /** Colours of tendons. */
  private readonly cords: string[];
  private readonly cordGeometry: BufferGeometry;
  private readonly chambers: readonly (Moving & { readonly material: MeshBasicMaterial })[];
  private readonly rods: readonly { readonly mesh: Mesh; readonly from: number; readonly to: number }[];
  private readonly corners: readonly number[];
  private readonly balls: readonly Mesh[];
  /** What rides on the frames of the structure. */
  private readonly riders: readonly Object3D[];
  private readonly axes: readonly Object3D[];
  /** Of solids that throw a shadow: corners of their boxes in the frames that carry them. */
  private readonly boxes: { readonly frame: number | undefined; readonly corners: Float64Array }[] = [];
  private readonly shadows: ShadowFloor;
  private readonly shade = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.18 }));
  private readonly arrows: ArrowMeshes;
  private readonly winds: ArrowMeshes;
  private readonly corner: Triple;
  private readonly trace = new BufferGeometry();
  private readonly resized: ResizeObserver;
  private readonly bounds: Bounds;
  /** Somebody chose the view: it stays when the room for it changes. */
  private isTurned = false;
  /** Of the canvas, pixels; asking for it would lay out the page. */
  private height = 0;
  /** Pixels of 1 m that were told last. */
  private scale = NaN;
  private colouring: Colouring = 'body';
  private mostForce = 0;
  private scaled: (pixels: number) => void = () => undefined;
  /** That is asked for and not yet drawn; 0 when there is none. */
  private frame = 0;

  /** @throws where the browser has no WebGL. */
  constructor(canvas: HTMLCanvasElement, structure: Structure, bounds: Bounds) {
    this.structure = structure;
    this.bounds = bounds;
    const size = Math.max(1e-6, ...bounds.extent);
    this.size = size;
    this.cell = 10 ** Math.round(Math.log10(size / 8));
    // Opaque: the page need not be drawn below it. Without one three.js asks for its own context, and says what is wrong.
    const context = canvas.getContext('webgl2', { alpha: false, antialias: true });
    this.renderer = new WebGLRenderer({ canvas, antialias: true, ...(context && { context }) });
    this.renderer.setPixelRatio(devicePixelRatio);
    this.renderer.shadowMap.enabled = true;
    this.scene.background = new Color('#ffffff');
    this.surfaces = this.bodies(structure);
    const names = [...new Set(structure.tendons.map(({ name }) => name))];
    this.tendons = new Tubes(
      structure.tendons.map(({ count }) => count),
      0.003 * size,
    );
    this.cords = structure.tendons.map(({ name }) => CORDS[names.indexOf(name) % CORDS.length]!);
    const { position, colour, triangles: sides } = this.tendons;
    this.cordGeometry = movingGeometry(sides, position).setAttribute('color', moving(colour));
    this.paintCords();
    // Within the body, and seen all the same.
    const cord = { color: '#ffffff', vertexColors: true, depthTest: false, transparent: true, opacity: 0.9 };
    if (this.cords.length > 0) this.seen(new Mesh(this.cordGeometry, new MeshBasicMaterial(cord)), 1);
    this.chambers = structure.chambers.map(({ triangles, count }) => {
      const options = { color: CAVITY, depthTest: false, transparent: true, opacity: 0.45, depthWrite: false };
      const material = new MeshBasicMaterial(options);
      const position = new Float32Array(3 * count);
      const geometry = movingGeometry(triangles, position);
      this.seen(new Mesh(geometry, material), 1);
      return { geometry, position, material };
    });
    const metal = new MeshStandardMaterial({ color: METAL, roughness: 0.4, metalness: 0.3 });
    // Beside soft bodies rigid parts are slender; alone they are the robot.
    const thickness = (structure.surfaces.length > 0 ? 0.008 : 0.016) * size;
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
    this.riders = structure.frames.map(() => {
      const rider = new Group();
      rider.matrixAutoUpdate = false;
      this.scene.add(rider);
      return rider;
    });
    this.axes = structure.frames.flatMap(({ name }, i) => {
      if (name === undefined) return [];
      const axes = new AxesHelper(0.07 * size);
      axes.visible = false;
      this.riders[i]!.add(axes);
      return [axes];
    });
    for (const own of structure.solids) this.addSolid(own, bounds);
    this.arrows = new ArrowMeshes(LONGEST_ARROW * size);
    this.winds = new ArrowMeshes(LONGEST_ARROW * size);
    this.scene.add(this.arrows, this.winds);
    this.corner = cornerOf(bounds, structure.up);
    const line = new Line(this.trace, new LineBasicMaterial({ color: '#c0392b' }));
    line.frustumCulled = false;
    this.scene.add(line);
    this.shadows = this.furnish(size, bounds);
    const { camera, controls } = this.look(canvas, bounds);
    this.camera = camera;
    this.controls = controls;
    this.resized = this.fitting(canvas);
    this.colourByBody();
  }

  private seen(mesh: Mesh, order: number): void {
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    this.scene.add(mesh);
  }

  private bodies({ surfaces }: Structure): BodySurfaces {
    let first = 0;
    const triangles = surfaces.flatMap((own) => {
      const start = first;
      first += own.count;
      return own.triangles.map((vertex) => start + vertex);
    });
    const [position, normal, colour, reference] = [0, 1, 2, 3].map(() => new Float32Array(3 * first)) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const geometry = movingGeometry(triangles, position);
    geometry.setAttribute('normal', moving(normal)).setAttribute('color', moving(colour));
    let next = 0;
    for (const own of surfaces) {
      reference.set(numbersOf(own.reference), next);
      next += 3 * own.count;
    }
    const mesh = new Mesh(
      geometry,
      new MeshStandardMaterial({ color: '#ffffff', roughness: 0.55, side: DoubleSide, vertexColors: true }),
    );
    mesh.castShadow = true;
    if (surfaces.length > 0) this.seen(mesh, 0);
    return { geometry, position, normal, colour, triangles, reference };
  }

  private addSolid({ look, frame, position, triangles, plane, colour }: Solid, bounds: Bounds): void {
    const corners = plane && planeSquare(plane, tripleOf(centreOf(bounds)), 0.8 * this.size).flat();
    const geometry = new BufferGeometry()
      .setAttribute('position', new BufferAttribute(Float32Array.from(corners ?? position), 3))
      .setIndex(new BufferAttribute(Uint32Array.from(corners ? [0, 1, 2, 0, 2, 3] : triangles), 1));
    geometry.computeVertexNormals();
    const opacity = { obstacle: 0.45, shape: 0.35, mesh: 1 }[look];
    const isSolid = opacity === 1;
    const material = new MeshStandardMaterial({
      color: colour ?? { obstacle: OBSTACLE, shape: OBSTACLE, mesh: METAL }[look],
      roughness: 0.6,
      side: DoubleSide,
      transparent: !isSolid,
      opacity,
      depthWrite: isSolid,
    });
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = isSolid;
    mesh.renderOrder = isSolid ? 0 : 1;
    (frame === undefined ? this.scene : this.riders[frame]!).add(mesh);
    if (isSolid) this.boxes.push({ frame, corners: boxCorners(position) });
  }

  /** Lights, floor and axes. @param size of what is seen, m. @returns where shadows fall. */
  private furnish(size: number, { least, extent, low }: Bounds): ShadowFloor {
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
    const light = tripleOf(new Vector3().subVectors(sun.target.position, sun.position));
    const ground = { at: tripleOf(floor.position), up, half: (cell * cells) / 2 };
    const shade = new ShadowFloor(ground, light, 0.04 * size);
    this.shade.receiveShadow = true;
    this.shade.up.copy(new Vector3(...shade.axes[1]));
    this.shade.lookAt(vertical);
    this.scene.add(floor, this.shade);
    return shade;
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
    controls.addEventListener('start', () => (this.isTurned = true));
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
    // In a place that is higher than wide the width decides.
    const half = Math.atan(Math.tan((HALF_VIEW * Math.PI) / 180) * Math.min(1, camera.aspect));
    camera.position.copy(centre).addScaledVector(view, (0.52 * Math.hypot(...extent)) / Math.sin(half));
    controls.target.copy(centre);
    controls.update();
  }

  private fitting(canvas: HTMLCanvasElement): ResizeObserver {
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = canvas;
      if (width === 0 || height === 0) return;
      this.height = height;
      this.renderer.setSize(width, height, false);
      this.camera.aspect = width / height;
      this.camera.updateProjectionMatrix();
      if (!this.isTurned) this.aim(this.camera, this.controls, this.bounds);
      // At once: a canvas of another size is empty.
      this.draw();
    });
    observer.observe(canvas);
    return observer;
  }

  place(points: ArrayLike<number>, arrows: readonly Arrow[] = []): void {
    let first = 0;
    const take = (position: Float32Array): void => {
      for (let i = 0; i < position.length; i++) position[i] = points[first + i]!;
      first += position.length;
    };
    const { geometry, position, normal, triangles } = this.surfaces;
    take(position);
    vertexNormals(position, triangles, normal);
    moved(geometry, 'position', 'normal');
    if (this.colouring === 'strain') this.colourByStrain();
    take(this.tendons.paths);
    this.tendons.follow();
    moved(this.cordGeometry, 'position');
    for (const chamber of this.chambers) {
      take(chamber.position);
      moved(chamber.geometry, 'position');
    }
    const { count } = this.structure;
    const poses = this.riders.map((_, i) => Array.from({ length: 12 }, (__, k) => points[3 * count + 12 * i + k]!));
    poses.forEach((m, i) => {
      const rows = [0, 1, 2].flatMap((row) => [m[3 * row]!, m[3 * row + 1]!, m[3 * row + 2]!, m[9 + row]!]);
      this.riders[i]!.matrix.set(...rows, 0, 0, 0, 1);
    });
    this.showArrows(arrows);
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
    const boxes = this.boxes.flatMap(({ frame, corners }) => [...movedPoints(poses[frame ?? -1] ?? NO_POSE, corners)]);
    const shaded = this.shadows.cover(points, count, boxes);
    this.shade.visible = shaded !== undefined;
    if (shaded) {
      this.shade.position.set(...shaded.at);
      this.shade.scale.set(...shaded.size, 1);
    }
    this.render();
  }

  /** Lengths by the largest force that was shown so far. */
  private showArrows(arrows: readonly Arrow[]): void {
    this.mostForce = Math.max(this.mostForce, ...arrows.map(({ force }) => Math.hypot(...force)));
    const scale = this.mostForce > 0 ? (LONGEST_ARROW * this.size) / this.mostForce : 0;
    this.arrows.show(
      arrows.map(({ at, force, kind }) => {
        const vector = times(scale, force);
        // What presses on a body ends at it; what pulls begins there.
        const foot: Triple = kind === 'contact' ? [at[0] - vector[0], at[1] - vector[1], at[2] - vector[2]] : at;
        return { at: foot, vector, colour: ARROW_COLOURS[kind] };
      }),
    );
  }

  setSurroundings({ gravity, current }: Surroundings): void {
    const length = 0.16 * this.size;
    const own = [
      { vector: gravity, colour: GRAVITY_COLOUR },
      ...(current ? [{ vector: current, colour: CURRENT_COLOUR }] : []),
    ].filter(({ vector }) => Math.hypot(...vector) > 0);
    this.winds.show(
      own.map(({ vector, colour }) => ({
        at: this.corner,
        vector: times(length / Math.hypot(...vector), vector),
        colour,
      })),
    );
    this.render();
  }

  setColouring(colouring: Colouring): void {
    this.colouring = colouring;
    if (colouring === 'strain') this.colourByStrain();
    else this.colourByBody();
    this.render();
  }

  private colourByBody(): void {
    const { geometry, colour } = this.surfaces;
    let next = 0;
    this.structure.surfaces.forEach(({ count }, i) => {
      const own = linear(COLOURS[i % COLOURS.length]!);
      for (let k = 0; k < count; k++) colour.set(own, 3 * next++);
    });
    moved(geometry, 'color');
  }

  private colourByStrain(): void {
    const { geometry, colour, reference, position, triangles } = this.surfaces;
    const strains = surfaceStrain(reference, position, triangles);
    for (const e of strains) this.mostStrain = Math.max(this.mostStrain, Math.abs(e));
    // Colours of vertices are linear.
    strains.forEach((e, k) =>
      strainColour(e / this.mostStrain).forEach((c, j) => (colour[3 * k + j] = (c / 255) ** 2.2)),
    );
    moved(geometry, 'color');
  }

  setFrames(areShown: boolean): void {
    for (const axes of this.axes) axes.visible = areShown;
    this.render();
  }

  onScale(listener: (pixels: number) => void): void {
    this.scaled = listener;
    this.scale = NaN;
    this.render();
  }

  /** The whole way of the tip. */
  setTrace(points: Float32Array): void {
    this.trace.setAttribute('position', new BufferAttribute(points, 3));
  }

  showTrace(count: number): void {
    this.trace.setDrawRange(0, count);
  }

  paint(colourOf: (actuator: string) => string | undefined): void {
    const before = [...this.cords];
    this.structure.tendons.forEach(({ name }, i) => (this.cords[i] = colourOf(name) ?? before[i]!));
    if (this.cords.some((colour, i) => colour !== before[i])) this.paintCords();
    this.structure.chambers.forEach(({ actuator }, i) => {
      const colour = actuator === undefined ? undefined : colourOf(actuator);
      if (colour !== undefined) this.chambers[i]!.material.color.set(colour);
    });
    this.render();
  }

  private paintCords(): void {
    this.tendons.paint(this.cords.map(linear));
    moved(this.cordGeometry, 'color');
  }

  setGround(colour: string): void {
    this.scene.background = new Color(colour);
    this.render();
  }

  screenAxes(): readonly [Triple, Triple] {
    const { elements: m } = this.camera.matrixWorld;
    return [
      [m[0]!, m[1]!, m[2]!],
      [m[4]!, m[5]!, m[6]!],
    ];
  }

  /** Looks from where another scene was looked at. */
  lookAs({ camera, controls, isTurned }: RobotScene): void {
    this.isTurned = isTurned;
    this.camera.position.copy(camera.position);
    this.controls.target.copy(controls.target);
    this.controls.update();
  }

  home(bounds: Bounds): void {
    this.isTurned = false;
    this.aim(this.camera, this.controls, bounds);
    this.render();
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.resized.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
  }

  /** Once for all that changes before the next frame of the page. */
  private render(): void {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.renderer.render(this.scene, this.camera);
    const away = new Vector3().subVectors(this.camera.position, this.controls.target).length();
    const scale = this.height / (2 * away * Math.tan((HALF_VIEW * Math.PI) / 180));
    if (scale === this.scale) return;
    this.scale = scale;
    this.scaled(scale);
  }
}

/** Three numbers of each vertex that change from picture to picture, in the same memory. */
function moving(numbers: Float32Array): BufferAttribute {
  return new BufferAttribute(numbers, 3).setUsage(DynamicDrawUsage);
}

/** The numbers of these attributes are others now. */
function moved(geometry: BufferGeometry, ...names: readonly string[]): void {
  for (const name of names) geometry.getAttribute(name).needsUpdate = true;
}

function movingGeometry(triangles: readonly number[], position: Float32Array): BufferGeometry {
  return new BufferGeometry()
    .setAttribute('position', moving(position))
    .setIndex(new BufferAttribute(Uint32Array.from(triangles), 1));
}

/** As colours of vertices are. */
function linear(colour: string): Triple {
  const { r, g, b } = new Color(colour);
  return [r, g, b];
}

/** Of the box around points. */
function boxCorners(points: readonly number[]): Float64Array {
  const ends = [0, 1, 2].map((axis) => {
    const own = points.filter((_, i) => i % 3 === axis);
    return own.reduce(([least, most], x) => [Math.min(least, x), Math.max(most, x)] as const, [
      Infinity,
      -Infinity,
    ] as const);
  });
  return Float64Array.from({ length: 24 }, (_, i) => ends[i % 3]![(Math.floor(i / 3) >> (i % 3)) & 1]!);
}

const times = (by: number, [x, y, z]: Triple): Triple => [by * x, by * y, by * z];
const tripleOf = ({ x, y, z }: Vector3): Triple => [x, y, z];

/** Where arrows of the surroundings begin: beside the robot, at its top. */
function cornerOf({ least, extent }: Bounds, up: Triple): Triple {
  const at = (axis: 0 | 1 | 2): number =>
    up[axis] > 0.5 ? least[axis] + extent[axis] : up[axis] < -0.5 ? least[axis] : least[axis] + 0.1 * extent[axis];
  return [at(0), at(1), at(2)];
}

function centreOf({ least, extent }: Pick<Bounds, 'least' | 'extent'>): Vector3 {
  const [x, y, z] = least.map((from, axis) => from + extent[axis]! / 2);
  return new Vector3(x, y, z);
}
