/** Names, texts and numbers of MATLAB and Octave. */
import type { Robot } from '../../../description/model/robot.ts';
import { KanegenError } from '../../../common/error.ts';
import { commentText, parameterIdentifiers, snakeCase } from '../../naming/identifiers.ts';

/** Words that neither a function nor a member of a structure can be named like, in MATLAB or in Octave. */
const KEYWORDS = new Set(
  (
    'break case catch classdef continue do else elseif end end_try_catch end_unwind_protect endfor endfunction endif endparfor endswitch ' +
    'endwhile enumeration events for function global if methods otherwise parfor persistent properties return spmd switch try until ' +
    'unwind_protect unwind_protect_cleanup while'
  ).split(' '),
);

/** Functions of MATLAB whose names robots may well have: they would hide the package, or the package them. */
const TAKEN = new Set(
  (
    'all and ans any area axes bar camera cell char circshift class clock colon compass contour cross cylinder date deal demo diff disp ' +
    'display dot double edit eps error example exist eye figure fill find flow frame2im gallery gca get grid help hidden hold home i image ' +
    'import info int32 inv j keyboard kron legend length light line load log logical magic max mean membrane mesh min mod model more nan ' +
    'norm not now numel ones open or pack patch path peaks pi play plot power print profile quiver rand rank reset ribbon robot rose run ' +
    'save scatter script series set shift sign sim simulink sin single size slice sort sphere spy stairs stem step string strip struct sum ' +
    'surf system table tail tan tensor test text tic time timer title toc tool trace transpose tree type union view wait what which who ' +
    'whos width world zeros zoom'
  ).split(' '),
);

/** `namelengthmax`. */
const LONGEST = 63;

/** `end` → `end_`. */
export const matlabName = (name: string): string => (KEYWORDS.has(name) ? `${name}_` : name);

export const packageName = (name: string): string => (KEYWORDS.has(name) || TAKEN.has(name) ? `${name}_robot` : name);

/** Of a controller of the robot, or of an observer. */
export const blockName = (symbol: string): string => `${symbol}_sfun`;

/** A row of characters. */
export const quoted = (text: string): string => `'${commentText(text).replace(/'/g, "''")}'`;

export const numberText = (value: number): string => String(value).replace('Infinity', 'Inf');

/** @throws KanegenError `no-matlab` for robots that do not move, and names that are too long. */
export function demandForMatlab(robot: Robot): void {
  const { name, coordinates, controllers = [], observers = [] } = robot;
  if (coordinates.length === 0)
    throw new KanegenError('no-matlab', `\`${name}\` has no coordinates: there is nothing to compute`, {
      remedy: 'leave `matlab` out of --target',
    });
  const own = snakeCase(name);
  const names = [
    { name, text: blockName(packageName(own)) },
    ...[...controllers, ...observers].map((law) => ({
      name: law.name,
      text: blockName(`${own}_${snakeCase(law.name)}`),
    })),
    ...parameterIdentifiers(robot.parameters).map((text) => ({ name: text, text })),
    ...Object.keys(robot.states).map((text) => ({ name: text, text: matlabName(snakeCase(text)) })),
  ];
  const long = names.find(({ text }) => text.length > LONGEST);
  if (long)
    throw new KanegenError(
      'no-matlab',
      `\`${long.name}\` becomes \`${long.text}\`, of ${long.text.length} characters: names in MATLAB have ${LONGEST} at most`,
      { remedy: 'write a shorter name, or leave `matlab` out of --target' },
    );
}
