/** Functions of a robot in Rust: the declaration of the C, and the method that calls it over arrays of fixed size. */
import { unitsOf } from '../../interface/calls.ts';
import type { RobotInterface } from '../../interface/robot-interface.ts';
import { commentText, distinct, listed, wrapped } from '../../naming/identifiers.ts';
import { rustName } from './rust-names.ts';

type FunctionInterface = RobotInterface['functions'][number];
type Argument = FunctionInterface['arguments'][number];
type Shape = NonNullable<Argument['shape']>;

export interface FunctionData {
  readonly name: string;
  readonly symbol: string;
  /** Parameters of the declaration. */
  readonly raw: readonly string[];
  /** Whose method it is. */
  readonly on: 'robot' | 'state';
  readonly lines: readonly string[];
}

/** `[3, 2]` → `[[Real; 2]; 3]`. */
export const shapeType = (shape: Shape): string =>
  [...shape].reverse().reduce<string>((inner, size) => `[${inner}; ${size}]`, 'Real');

/** Text of users in comments for rustdoc, which takes brackets for links and angles for tags. */
export const textOf = (text: string): string => commentText(text).replace(/[[\]<>\\`]/g, (letter) => `\\${letter}`);

export function functionData(of: RobotInterface, f: FunctionInterface): FunctionData {
  const on = f.state === 'staged' ? 'state' : 'robot';
  const robot = on === 'state' ? 'self.robot' : 'self';
  const names = distinct(
    f.arguments.map((own) => (own.role === 'frame' || own.role === 'link' ? own.role : own.name)),
    rustName,
  );
  const all = f.arguments.map((own, i) => ({ ...own, rust: names[i]! }));
  const isColumned = ({ shape }: Argument): boolean => shape?.[0] === 'columns';
  const isReturned = (own: Argument): boolean =>
    own.role === 'output' && !own.optional && !own.adds && !isColumned(own);
  const returned = all.filter(isReturned);
  const [sized] = all.filter((own) => isColumned(own) && !(own.role === 'input' && own.optional));

  const given = all.flatMap((own) => {
    const { role, shape, optional, rust } = own;
    if (role === 'workspace' || role === 'parameters' || role === 'columns' || isReturned(own)) return [];
    if (role === 'number') return [`${rust}: Real`];
    if (role === 'frame' || role === 'link') return [`${rust}: ${role === 'frame' ? 'Frame' : 'Link'}`];
    const type = isColumned(own) ? `[${shapeType(shape!.slice(1))}]` : shapeType(shape!);
    const reference = role === 'output' ? `&mut ${type}` : `&${type}`;
    return [`${rust}: ${optional ? `Option<${reference}>` : reference}`];
  });
  const passed = all.map(({ role, shape, optional, rust }) => {
    const pointer = role === 'output' ? 'as_mut_ptr' : 'as_ptr';
    const flat = shape && shape.length > 1 ? '.cast()' : '';
    if (role === 'workspace') return `&mut ${robot}.workspace`;
    if (role === 'parameters') return `&${robot}.parameters`;
    if (role === 'columns') return `${sized!.rust}.len() as Int`;
    if (role === 'number') return rust;
    if (role === 'frame' || role === 'link') return `${rust} as Int`;
    if (!optional) return `${rust}.${pointer}()${flat}`;
    const missing = role === 'output' ? 'null_mut' : 'null';
    return `${rust}.map_or(core::ptr::${missing}(), |own| own.${pointer}()${flat})`;
  });
  const raw = all.map(({ role, rust }) => {
    const types = { workspace: '*mut Workspace', parameters: '*const Parameters', number: 'Real' } as const;
    if (role === 'input' || role === 'output') return `${rust}: *${role === 'output' ? 'mut' : 'const'} Real`;
    return `${rust}: ${role in types ? types[role as keyof typeof types] : 'Int'}`;
  });
  const values = (list: readonly string[]): string => (list.length === 1 ? list[0]! : `(${list.join(', ')})`);
  const result = f.state === 'stages' ? "State<'_>" : values(returned.map(({ shape }) => shapeType(shape!)));
  const found = f.state === 'stages' ? 'State { robot: self }' : values(returned.map(({ rust }) => rust));
  const call = calling(f.symbol, passed);
  const checks = all
    .filter((own) => isColumned(own) && own !== sized)
    .map(({ rust, optional }) =>
      optional
        ? `same(${rust}.map_or(${sized!.rust}.len(), <[_]>::len), ${sized!.rust}.len());`
        : `same(${rust}.len(), ${sized!.rust}.len());`,
    );
  // A function without results but its status has no value to give beside it.
  const body =
    found === '()'
      ? call('')
      : [...returned.map(({ rust, shape }) => `let mut ${rust} = ${zeros(shape!)};`), ...call('?;'), `Ok(${found})`];
  return {
    name: f.name,
    symbol: f.symbol,
    raw,
    on,
    lines: [
      ...docsOf(of, f, returned, checks.length > 0).map((line) => (line ? `/// ${line}` : '///')),
      ...(checks.length > 0 ? ['#[track_caller]'] : []),
      ...signature(rustName(f.name), ['&mut self', ...given], result),
      ...[...checks, ...body].map((line) => `    ${line}`),
      '}',
    ],
  };
}

const zeros = (shape: Shape): string =>
  [...shape].reverse().reduce<string>((inner, size) => `[${inner}; ${size}]`, '0.0');

function signature(name: string, parameters: readonly string[], result: string): string[] {
  const line = `pub fn ${name}(${parameters.join(', ')}) -> Result<${result}, Status> {`;
  if (line.length <= 110) return [line];
  return [`pub fn ${name}(`, ...listed(parameters, 104).map((own) => `    ${own}`), `) -> Result<${result}, Status> {`];
}

/** The call of a raw function, which ends in `end`. */
function calling(symbol: string, passed: readonly string[]): (end: string) => string[] {
  return (end) => {
    const line = `done(unsafe { sys::${symbol}(${passed.join(', ')}) })${end}`;
    if (line.length <= 104) return [line];
    return [
      'done(unsafe {',
      `    sys::${symbol}(`,
      ...listed(passed, 96).map((own) => `        ${own}`),
      '    )',
      `})${end}`,
    ];
  };
}

function docsOf(of: RobotInterface, f: FunctionInterface, returned: readonly Argument[], panics: boolean): string[] {
  const purpose = f.purpose
    .replace(/;? ?a null pointer:? (skips|no)/g, (_, verb: string) => `; None${verb === 'no' ? ': no' : ' skips'}`)
    .replace(
      /KG_(\w+)/g,
      (_, name: string) =>
        `Status::${name.charAt(0)}${name
          .slice(1)
          .toLowerCase()
          .replace(/_(.)/g, (_all, c: string) => c.toUpperCase())}`,
    );
  const units = f.arguments.flatMap(({ name, shape }) => {
    const unit = shape && unitsOf(of, name);
    return unit ? [`${name} in ${unit}`] : [];
  });
  return [
    ...wrapped(textOf(purpose || f.name.replace(/_/g, ' ')), 106),
    ...(returned.length > 1 ? ['', `Returns ${returned.map(({ name }) => name).join(', ')}.`] : []),
    ...(f.after === undefined ? [] : ['', `Refers to what \`${f.after}\`, called before, has left.`]),
    ...(units.length > 0 ? ['', ...wrapped(textOf(`Units: ${units.join('; ')}.`), 106)] : []),
    ...(panics ? ['', '# Panics', '', 'Where arrays of columns differ in length.'] : []),
  ];
}
