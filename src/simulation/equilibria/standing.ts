/**
 * A robot as it stands at one instant: what its joints, bodies, fields and loops have of the time is a run-time parameter, so that nothing
 * moves by it. Equilibria and small motions about them are those of this robot: rates and accelerations that the time gives are zero.
 */
import type { SymbolExpr } from '../../symbolic/graph/expr.ts';
import { zero } from '../../symbolic/graph/expr.ts';
import type { Actuator } from '../../description/model/actuator.ts';
import { TIME, timeOf, type BodyType, type Link, type Robot } from '../../description/model/robot.ts';

/** The parameter has the name of the input. The robot itself where nothing moves by the time. */
export function standing(robot: Robot): Robot {
  const time = robot.links.map(timeOf).find((own) => own !== undefined);
  if (!time) return robot;
  const { parameters, links, actuators, loops } = robot;
  const types = new Map<BodyType, BodyType>();
  return {
    ...without(robot, 'time'),
    parameters: [...parameters, { ...TIME, symbol: time, value: zero }],
    links: links.map((link) => standingLink(link, types)),
    actuators: actuators.map(standingActuator),
    ...(loops && { loops: loops.map((loop) => without(loop, 'time')) }),
  };
}

function standingLink(link: Link, types: Map<BodyType, BodyType>): Link {
  const { fields, body, joint } = link;
  const own: Link = {
    ...link,
    joint: without(joint, 'prescribed'),
    ...(fields && { fields: fields.map((field) => without(field, 'time')) }),
  };
  if (body.kind === 'rigid' || !body.type.time) return own;
  const { time } = body.type;
  const type = types.get(body.type) ?? standingType(body.type, time);
  types.set(body.type, type);
  return { ...own, body: { ...body, type, parameters: [...body.parameters, time] } };
}

function standingType(type: BodyType, time: SymbolExpr): BodyType {
  return { ...without(type, 'time'), parameters: [...type.parameters, { ...TIME, symbol: time, value: zero }] };
}

function standingActuator(actuator: Actuator): Actuator {
  const terms = actuator.terms.map((term) =>
    term.kind === 'field' ? { ...term, field: without(term.field, 'time') } : term,
  );
  return { ...actuator, terms };
}

function without<Own, Key extends keyof Own>(own: Own, key: Key): Own & { [key in Key]?: never } {
  return Object.fromEntries(Object.entries(own as object).filter(([name]) => name !== key)) as never;
}
