/**
 * Makes examples/meshes/cantilever.msh and examples/meshes/cantilever.npz: a rubber beam that is clamped at z = 0, its first mode of
 * bending about each axis, and how it follows when it is bent by large amounts (static modal derivatives). docs/modes.md explains it.
 *
 * Usage: npx tsx scripts/make-cantilever-modes.ts
 */
import { writeFileSync } from 'node:fs';
import { assemble, beamMesh, clampedModes, modalDerivatives } from './finite-elements.ts';
import { npzFile } from './numpy-files.ts';

const MODES = 2;
const elastic = { youngsModulus: 1e6, poissonsRatio: 0.3, density: 1100 };

const beam = beamMesh([0.02, 0.03, 0.3], [2, 2, 8]);
const matrices = assemble(beam, elastic);
const { frequencies, shapes } = clampedModes(beam, matrices, MODES);
const derivatives = modalDerivatives(beam, elastic, matrices.K, shapes);

const nodes = beam.nodes.length;
const npz = npzFile({
  // A largest entry of one: a coordinate is a displacement of the tip in metres.
  modes: { shape: [MODES, nodes, 3], values: Array.from({ length: MODES }, (_, a) => shapes.getColumn(a)).flat() },
  // p = X + Σ φ_a q_a + ½ Σ θ_ab q_a q_b
  quadratic: { shape: [MODES, MODES, nodes, 3], values: derivatives.flat(2).map((x) => x / 2) },
});

const short = (x: number): string => String(Number(x.toPrecision(12)));
const msh = [
  '$MeshFormat',
  '4.1 0 8',
  '$EndMeshFormat',
  '$Nodes',
  `1 ${nodes} 1 ${nodes}`,
  `3 1 0 ${nodes}`,
  ...beam.nodes.map((_, i) => String(i + 1)),
  ...beam.nodes.map((node) => node.map(short).join(' ')),
  '$EndNodes',
  '$Elements',
  `1 ${beam.tetrahedra.length} 1 ${beam.tetrahedra.length}`,
  `3 1 4 ${beam.tetrahedra.length}`,
  ...beam.tetrahedra.map((corners, i) => [i + 1, ...corners.map((node) => node + 1)].join(' ')),
  '$EndElements',
  '',
].join('\n');

const folder = new URL('../examples/meshes/', import.meta.url);
writeFileSync(new URL('cantilever.npz', folder), npz);
writeFileSync(new URL('cantilever.msh', folder), msh);
process.stdout.write(`${nodes} nodes; ${frequencies.map((w) => (w / (2 * Math.PI)).toFixed(3)).join(', ')} Hz\n`);
