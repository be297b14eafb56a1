/** The robot in space: surfaces of its bodies, lines of its rigid parts, the trace of its tip, world axes and a floor. */
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
  MeshStandardMaterial,
  PerspectiveCamera,
  Scene,
  SphereGeometry,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Animation } from './animation-data.ts';

const COLOURS = ['#4c8bc0', '#e08a4f', '#5aa88a', '#c58fb4', '#d9ac46', '#7fb8de'];
const CORDS = ['#1b2a41', '#8e2c48', '#1d6b4f', '#5b3a8e', '#8a5a00'];
const METAL = '#9aa0a6';

export class RobotScene {
  private readonly animation: Animation;
  private readonly scene = new Scene();
  private readonly renderer: WebGLRenderer;
  private readonly camera: PerspectiveCamera;
  private readonly surfaces: readonly { readonly geometry: BufferGeometry; readonly position: Float32Array }[];
  private readonly tendons: readonly { readonly geometry: BufferGeometry; readonly position: Float32Array }[];
  private readonly rods: readonly { readonly mesh: Mesh; readonly from: number; readonly to: number }[];
  private readonly corners: readonly number[];
  private readonly balls: readonly Mesh[];
  private readonly trace: BufferGeometry;
  /** Quantised coordinates of all points, time by time. */
  private readonly points: Uint16Array;

  /** @throws where the browser has no WebGL. */
  constructor(canvas: HTMLCanvasElement, animation: Animation) {
    this.animation = animation;
    this.points = new Uint16Array(bytes(animation.points).buffer);
    const size = animation.scale * 65535;
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.renderer.setPixelRatio(devicePixelRatio);
    this.scene.background = new Color('#ffffff');
    this.surfaces = animation.surfaces.map(({ triangles, count }, i) => {
      const position = new Float32Array(3 * count);
      const geometry = new BufferGeometry()
        .setAttribute('position', new BufferAttribute(position, 3))
        .setIndex(new BufferAttribute(Uint32Array.from(triangles), 1));
      const material = new MeshStandardMaterial({
        color: COLOURS[i % COLOURS.length]!,
        roughness: 0.55,
        side: DoubleSide,
      });
      const mesh = new Mesh(geometry, material);
      mesh.frustumCulled = false;
      this.scene.add(mesh);
      return { geometry, position };
    });
    const names = [...new Set(animation.tendons.map(({ name }) => name))];
    this.tendons = animation.tendons.map(({ name, count }) => {
      const position = new Float32Array(3 * count);
      const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(position, 3));
      const color = CORDS[names.indexOf(name) % CORDS.length]!;
      // Within the body, and seen all the same.
      const line = new Line(geometry, new LineBasicMaterial({ color, depthTest: false }));
      line.frustumCulled = false;
      this.scene.add(line);
      return { geometry, position };
    });
    const metal = new MeshStandardMaterial({ color: METAL, roughness: 0.4, metalness: 0.3 });
    const thickness = 0.008 * size;
    const rod = new CylinderGeometry(thickness, thickness, 1, 16);
    const ball = new SphereGeometry(1.4 * thickness, 20, 14);
    this.rods = animation.lines.map(([from, to]) => {
      const mesh = new Mesh(rod, metal);
      this.scene.add(mesh);
      return { mesh, from, to };
    });
    const corners = [...new Set(animation.lines.flat())];
    this.balls = corners.map(() => new Mesh(ball, metal));
    if (this.balls.length > 0) this.scene.add(...this.balls);
    this.corners = corners;
    this.trace = new BufferGeometry().setAttribute('position', new BufferAttribute(this.tips(), 3));
    const line = new Line(this.trace, new LineBasicMaterial({ color: '#c0392b' }));
    line.frustumCulled = false;
    this.scene.add(line);
    this.camera = this.furnish(canvas, size);
  }

  /** Lights, floor, axes, and the camera with its controls. @param size of what is seen, m */
  private furnish(canvas: HTMLCanvasElement, size: number): PerspectiveCamera {
    const { up, low, least, extent } = this.animation;
    const middle = least.map((from, axis) => from + extent[axis]! / 2) as [number, number, number];
    const vertical = new Vector3(...up);
    const centre = new Vector3(...middle);
    this.scene.add(new HemisphereLight('#ffffff', '#b8b8b8', 2.2));
    const sun = new DirectionalLight('#ffffff', 1.8);
    sun.position.copy(centre).addScaledVector(vertical, 2 * size);
    sun.position.x += size;
    sun.position.y -= size;
    this.scene.add(sun, new AxesHelper(0.2 * size));
    const cell = 10 ** Math.round(Math.log10(size / 8));
    const floor = new GridHelper(cell * 2 * Math.ceil(size / cell), 2 * Math.ceil(size / cell), '#b5b5b5', '#dedede');
    floor.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), vertical);
    const height = vertical.x * middle[0] + vertical.y * middle[1] + vertical.z * middle[2];
    floor.position.copy(centre).addScaledVector(vertical, low - height - 0.01 * size);
    this.scene.add(floor);
    const camera = new PerspectiveCamera(35, 1, size / 100, 100 * size);
    camera.up.copy(vertical);
    // From a little above, mostly along the level axis in which the least happens.
    const narrow = [0, 1, 2].map((axis) => (1 - Math.abs(up[axis]!)) / (extent[axis]! + 0.2 * size));
    const view = new Vector3(narrow[0], -narrow[1]!, narrow[2]).normalize();
    view.addScaledVector(vertical, 0.3).normalize();
    camera.position
      .copy(centre)
      .addScaledVector(view, (0.55 * Math.hypot(...extent)) / Math.sin((17.5 * Math.PI) / 180));
    const controls = new OrbitControls(camera, canvas);
    controls.target.copy(centre);
    controls.update();
    controls.addEventListener('change', () => this.render());
    const fit = (): void => {
      const { clientWidth: width, clientHeight: height } = canvas;
      this.renderer.setSize(width, height, false);
      camera.aspect = width / height;
      camera.updateProjectionMatrix();
      this.render();
    };
    new ResizeObserver(fit).observe(canvas);
    return camera;
  }

  private point(index: number, at: number): [number, number, number] {
    const { least, scale, count } = this.animation;
    const first = 3 * (index * count + at);
    return [0, 1, 2].map((axis) => least[axis]! + scale * this.points[first + axis]!) as [number, number, number];
  }

  private tips(): Float32Array {
    const { times, tip } = this.animation;
    return Float32Array.from(times.flatMap((_, index) => (tip === undefined ? [] : this.point(index, tip))));
  }

  /** @param index of the time. */
  show(index: number): void {
    let first = 0;
    for (const { geometry, position } of [...this.surfaces, ...this.tendons]) {
      for (let i = 0; 3 * i < position.length; i++) position.set(this.point(index, first + i), 3 * i);
      first += position.length / 3;
      geometry.setAttribute('position', new BufferAttribute(position, 3));
    }
    for (const { geometry } of this.surfaces) geometry.computeVertexNormals();
    for (const { mesh, from, to } of this.rods) {
      const [a, b] = [new Vector3(...this.point(index, from)), new Vector3(...this.point(index, to))];
      const along = new Vector3().subVectors(b, a);
      const length = along.length();
      mesh.visible = length > 0;
      if (!mesh.visible) continue;
      mesh.position.copy(a).addScaledVector(along, 0.5);
      mesh.scale.set(1, length, 1);
      mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), along.normalize());
    }
    this.corners.forEach((corner, i) => this.balls[i]!.position.set(...this.point(index, corner)));
    this.trace.setDrawRange(0, index + 1);
    this.render();
  }

  private render(): void {
    this.renderer.render(this.scene, this.camera);
  }
}

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
