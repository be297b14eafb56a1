/**
 * Makes examples/meshes/helicoid.msh: a bar of cross-shaped section, twisted by a full turn along its length of 100 mm:
 * a core with two blades that reach to 30 mm. Bricks of a layered grid, each cut into six tetrahedra along one diagonal.
 * Usage: node scripts/make-helicoid-mesh.mjs
 */
import { mkdirSync, writeFileSync } from 'node:fs';

const LENGTH = 100;
const LAYERS = 40;
const TURN = 2 * Math.PI;
/** Grid lines of the section in mm: the blades lie along x, the core is the square between −8 and 8. */
const ALONG = [-30, -26, -22, -18, -13, -8, -4, 0, 4, 8, 13, 18, 22, 26, 30];
const ACROSS = [-8, -3, 0, 3, 8];

const inSection = (i, j) => {
  const x = (ALONG[i] + ALONG[i + 1]) / 2;
  const y = (ACROSS[j] + ACROSS[j + 1]) / 2;
  return Math.abs(y) < 3 || Math.abs(x) < 8;
};

const nodes = [];
const tags = new Map();
function node(i, j, layer) {
  const key = `${i} ${j} ${layer}`;
  const known = tags.get(key);
  if (known) return known;
  const angle = (TURN * layer) / LAYERS;
  const [x, y] = [ALONG[i], ACROSS[j]];
  const turned = [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)];
  // Six decimals: the same text on every machine, whatever its sine does in the last bit.
  nodes.push([...turned, (LENGTH * layer) / LAYERS].map((c) => String(Number(c.toFixed(6)) + 0)));
  tags.set(key, nodes.length);
  return nodes.length;
}

/** The six ways from one corner of a brick to the opposite one along its edges, even permutations first. */
const WAYS = [
  { steps: [0, 1, 2], even: true },
  { steps: [1, 2, 0], even: true },
  { steps: [2, 0, 1], even: true },
  { steps: [0, 2, 1], even: false },
  { steps: [1, 0, 2], even: false },
  { steps: [2, 1, 0], even: false },
];

const tetrahedra = [];
for (let layer = 0; layer < LAYERS; layer++)
  for (let i = 0; i < ALONG.length - 1; i++)
    for (let j = 0; j < ACROSS.length - 1; j++) {
      if (!inSection(i, j)) continue;
      for (const { steps, even } of WAYS) {
        const corner = [i, j, layer];
        const corners = [node(...corner)];
        for (const axis of steps) {
          corner[axis]++;
          corners.push(node(...corner));
        }
        if (!even) [corners[2], corners[3]] = [corners[3], corners[2]];
        tetrahedra.push(corners);
      }
    }

const text = [
  '$MeshFormat\n4.1 0 8\n$EndMeshFormat',
  '$PhysicalNames\n1\n3 1 "silicone"\n$EndPhysicalNames',
  `$Entities\n0 0 0 1\n1 -30 -30 0 30 30 ${LENGTH} 1 1 0\n$EndEntities`,
  `$Nodes\n1 ${nodes.length} 1 ${nodes.length}\n3 1 0 ${nodes.length}`,
  ...nodes.map((_, i) => i + 1),
  ...nodes.map((coordinates) => coordinates.join(' ')),
  `$EndNodes\n$Elements\n1 ${tetrahedra.length} 1 ${tetrahedra.length}\n3 1 4 ${tetrahedra.length}`,
  ...tetrahedra.map((corners, i) => [i + 1, ...corners].join(' ')),
  '$EndElements\n',
].join('\n');

mkdirSync(new URL('../examples/meshes/', import.meta.url), { recursive: true });
writeFileSync(new URL('../examples/meshes/helicoid.msh', import.meta.url), text);
process.stdout.write(`${nodes.length} nodes, ${tetrahedra.length} tetrahedra, ${text.length} bytes\n`);
