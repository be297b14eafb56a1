/**
 * The structure of `interface.json`: all that a program needs to call generated code without its headers. Source of the published
 * JSON Schema and of the type in TypeScript. Numbers are in SI units; arrays are row-major.
 */
import * as z from 'zod';

/** Grows where readers of an older one would misunderstand a newer one; keys may be added without that. */
const INTERFACE_VERSION = 1;

const unit = z
  .string()
  .describe('SI unit, 1 for a plain number; `SI` of a parameter that is a bare number, whose unit only its use shows');
const bounds = {
  lower: z.number().optional().describe('none when missing'),
  upper: z.number().optional().describe('none when missing'),
};
const summary = z.string().optional();
const cName = z.string().regex(/^[A-Za-z_]\w*$/);

const coordinate = z.strictObject({
  name: z.string().describe('LINK.COORDINATE'),
  identifier: cName.describe('end of its enumerator in C, letters as they are'),
  link: z.string(),
  part: z.enum(['joint', 'body']),
  unit,
  rateUnit: unit,
  forceUnit: unit.describe('of its generalized force'),
  default: z.number(),
  ...bounds,
  drive: z
    .strictObject({
      effort: z.number(),
      velocity: z.number(),
      acceleration: z.number(),
      deceleration: z.number(),
      jerk: z.number(),
    })
    .partial()
    .optional()
    .describe('what the drive can do either way'),
  summary,
});

const input = z.strictObject({
  name: z.string(),
  identifier: cName,
  kind: z.string().describe('key of the robot file: motor, tendon, pressure, …'),
  unit: unit.describe('of u'),
  coordinateUnit: unit.describe('of the actuation coordinate y; u does work on its rate'),
  ...bounds,
  rubs: z.literal(true).optional().describe('a tendon with friction: B depends on the rates'),
  summary,
});

const parameter = z.strictObject({
  name: cName.describe('member of the structure in C'),
  kind: z.enum(['parameter', 'time']),
  unit,
  default: z.number(),
  ...bounds,
  bristle: z.int().optional().describe('where the output `bristle` of `contact` has what it becomes after a step'),
  summary,
});

const size = z.union([z.int().min(0), z.literal('columns')]);

const argument = z.strictObject({
  name: cName,
  role: z
    .enum(['workspace', 'parameters', 'columns', 'number', 'frame', 'link', 'input', 'output'])
    .describe('frame, link: an index; number: one number; columns: how many columns arrays have; others are pointers'),
  shape: z.array(size).optional().describe('of inputs and outputs, row-major; a column is a row of n numbers'),
  optional: z.literal(true).optional().describe('a null pointer skips it'),
  adds: z.literal(true).optional().describe('results are added to what it holds'),
});

const robotFunction = z.strictObject({
  name: cName,
  method: z.string().describe('in TypeScript'),
  symbol: cName.describe('in C; linkedSuffix follows it where libraries are not built with plain names'),
  purpose: z.string(),
  state: z
    .enum(['stages', 'staged', 'at'])
    .describe('stages a state; refers to the staged one; has a state of its own, after which none is staged'),
  after: cName.optional().describe('refers to what this function, called before, has left'),
  arguments: z.array(argument).describe('in C, in this order'),
  statuses: z.array(z.int()).describe('that it can return'),
});

const field = z.strictObject({
  name: cName,
  size: z.int().min(1).describe('numbers'),
  whole: z.literal(true).optional().describe('a whole number, int in C'),
  summary,
  default: z.array(z.number()).optional(),
});

const controller = z.strictObject({
  name: z.string(),
  symbol: cName.describe('before _step, _reset, _defaults, _parameters, _state'),
  law: z.string(),
  purpose: z.string(),
  parameters: z.array(field).describe('members of the structure in C, in this order; no number: no limit'),
  state: z.array(field),
  references: z.array(z.strictObject({ name: z.string(), unit })).describe('y, in order; its derivatives likewise'),
  frame: z.string().optional().describe('whose pose is the reference: y is its origin and R by rows, 12 numbers'),
  referenceSizes: z.strictObject({ y: z.int(), yd: z.int(), ydd: z.int() }),
  outputs: z.array(z.strictObject({ name: z.string(), unit })).describe('u, in order'),
  operations: z.int().describe('of a step, at most'),
  shell: z
    .strictObject({
      symbol: cName.describe('the structure in C, and before _step, _reset'),
      safe: z
        .string()
        .optional()
        .describe('the controller that acts at faults, whose gains and state are members behind those of the law'),
      settings: z.array(field).describe('members that may change from step to step; no number: no limit'),
      state: z.array(field).describe('members that are kept from step to step'),
      rates: z
        .enum(['measured', 'filtered-difference', 'tracking-loop'])
        .describe('qd is read where they are measured'),
      operations: z.int().describe('of a step with the law, at most'),
    })
    .optional()
    .describe('states, faults and limits around the law'),
});

const observer = z.strictObject({
  name: z.string(),
  symbol: cName.describe('the structure in C, with q and qd, the estimate; and before _step, _reset'),
  settings: z.array(field).describe('members that may change from step to step'),
  state: z.array(field).describe('members that are kept from step to step, q and qd among them'),
  measurements: z.array(z.strictObject({ name: z.string(), unit })).describe('z, in order'),
  operations: z.int().describe('of a step, at most'),
});

const rodStatics = z.strictObject({
  symbol: cName.describe('the function in C, whose first argument is the structure; and its file'),
  structure: cName.describe('memory of the rod'),
  steps: z.int().describe('along the rod, unless others are asked for'),
  arguments: z.array(argument).describe('in C, behind the structure, in this order'),
  statuses: z.array(z.int()).describe('that it can return'),
  operations: z.int().describe('of the balance of one section'),
});

export const robotInterface = z.strictObject({
  interface: z.literal(INTERFACE_VERSION).describe('version of this format'),
  generator: z.string(),
  robot: z.strictObject({
    name: z.string(),
    identifier: cName.describe('prefix of names in C'),
    summary,
    source: z.strictObject({ file: z.string(), sha256: z.string() }),
  }),
  abi: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .describe('changes with names, units, order or sizes: NAME_abi() returns it'),
  linkedSuffix: z
    .strictObject({ float64: z.string(), float32: z.string() })
    .describe('ends of linked names; none in libraries that are built with KG_PLAIN_NAMES'),
  sizes: z.strictObject({
    coordinates: z.int(),
    inputs: z.int(),
    parameters: z.int().describe('numbers of the structure in C: gravity, then all of `parameters`'),
    frames: z.int(),
    links: z.int(),
    rows: z.int().describe('of loops'),
    contacts: z.int().describe('pairs of contacts'),
    workspace: z.int().describe('numbers'),
  }),
  gravity: z.array(z.number()).length(3).describe('default, world axes, m/s^2'),
  coordinates: z.array(coordinate).describe('q, in order'),
  inputs: z.array(input).describe('u, in order'),
  parameters: z.array(parameter).describe('behind gravity in the structure, in order'),
  frames: z.array(z.strictObject({ name: z.string(), link: z.string() })).describe('by index'),
  tip: z.int().describe('index of a frame'),
  links: z.array(z.string()),
  contacts: z.array(z.string()).describe('pairs of contacts, in the order of `contact`'),
  rows: z
    .array(
      z.strictObject({
        name: z.string(),
        unit,
        forceUnit: unit,
        rope: z.literal(true).optional().describe('without compliance: goes slack, and becomes taut at an impact'),
      }),
    )
    .describe('rows of loops'),
  states: z.record(z.string(), z.array(z.number())).describe('named configurations'),
  functions: z.array(robotFunction),
  controllers: z.array(controller),
  observers: z.array(observer).optional().describe('filters of measurements; none when missing'),
  rodStatics: rodStatics.optional().describe('the end of the rod in equilibrium, with `--rod-statics`'),
  operations: z
    .array(z.strictObject({ call: z.string(), operations: z.int() }))
    .describe('of links: what calls cost, without sequencing'),
  statuses: z.array(z.strictObject({ number: z.int(), name: z.string(), meaning: z.string() })),
});
