/** What `compile --regressor` is asked for: parameters in which forces are linear, each for itself or as base parameters. */
import type { SymbolicRobot } from '../../api/robot.ts';
import { rolesOf } from '../../api/straight.ts';
import { KanegenError } from '../../common/error.ts';
import type { Robot } from '../../description/model/robot.ts';
import { baseColumns } from '../../identification/base-parameters.ts';
import { identifiableRobot, type ParameterChoice } from '../../identification/parameters.ts';
import { compileRegressor } from '../../identification/regressor.ts';
import type { RegressorChoice } from '../../straight/functions/regressor.ts';
import { complain } from '../terminal/terminal.ts';
import { keptParameters, straightChoice, type StraightCommandOptions } from './straight.ts';

/**
 * Undefined unless asked for. Of all parameters those that do not act linearly are left out, with a note.
 * @throws KanegenError of names that are neither parameters nor rigid links, or that forces are not linear in.
 */
export async function regressorChoice(
  opened: SymbolicRobot,
  options: StraightCommandOptions,
): Promise<RegressorChoice | undefined> {
  const { model: robot } = opened;
  if (!options.straight || options.regressor === undefined) return undefined;
  const names = typeof options.regressor === 'string' ? options.regressor.split(',').map((name) => name.trim()) : [];
  const links = names.filter((name) => isRigidLink(robot, name));
  const only = names.filter((name) => !links.includes(name));
  // Named ones need not be read at run time by other functions.
  const keep = [...keptParameters(options.keep), ...only];
  const own = only.length > 0 ? loadNamed(opened, keep) : robot;
  const asked: ParameterChoice = names.length > 0 ? { only, inertial: links } : { inertial: true };
  const open = identifiableRobot(own, asked);
  const { parameters } = open;
  const { linear, idle } =
    names.length > 0 ? { linear: parameters, idle: [] } : rolesOf(open.robot, parameters, straightChoice(options));
  const bent = parameters.filter((parameter) => !linear.includes(parameter));
  // Links have their ten, so that a column is found by its place.
  const unread = idle.filter(({ link }) => link === undefined);
  const taken = linear.filter((parameter) => !unread.includes(parameter));
  const say = (left: readonly { readonly name: string }[], why: string): void => {
    const listed = left.map(({ name }) => name).join(', ');
    if (left.length > 0) complain(`note: forces ${why} ${listed}: the regressor has no columns for them\n`);
  };
  say(bent, 'are not linear in');
  say(unread, 'do not depend on');
  if (taken.length === 0)
    throw new KanegenError('nothing-to-identify', `${robot.name} has no parameter in which forces are linear`, {
      remedy: 'remove --regressor, or name parameters: --regressor NAMES',
    });
  const choice = { robot: open.robot, parameters: taken };
  if (!options.base) return choice;
  const isTaken = ({ name }: { readonly name: string }): boolean => taken.some((one) => one.name === name);
  const regressor = await compileRegressor(own, {
    ...asked,
    only: own.parameters.filter(isTaken).map(({ name }) => name),
  });
  return { ...choice, columns: baseColumns(regressor) };
}

/** @throws KanegenError `unknown-parameter` of names that mean neither parameters nor rigid links. */
function loadNamed(robot: SymbolicRobot, keep: readonly string[]): Robot {
  try {
    return robot.with({ keep }).model;
  } catch (error) {
    if (!(error instanceof KanegenError && error.code === 'unknown-parameter')) throw error;
    const links = robot.model.links.flatMap(({ name, body }) => (body.kind === 'rigid' ? [name] : []));
    throw new KanegenError(error.code, error.message, {
      remedy: `${error.remedy ?? ''}; rigid links: ${links.join(', ') || 'none'}`,
    });
  }
}

/** Links of a rigid body, but for names that are a parameter's. */
function isRigidLink({ links, parameters }: Robot, name: string): boolean {
  return (
    links.some((link) => link.name === name && link.body.kind === 'rigid') && !parameters.some((p) => p.name === name)
  );
}
