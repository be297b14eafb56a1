/** `kanegen init`: a commented robot file to start from. */
import { existsSync } from 'node:fs';
import { KanegenError } from '../../common/error.ts';
import { UsageError } from '../terminal/failure.ts';
import { writeFileWhole } from '../files/output.ts';
import { schemaLine } from '../files/schema-line.ts';
import { print } from '../terminal/terminal.ts';

/** @param heading - line in front of the file. */
const starter = (name: string, heading: string): string => `${heading}
kanegen: 1
name: ${name}
summary: a motor that turns a soft segment about its axis

# A bare number is SI; "NUMBER UNIT" is a quantity; anything else is a formula.
gravity: [0, 0, -9.81]

parameters:
  L0: 0.2 m
  payload: { value: 0.05 kg, runtime: true }   # run-time: can be changed without compiling again

body-types:
  segment:
    summary: planar constant-curvature segment with elongation, circular cross-section
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates:
      q: { unit: rad, summary: bending angle of the tip about +y, limits: [-180 deg, 180 deg] }
      e: { unit: m, summary: elongation }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: rho }
    let: { theta: q*s/L }
    # Position of the material point (x, y, s), seen from the segment's base. 0/0 at q = 0 is fine.
    position:
      - (L + e)*(1 - cos(theta))/q + x*cos(theta)
      - y
      - (L + e)*sin(theta)/q - x*sin(theta)
    # The frame of the tip, from three material points of the end face.
    distal: { pivot: { s: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }

links:                                         # parent's distal frame → offset → joint → mount → body
  - name: motor
    joint: { revolute: z, limits: [-180 deg, 180 deg] }
    rigid: { mass: 0.4 kg, com: [0, 0, 20 mm], inertia: { about: com, xx: 2e-4, yy: 2e-4, zz: 1e-4 }, distal: { xyz: [0, 0, 40 mm] } }
  - { name: soft, body: segment, repeat: 2, parameters: { L: L0 } }

frames: { tool: { on: soft2, offset: { xyz: [0, 0, 10 mm] } } }
tip: tool
attach: [{ name: load, to: tool, rigid: { mass: payload } }]
`;

export function initCommand(name = 'my-robot'): void {
  if (!/^[a-z][a-z0-9-]*$/.test(name))
    throw new UsageError(`the name of a robot has a-z, 0-9 and dashes only, not ${JSON.stringify(name)}`);
  const file = `${name}.robot.yaml`;
  if (existsSync(file))
    throw new KanegenError('file-exists', `${file} exists`, { remedy: 'choose another name: npx kanegen init NAME' });
  writeFileWhole(file, starter(name, schemaLine('.')));
  print(`Wrote ${file}. Next: npx kanegen verify ${file}, then npx kanegen compile ${file}.\n`);
}

export { starter };
