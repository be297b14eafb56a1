/** The part of three.js that the viewer uses; its own declarations are a package with dependencies of theirs. */
declare module 'three' {
  export class Vector3 {
    constructor(x?: number, y?: number, z?: number);
    x: number;
    y: number;
    z: number;
    set(x: number, y: number, z: number): this;
    copy(v: Vector3): this;
    addScaledVector(v: Vector3, by: number): this;
    subVectors(a: Vector3, b: Vector3): this;
    length(): number;
    normalize(): this;
  }
  export class Quaternion {
    setFromUnitVectors(from: Vector3, to: Vector3): this;
  }
  export class Object3D {
    readonly position: Vector3;
    readonly scale: Vector3;
    readonly quaternion: Quaternion;
    readonly up: Vector3;
    readonly matrixWorld: { readonly elements: readonly number[] };
    readonly matrix: { set(...rows: readonly number[]): void };
    matrixAutoUpdate: boolean;
    visible: boolean;
    castShadow: boolean;
    receiveShadow: boolean;
    renderOrder: number;
    add(...objects: Object3D[]): this;
    remove(...objects: Object3D[]): this;
    lookAt(target: Vector3): void;
  }
  export class Scene extends Object3D {
    background: Color | null;
  }
  export class Color {
    constructor(colour: string | number);
    /** Linear. */
    readonly r: number;
    readonly g: number;
    readonly b: number;
    set(colour: string): this;
    getHex(): number;
  }
  export class PerspectiveCamera extends Object3D {
    constructor(fov: number, aspect: number, near: number, far: number);
    aspect: number;
    updateProjectionMatrix(): void;
  }
  export class BufferAttribute {
    constructor(array: Float32Array | Uint32Array, itemSize: number);
    needsUpdate: boolean;
    setUsage(usage: number): this;
  }
  export class BufferGeometry {
    setAttribute(name: string, attribute: BufferAttribute): this;
    getAttribute(name: string): BufferAttribute;
    setIndex(index: BufferAttribute): this;
    setDrawRange(start: number, count: number): void;
    computeVertexNormals(): void;
  }
  export class CylinderGeometry extends BufferGeometry {
    constructor(top: number, bottom: number, height: number, around: number);
  }
  export class PlaneGeometry extends BufferGeometry {
    constructor(width: number, height: number);
  }
  export class SphereGeometry extends BufferGeometry {
    constructor(radius: number, around: number, along: number);
  }
  export class Material {
    dispose(): void;
  }
  export class MeshStandardMaterial extends Material {
    constructor(options: {
      color: string;
      roughness?: number;
      metalness?: number;
      side?: number;
      transparent?: boolean;
      opacity?: number;
      depthWrite?: boolean;
      vertexColors?: boolean;
    });
    readonly color: Color;
  }
  export class MeshBasicMaterial extends Material {
    constructor(options: {
      color: string;
      depthTest?: boolean;
      depthWrite?: boolean;
      transparent?: boolean;
      opacity?: number;
      side?: number;
      vertexColors?: boolean;
    });
    readonly color: Color;
  }
  export class ShadowMaterial extends Material {
    constructor(options: { opacity: number });
  }
  export class LineBasicMaterial extends Material {
    constructor(options: { color: string; depthTest?: boolean });
  }
  export class Mesh extends Object3D {
    constructor(geometry: BufferGeometry, material: Material);
    material: Material;
    frustumCulled: boolean;
  }
  export class Line extends Mesh {}
  export class Group extends Object3D {}
  export class AxesHelper extends Object3D {
    constructor(size: number);
  }
  export class GridHelper extends Object3D {
    constructor(size: number, divisions: number, centre: string, lines: string);
    readonly material: Material & { transparent: boolean; opacity: number };
  }
  export class HemisphereLight extends Object3D {
    constructor(sky: string, ground: string, intensity: number);
  }
  export class DirectionalLight extends Object3D {
    constructor(colour: string, intensity: number);
    readonly target: Object3D;
    readonly shadow: {
      readonly camera: { left: number; right: number; top: number; bottom: number; near: number; far: number };
      readonly mapSize: { set(width: number, height: number): void };
      radius: number;
    };
  }
  export class WebGLRenderer {
    constructor(options: { canvas: HTMLCanvasElement; antialias: boolean; context?: WebGL2RenderingContext });
    readonly shadowMap: { enabled: boolean };
    dispose(): void;
    setPixelRatio(ratio: number): void;
    setSize(width: number, height: number, style: boolean): void;
    render(scene: Scene, camera: PerspectiveCamera): void;
  }
  export const DoubleSide: number;
  export const DynamicDrawUsage: number;
}

declare module 'three/examples/jsm/controls/OrbitControls.js' {
  import type { PerspectiveCamera, Vector3 } from 'three';
  export class OrbitControls {
    constructor(camera: PerspectiveCamera, element: HTMLElement);
    readonly target: Vector3;
    enableDamping: boolean;
    update(): void;
    dispose(): void;
    addEventListener(type: 'change' | 'start', listener: () => void): void;
  }
}
