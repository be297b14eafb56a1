/** Arrows in space, as many as there are at a time: a shaft and a head each, seen through bodies. */
import { CylinderGeometry, Mesh, MeshBasicMaterial, Object3D, Vector3 } from 'three';
import type { Triple } from '../animation-data.ts';

const HEAD = 0.28;

/** Along a vector from its foot. */
interface DrawnArrow {
  readonly at: Triple;
  /** m */
  readonly vector: Triple;
  readonly colour: string;
}

export class ArrowMeshes extends Object3D {
  private readonly shaft: CylinderGeometry;
  private readonly head: CylinderGeometry;
  private readonly materials = new Map<string, MeshBasicMaterial>();
  private readonly parts: { readonly shaft: Mesh; readonly head: Mesh }[] = [];
  private readonly longest: number;

  /** @param longest arrow that is expected, m: sets how thick they are. */
  constructor(longest: number) {
    super();
    this.longest = longest;
    this.shaft = new CylinderGeometry(0.022 * longest, 0.022 * longest, 1, 10);
    this.head = new CylinderGeometry(0, 0.065 * longest, 1, 14);
  }

  show(arrows: readonly DrawnArrow[]): void {
    arrows.forEach(({ at, vector, colour }, i) => {
      const { shaft, head } = this.part(i);
      const along = new Vector3(...vector);
      const length = along.length();
      const foot = new Vector3(...at);
      const tip = Math.min(length, HEAD * this.longest);
      const direction = along.normalize();
      for (const [mesh, from, own] of [[shaft, 0, length - tip], [head, length - tip, tip]] as const) {
        mesh.material = this.material(colour);
        mesh.visible = own > 0;
        mesh.scale.set(1, Math.max(own, 1e-12), 1);
        mesh.position.copy(foot).addScaledVector(direction, from + own / 2);
        mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), direction);
      } // prettier-ignore
    });
    for (const { shaft, head } of this.parts.slice(arrows.length)) shaft.visible = head.visible = false;
  }

  private part(index: number): { readonly shaft: Mesh; readonly head: Mesh } {
    const known = this.parts[index];
    if (known) return known;
    const made = (geometry: CylinderGeometry): Mesh => {
      const mesh = new Mesh(geometry, this.material('#000000'));
      mesh.renderOrder = 2;
      mesh.frustumCulled = false;
      this.add(mesh);
      return mesh;
    };
    const part = { shaft: made(this.shaft), head: made(this.head) };
    this.parts[index] = part;
    return part;
  }

  private material(color: string): MeshBasicMaterial {
    const known = this.materials.get(color) ?? new MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.95 }); // prettier-ignore
    this.materials.set(color, known);
    return known;
  }
}
