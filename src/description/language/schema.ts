/**
 * The structure of a robot file: which keys there are and what shape their values have. Source of the published JSON
 * Schema and of the first check of every file; meaning (names, units, formulas) is checked afterwards.
 */
import * as z from 'zod';
import { actuator, at, force, frame } from './actuators.ts';
import { field } from './bases.ts';
import { composeStep } from './compose.ts';
import { controller, observer } from './controllers.ts';
import { FORMULA, name, pair, pose, summary, value, vector } from './schema-values.ts';
import { contact } from './contacts.ts';
import { loop } from './loops.ts';
import { water } from './water.ts';

const parameter = z.union(
  [
    value,
    z.strictObject({
      value: value.optional(),
      unit: z.string().optional().describe('SI unit, for parameters without a value that every link must give'),
      min: value.optional(),
      max: value.optional(),
      runtime: z.boolean().optional().describe('may change while the generated code runs'),
      summary: summary.optional(),
    }),
  ],
  { error: 'a value, or { value: …, min: …, max: …, runtime: true }' },
);

const coordinate = z.strictObject({
  unit: z.string().optional().describe('SI unit: rad, m, 1/m; none for a plain number'),
  default: value.optional(),
  limits: pair.optional(),
  count: z.int().min(1).max(1000).optional().describe('NAME1 … NAMEcount instead of NAME'),
  summary: summary.optional(),
});

const section = z.strictObject({
  disc: value.optional().describe('radius'),
  annulus: pair.optional().describe('[inner radius, outer radius]'),
  rectangle: pair.optional().describe('[full width along x, full height along y]'),
  ellipse: pair.optional().describe('[semi-axis along x, semi-axis along y]'),
  cartesian: z.array(name).length(2).optional().describe('names of the section coordinates, [x, y] by default'),
  polar: z.array(name).length(2).optional().describe('names of radius and angle in place of x and y: [r, phi]'),
});

const mesh = z
  .strictObject({
    file: z.string().optional().describe('path of a Gmsh file (.msh 4.1), relative to this file'),
    group: z.string().optional().describe('physical group of the mesh that is meant; all tetrahedra when missing'),
    nodes: z.array(z.array(z.number())).optional().describe('x, y, z of every node, in place of a file'),
    tetrahedra: z.array(z.array(z.int())).optional().describe('four nodes of each tetrahedron, counted from 0'),
    unit: z.string().optional().describe('unit of length of the mesh, m by default'),
  })
  .describe('tetrahedra out of a file, or written out');

const rodElasticity = z.strictObject({
  E: value.describe("Young's modulus"),
  nu: value.optional().describe("Poisson's ratio; or give G"),
  G: value.optional().describe('shear modulus'),
  'shear-factor': z
    .union([value, pair], { error: 'one factor, or two: [along x, along y]' })
    .optional()
    .describe('k of the shear stiffness k G A, 1 by default; or [k of shear-x, k of shear-y]'),
  'torsion-constant': value.optional().describe("J in m^4 in place of Saint-Venant's of the section"),
});

const sectionStiffness = z
  .array(z.union([value, z.array(value)], { error: 'a value, or a row of six' }))
  .length(6)
  .describe(
    'bend-x, bend-y, twist, shear-x, shear-y, stretch: six stiffnesses, or six rows of six, in N m^2, N m and N',
  );

/** Which ones there are depends on the law; `solid-material.ts` checks them. */
const lawParameters = z.record(z.string(), value);

const naturalStrain = z.strictObject({
  'bend-x': value.optional(),
  'bend-y': value.optional(),
  twist: value.optional(),
  'shear-x': value.optional(),
  'shear-y': value.optional(),
  stretch: value.optional(),
});

const material = z.strictObject({
  'rod-elasticity': rodElasticity.optional().describe('linear in the strains'),
  'section-stiffness': sectionStiffness.optional(),
  'linear-elasticity': lawParameters.optional().describe('solids in small displacements: { E, nu }'),
  corotated: lawParameters.optional().describe('solids: { E, nu }'),
  'st-venant-kirchhoff': lawParameters
    .optional()
    .describe('solids: { E, nu }, linear in the strain of Green and Lagrange'),
  'neo-hookean': lawParameters.optional().describe('solids whose map preserves volume: { mu }'),
  'mooney-rivlin': lawParameters.optional().describe('solids whose map preserves volume: { c1, c2 }'),
  'compressible-neo-hookean': lawParameters.optional().describe('solids: { mu, lambda }'),
  energy: value.optional().describe('solids: W in J/m^3, in I1, I2, J, tr_e, e_dot_e or e_xx, e_xy, …'),
  'retardation-time': value.optional().describe('damping as a time, times the stiffness'),
  viscosity: value.optional().describe('damping in Pa s'),
  natural: naturalStrain
    .optional()
    .describe('rods: strains without stress by name, added to `rest`; may depend on the time'),
});

const volume = z
  .strictObject({
    rod: z.record(name, pair).optional().describe('{ s: [0, L] }: axial coordinate and its range'),
    section: section.optional().describe('cross-section of the rod'),
    box: z.record(name, pair).optional().describe('{ x: [a, b], y: [a, b], z: [a, b] }'),
    mesh: mesh.optional(),
    coordinates: z
      .array(name)
      .length(3)
      .optional()
      .describe('names of the coordinates of a mesh, [x, y, z] by default'),
    density: value,
    material: material.optional().describe('of this volume, in place of that of the body'),
    breaks: z
      .record(name, z.array(value))
      .optional()
      .describe('where the kinematics is not smooth, by material coordinate: { s: [L/2] }'),
  })
  .describe('a rod with its section, a box or a mesh');

const materialPoint = z.record(name, value).describe('coordinates in the reference volume; missing ones are zero');

/** Beside a `pivot`. */
const contactPoints = {
  'x-axis': materialPoint.optional(),
  'y-axis': materialPoint.optional(),
  'z-axis': materialPoint.optional(),
};

const distal = z.union(
  [
    z.literal('none'),
    z.strictObject({ pose }),
    z.strictObject({ at: materialPoint.describe('the frame that the material carries there, for ends that deform') }),
    z.strictObject({ pivot: materialPoint, ...contactPoints }),
  ],
  { error: 'contact points { pivot, x-axis, y-axis }, { at: … }, { pose: … } or none' },
);

export const strainNames = ['bend-x', 'bend-y', 'twist', 'shear-x', 'shear-y', 'stretch'] as const;
/** What weighs on the sections of a rod beside its tendons. */
const loadNames = ['gravity', 'tip'] as const;
const strain = z.strictObject({
  'bend-x': field.optional(),
  'bend-y': field.optional(),
  twist: field.optional(),
  'shear-x': field.optional(),
  'shear-y': field.optional(),
  stretch: field.optional(),
});

/** Strains by name, or the balance that decides them. */
const solvedStrain = strain.extend({
  equilibrium: z
    .strictObject({
      tendons: z
        .record(
          name,
          z.strictObject({
            route: z.record(name, value).describe('place in the section, { x: …, y: … }, by s'),
            from: z
              .record(name, value)
              .optional()
              .describe('{ s: L/4 }: where it begins, the start of the rod by default'),
            to: z.record(name, value).optional().describe('{ s: L/2 }: where it ends, the end of the rod by default'),
          }),
        )
        .optional()
        .describe('by the coordinate that is its tension'),
      pressure: z
        .record(
          name,
          z.strictObject({
            area: value.describe('of the cavity in the section, by s'),
            centre: z
              .record(name, value)
              .optional()
              .describe('place of its centre in the section, { x: …, y: … }, by s'),
            from: z.record(name, value).optional().describe('{ s: L/4 }: where it begins'),
            to: z.record(name, value).optional().describe('{ s: L/2 }: where it ends'),
          }),
        )
        .optional()
        .describe('by the coordinate that is its pressure'),
      potential: value
        .optional()
        .describe('further energy for each length, J/m: a formula of s, coordinates and strains (bend_x, twist, …)'),
      profiles: z
        .record(name, z.strictObject({ from: value.describe('its value at the start of the rod') }))
        .optional()
        .describe(
          'further functions of s that the potential depends on, by their name and name_s, and that make the energy least; of rods at rest',
        ),
      stress: strain
        .optional()
        .describe('further internal moments in N m and forces in N by strain: formulas of s and the coordinates'),
      hold: z.array(z.enum(strainNames)).optional().describe('strains that stay at rest: [shear-x, shear-y]'),
      loads: z
        .array(z.enum(loadNames))
        .min(1)
        .optional()
        .describe(
          'what hangs beyond each section: [gravity, tip], the weight of the rod and that of what its end carries',
        ),
      newton: z.int().min(1).max(12).optional().describe('Newton steps, in place of as many as the limits ask for'),
    })
    .optional()
    .describe('the section balances tensions of tendons and other stress: strains are its solution'),
  implicit: z
    .strictObject({
      unknowns: z.array(z.enum(strainNames)).min(1).describe('strains that the equations decide; others stay at rest'),
      equations: z
        .array(value)
        .min(1)
        .describe('as many formulas of s, coordinates and strains (bend_x, twist, …), which are zero'),
      start: z
        .partialRecord(z.enum(strainNames), value)
        .optional()
        .describe('where Newton’s method begins, by s; at rest when missing'),
      newton: z.int().min(1).max(12).optional().describe('Newton steps, in place of as many as the limits ask for'),
    })
    .optional()
    .describe('strains are the solution of equations'),
});

const network = z.strictObject({
  file: z.string().describe('path of a .safetensors or .onnx file, relative to this file'),
  inputs: z.array(value).describe('one formula per input, in material coordinates and coordinates'),
  offset: vector.optional().describe('added to the output of the network'),
  activation: z
    .string()
    .optional()
    .describe('between the layers, where the file does not say: tanh, sine, softplus, silu'),
  'output-activation': z.string().optional().describe('after the last layer, identity by default'),
});

const modes = z.union(
  [
    z.string().describe('path of an .npz or .npy file of NumPy, relative to this file'),
    z.strictObject({
      file: z.string().describe('path of an .npz or .npy file of NumPy, relative to this file'),
      unit: z.string().optional().describe('unit of length of the modes, where coordinates have no unit; m by default'),
    }),
  ],
  { error: 'the path of a file of modes, or { file: …, unit: … }' },
);

const integrationMethods = z.enum(['auto', 'closed-form', 'quadrature']);
const integration = z.union(
  [
    integrationMethods,
    z.strictObject({
      method: integrationMethods.optional(),
      tolerance: z.number().optional().describe('relative error that the inertial terms may have'),
      compress: z.boolean().optional().describe('fewer points that match the same moments; true by default'),
      magnus: z
        .union([z.literal(4), z.literal(6), z.literal(8)], { error: '4, 6 or 8' })
        .optional()
        .describe('order of the steps that turn the sections of a rod given by strain'),
      points: z.int().optional().describe('points along a rod given by strain'),
      recursion: z.enum(['newton-euler', 'jacobian']).optional(),
    }),
  ],
  { error: 'auto, closed-form, quadrature, or { method: …, tolerance: … }' },
);

const chamber = z
  .object({
    summary: summary.optional(),
    wall: z.record(name, value).optional().describe('{ r: R1 }: what the surface r = R1 around a rod encloses'),
    mesh: mesh.optional(),
    volume: name.optional().describe('which of several `volumes` ranges refer to; the first when missing'),
  })
  .catchall(pair)
  .describe('ranges by material coordinate: { r: [0, R1], phi: [0, pi] }; a missing range is the whole coordinate');

const bodyType = z.strictObject({
  extends: name.optional().describe('body type whose keys are taken over where they are not given here'),
  summary: summary.optional(),
  parameters: z.record(name, parameter).optional(),
  coordinates: z.record(name, z.union([coordinate, z.null()], { error: '{ unit: rad, … }' })).optional(),
  volume: volume.optional(),
  volumes: z.record(name, volume).optional().describe('several volumes by name, moved by one map'),
  let: z
    .record(name, z.union([vector, value], { error: `${FORMULA}, or three of them` }))
    .optional()
    .describe('abbreviations, scalar or vector, in order'),
  position: vector.optional().describe('where the material point (s, x, y) goes, seen from the proximal frame'),
  compose: z.array(composeStep).min(1).optional().describe('deformations one after the other'),
  network: network.optional().describe('where material points go, learned'),
  modes: modes.optional().describe('where the nodes of the mesh go, by modes of a finite-element program'),
  distal: distal.optional().describe('the frame the next link starts from'),
  pose: pose.optional().describe('frame of the section at s, seen from the proximal frame'),
  strain: solvedStrain
    .optional()
    .describe(
      'strains of a rod by name, added to `rest`; or the `equilibrium` or `implicit` equations that decide them',
    ),
  rest: strain.optional().describe('unstressed strains; stretch 1 and the others 0 by default'),
  'slides-out': name
    .optional()
    .describe('coordinate that is the free length of a rod by strain; the rest is straight inside its base'),
  'section-position': z
    .array(value)
    .length(2)
    .optional()
    .describe('where a point of the section goes, in its own axes: sections that deform'),
  material: material
    .optional()
    .describe('elasticity and damping: of a rod given by strain, or of a solid given by position'),
  chambers: z.record(name, chamber).optional().describe('cavities that pressure acts in, by name'),
  potential: value.optional().describe('energy V(q) of the coordinates: forces dV/dq among the elastic ones'),
  dissipation: value
    .optional()
    .describe('R(q, q_dot): forces dR/dq_dot among the viscous ones; NAME_dot is the rate of NAME'),
  integration: integration.optional().describe('how the integrals over the body are computed'),
});

const inertia = z.strictObject({
  about: z.enum(['com', 'proximal', 'distal']).optional().describe('centre of mass (default) or origin of a frame'),
  xx: value.optional(),
  yy: value.optional(),
  zz: value.optional(),
  xy: value.optional().describe('matrix entry, not the product of inertia with the other sign'),
  xz: value.optional(),
  yz: value.optional(),
  unphysical: z.literal(true).optional().describe('no body has this inertia, and it is meant so: no warning'),
});

const rigid = z.strictObject({
  frame: z.enum(['proximal', 'distal']).optional().describe('axes and origin of com and inertia'),
  mass: value.optional(),
  com: vector.optional(),
  inertia: inertia.optional(),
  distal: pose.optional(),
});

/** The shape of the value under a joint's name depends on the joint; `joint.ts` checks it. */
const joint = z.union([z.string(), z.record(z.string(), z.unknown())], {
  error: 'the name of a joint, or { revolute: z, limits: […] }',
});

const urdf = z
  .strictObject({
    file: z.string().describe('path of a URDF file, relative to this file'),
    from: name.optional().describe('URDF link where the part begins; the root when missing'),
    to: name.optional().describe('URDF link where a chain ends; when missing, everything that `from` carries'),
    'unphysical-inertia': z
      .literal(true)
      .optional()
      .describe('inertias of the file that no body has are meant so: no warnings'),
  })
  .describe('rigid links out of a URDF file: a chain or a whole tree');

const link = z.strictObject({
  name: name.optional(),
  parent: name.optional().describe('link on whose distal frame this one sits, or base; the link before when missing'),
  repeat: z.union([z.int().min(1), z.string()], { error: 'a whole number' }).optional(),
  offset: pose.optional().describe('distal frame of the link before → joint'),
  joint: joint.optional(),
  mount: pose.optional().describe('joint → body'),
  body: name.optional().describe('a body type of this file, of an import (lab.TYPE) or of the library'),
  parameters: z.record(name, value).optional(),
  rigid: rigid.optional(),
  urdf: urdf.optional(),
});

export const robotFile = z
  .strictObject({
    kanegen: z.literal(1).describe('version of the format'),
    name: z.string().optional().describe('names the generated files and functions'),
    summary: summary.optional(),
    import: z.record(name, z.string()).optional().describe('files whose body types are used as NAME.TYPE'),
    gravity: vector.optional().describe('world axes, [0, 0, -9.81] by default'),
    base: pose.optional().describe('world → base of the first link'),
    parameters: z.record(name, parameter).optional().describe('named quantities of the robot: { L: 0.2 m }'),
    functions: z.record(z.string(), value).optional().describe('for formulas: { smooth(t): 3*t^2 - 2*t^3 }'),
    'body-types': z.record(name, bodyType).optional().describe('kinds of deformable bodies'),
    links: z.array(link).optional().describe('the chain or tree, from base to tip'),
    frames: z
      .record(
        name,
        z.strictObject({
          on: name.describe('a link: its distal frame unless `frame` says otherwise'),
          frame,
          at: at
            .optional()
            .describe(
              'the frame that the material of a deformable body carries there: { s: L/2 }; of other links three lengths: [0, 0, 10 mm]',
            ),
          ...contactPoints,
          pivot: materialPoint
            .optional()
            .describe('origin of a frame built from points of a rigid area within the body'),
          offset: pose.optional(),
        }),
      )
      .optional()
      .describe('named output frames'),
    silence: z.array(z.string()).optional().describe('kinds of warnings that are meant so: [unused-parameter]'),
    tip: name.optional().describe('link or frame that results are reported for; the last link when missing'),
    attach: z
      .array(z.strictObject({ name, to: name.describe('link or frame'), rigid: rigid.omit({ distal: true }) }))
      .optional()
      .describe('rigid masses that ride on a frame'),
    actuators: z
      .record(name, actuator)
      .optional()
      .describe('what drives the robot, by name: motors, tendons, formulas of coordinates; in the order of the inputs'),
    forces: z
      .record(name, force)
      .optional()
      .describe('forces, by name: between frames, the gradients of energies, or spread along rods'),
    loops: z
      .record(name, loop)
      .optional()
      .describe('what closes the tree of links, by name: joints between frames, formulas held at zero'),
    contacts: z
      .record(name, contact)
      .optional()
      .describe('what presses against each other, by name: bodies, and rods against obstacles'),
    controllers: z.record(name, controller).optional().describe('what controls the robot, by name'),
    observers: z.record(name, observer).optional().describe('what finds its state from measurements, by name'),
    water: water.optional(),
    states: z.record(name, z.record(z.string(), value)).optional().describe('named configurations'),
  })
  .describe('A robot for kanegen: bodies, joints and the chain they form.');

export type RobotFile = z.infer<typeof robotFile>;
export type RawFrame = NonNullable<RobotFile['frames']>[string];
export type RawPoint = z.infer<typeof materialPoint>;
export type RawPose = z.infer<typeof pose>;
export type RawBodyType = z.infer<typeof bodyType>;
export type RawParameter = z.infer<typeof parameter>;
export type RawCoordinate = z.infer<typeof coordinate>;
export type RawVolume = z.infer<typeof volume>;
export type RawMesh = z.infer<typeof mesh>;
export type RawNetwork = z.infer<typeof network>;
export type RawModes = z.infer<typeof modes>;
export type RawMaterial = z.infer<typeof material>;
export type RawChamber = z.infer<typeof chamber>;
export type RawIntegration = z.infer<typeof integration>;
export type RawDistal = z.infer<typeof distal>;
export type RawStrain = z.infer<typeof solvedStrain>;
export type RawImplicit = NonNullable<z.infer<typeof solvedStrain>['implicit']>;
export type RawEquilibrium = NonNullable<z.infer<typeof solvedStrain>['equilibrium']>;
export type RawRigid = z.infer<typeof rigid>;
export type RawInertia = z.infer<typeof inertia>;
export type RawLink = z.infer<typeof link>;
export type RawVector = z.infer<typeof vector>;
export type RawJoint = z.infer<typeof joint>;
