/**
 * What drivers take off of derivatives that weigh generalized forces: changes of B u by actuators between links, along coordinates, and
 * where run-time parameters move what these hold on to.
 */
import { drivesBetweenLinks, movesActuators, type RobotModel } from '../modules/robot-model.ts';
import type { DriverFunction, DriverLanguage, Index } from './driver-language.ts';
import { FrameTermPrinter } from './frame-terms.ts';
import { formulaFunction, sweepFunction } from './function-names.ts';
import type { DriverPrinter } from './print-driver.ts';
import { hasFormulas } from './robot-programs.ts';

/** Of actuators between links, for derivatives by run-time parameters. */
export function deductions(
  printer: DriverPrinter,
  language: DriverLanguage,
  model: RobotModel,
): readonly DriverFunction[] {
  const frameTerms = new FrameTermPrinter(printer, language, model);
  return [...ofLinks(language, model, frameTerms, printer.n), ...ofPlaces(language, model, frameTerms, printer)];
}

function ofPlaces(
  language: DriverLanguage,
  model: RobotModel,
  frameTerms: FrameTermPrinter,
  { n, p }: { readonly n: Index; readonly p: Index },
): readonly DriverFunction[] {
  if (!movesActuators(model)) return [];
  const [unit, pulled] = [language.shared('unitParameter'), language.shared('pulled')];
  const entry = 'by_p[k]';
  const product = `${language.value(language.sharedNumber('pulled', 'b'))} * ${language.value('by_tau[b]')}`;
  const lines = [
    language.clearShared('unitParameter'),
    language.clearShared('pulled'),
    `${language.sharedNumber('unitParameter', 'k')} = ${language.target.number(1)};`,
    language.call('alongParameters', ['0', unit]),
    language.clearShared('baseTangent'),
    ...(frameTerms.hasDrives ? [language.call('reachVariations', ['0', 'u', pulled])] : []),
    ...(frameTerms.hasForces ? [language.call('addForceVariations', ['0', language.target.number(-1), pulled])] : []),
    language.loop('b', 0, n, false),
    `  ${entry} = ${language.value(entry)} - ${product};`,
    '}',
  ];
  return [
    {
      name: 'deductPlaces',
      purpose: 'What by_tau weighs of changes of B u as run-time parameters move actuators between links, taken off.',
      parameters: [
        ['u', 'read'],
        ['by_tau', 'read'],
        ['by_p', 'written'],
      ],
      lines: [language.loop('k', 0, p, false), ...lines.map((line) => `  ${line}`), '}'],
    },
  ];
}

function ofLinks(
  language: DriverLanguage,
  model: RobotModel,
  frameTerms: FrameTermPrinter,
  n: Index,
): readonly DriverFunction[] {
  if (!model.gradients || !drivesBetweenLinks(model)) return [];
  const [unit, pulled] = [language.shared('unitChange'), language.shared('pulled')];
  const entry = 'by_q[a]';
  const product = `${language.value(language.sharedNumber('pulled', 'b'))} * ${language.value('by_tau[b]')}`;
  const lines = [
    language.clearShared('unitChange'),
    language.clearShared('pulled'),
    `${language.sharedNumber('unitChange', 'a')} = ${language.target.number(1)};`,
    ...(hasFormulas(model)
      ? [
          language.call(sweepFunction('takeDirection'), ['0', unit]),
          language.call(formulaFunction('changes'), ['0', 'u', pulled]),
        ]
      : []),
    ...(frameTerms.hasDrives ? [language.call('reachTangents', ['0', 'u', unit, pulled])] : []),
    language.loop('b', 0, n, false),
    `  ${entry} = ${language.value(entry)} - ${product};`,
    '}',
  ];
  return [
    {
      name: 'deductLinks',
      purpose: 'What by_tau weighs of changes of B u by actuators between links, taken off, column by column.',
      parameters: [
        ['u', 'read'],
        ['by_tau', 'read'],
        ['by_q', 'written'],
      ],
      lines: [language.loop('a', 0, n, false), ...lines.map((line) => `  ${line}`), '}'],
    },
  ];
}
