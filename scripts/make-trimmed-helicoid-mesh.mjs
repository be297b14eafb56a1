/**
 * Makes examples/meshes/trimmed-helicoid.msh: two ramps that wind about the axis of a cylinder, half a turn apart, without what
 * is near to the axis. Bricks between radii, along the ramp and across it, each cut into six tetrahedra along one diagonal.
 * Usage: node scripts/make-trimmed-helicoid-mesh.mjs
 */
import { writeFileSync } from 'node:fs';

/** mm */
const LENGTH = 120;
const RADII = [22, 31, 40];
const THICKNESS = 8;
const TURNS = 1.5;
const RAMPS = 2;
const PIECES = 36;

const nodes = [];
const tetrahedra = [];

/** The six ways from one corner of a brick to the opposite one along its edges, even permutations first. */
const WAYS = [
  { steps: [0, 1, 2], even: true },
  { steps: [1, 2, 0], even: true },
  { steps: [2, 0, 1], even: true },
  { steps: [0, 2, 1], even: false },
  { steps: [1, 0, 2], even: false },
  { steps: [2, 1, 0], even: false },
];

for (let ramp = 0; ramp < RAMPS; ramp++) {
  const first = nodes.length + 1;
  const tag = (i, piece, side) => first + (piece * RADII.length + i) * 2 + side;
  for (let piece = 0; piece <= PIECES; piece++)
    for (const radius of RADII)
      for (const side of [0, 1]) {
        const angle = 2 * Math.PI * ((TURNS * piece) / PIECES + ramp / RAMPS);
        const z = ((LENGTH - THICKNESS) * piece) / PIECES + THICKNESS * side;
        // Six decimals: the same text on every machine, whatever its sine does in the last bit.
        const place = [radius * Math.cos(angle), radius * Math.sin(angle), z];
        nodes.push(place.map((c) => String(Number(c.toFixed(6)) + 0)));
      }
  for (let piece = 0; piece < PIECES; piece++)
    for (let i = 0; i < RADII.length - 1; i++)
      for (const { steps, even } of WAYS) {
        const corner = [i, piece, 0];
        const corners = [tag(...corner)];
        for (const axis of steps) {
          corner[axis]++;
          corners.push(tag(...corner));
        }
        if (!even) [corners[2], corners[3]] = [corners[3], corners[2]];
        tetrahedra.push(corners);
      }
}

const reach = RADII.at(-1);
const text = [
  '$MeshFormat\n4.1 0 8\n$EndMeshFormat',
  '$PhysicalNames\n1\n3 1 "silicone"\n$EndPhysicalNames',
  `$Entities\n0 0 0 1\n1 -${reach} -${reach} 0 ${reach} ${reach} ${LENGTH} 1 1 0\n$EndEntities`,
  `$Nodes\n1 ${nodes.length} 1 ${nodes.length}\n3 1 0 ${nodes.length}`,
  ...nodes.map((_, i) => i + 1),
  ...nodes.map((coordinates) => coordinates.join(' ')),
  `$EndNodes\n$Elements\n1 ${tetrahedra.length} 1 ${tetrahedra.length}\n3 1 4 ${tetrahedra.length}`,
  ...tetrahedra.map((corners, i) => [i + 1, ...corners].join(' ')),
  '$EndElements\n',
].join('\n');

writeFileSync(new URL('../examples/meshes/trimmed-helicoid.msh', import.meta.url), text);
process.stdout.write(`${nodes.length} nodes, ${tetrahedra.length} tetrahedra, ${text.length} bytes\n`);
