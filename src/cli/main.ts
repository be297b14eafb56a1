/**
 * Commands and their options. Exit codes: 0 done, 1 the robot or the numbers are wrong, 2 the command line is.
 * Commands live in one file each and are loaded when they run: start-up time is part of the compile time.
 */
import { Command, CommanderError, Option } from 'commander';
import { VERSION } from '../codegen/modules/version.ts';
import { allowSeconds } from '../common/work-limit.ts';
import { reportFailure, UsageError } from './terminal/failure.ts';
import { positiveNumber } from './terminal/numbers.ts';
import { complain, print, setQuiet } from './terminal/terminal.ts';

/** A command that takes several options at once. */
class OptionedCommand extends Command {
  override createCommand(name?: string): OptionedCommand {
    return new OptionedCommand(name);
  }

  takes(...options: readonly Option[]): this {
    for (const option of options) this.addOption(option);
    return this;
  }
}

const target = (): Option =>
  new Option('--target <target>', 'language of the code that is run').choices(['ts', 'c']).default('ts');
const precision = (): Option =>
  new Option('--precision <precision>', 'scalar type; single exists in C only')
    .choices(['double', 'single'])
    .default('double');
const collect = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value];
const set = (): Option =>
  new Option('--set <name=value>', 'override a parameter of the robot; repeatable').argParser(collect).default([]);
const silence = (): Option =>
  new Option('--silence <kind>', 'leave out warnings of a kind (the name at their end); repeatable')
    .argParser(collect)
    .default([]);
const maximum = (what: string, of: string, standard: string): Option =>
  new Option(`--max-${what} <number>`, `limit of ${what} ${of} (${standard})`);
const hold = (): Option =>
  new Option(
    '--hold <name[=value]>',
    'hold a coordinate, or all of a link, at the start of the search or at a value; repeatable',
  )
    .argParser(collect)
    .default([]);
const view = (): Option =>
  new Option(
    '--view <name>',
    'front, side, top, iso, back, or angles in degrees: turn,height (default: by the motion)',
  );
const size = (): Option => new Option('--size <pixels>', 'WIDTH or WIDTHxHEIGHT of pictures and films');
const json = (): Option => new Option('--json', 'print the result as JSON');
const anew = (): Option => new Option('--no-cache', 'compile, whatever earlier commands compiled');
/** Of commands that derive terms, or have code made and run it. */
const seconds = (): Option =>
  maximum('seconds', 'of the processor for one body type, and for the code of one link type', '120').argParser(
    (text) => {
      allowSeconds(positiveNumber('--max-seconds', text));
      return text;
    },
  );

/** Options of commands that are told what acts on frames. */
function loaded(command: OptionedCommand): OptionedCommand {
  return command
    .option(
      '--load <frame=fx,fy,fz>',
      'force on a frame, world axes; optionally followed by a moment mx,my,mz; repeatable',
      collect,
      [],
    )
    .option('--follower <frame=fx,fy,fz>', 'the same in axes of the frame: the load follows it', collect, []);
}

/** Options of commands that are told what acts on a robot. */
function acted(command: OptionedCommand): OptionedCommand {
  return loaded(
    command
      .option(
        '--input <name=value>',
        'input of an actuator, in SI units or with a unit, as p1=20 kPa; repeatable',
        collect,
        [],
      )
      .option('--force <name=value>', 'generalized force on a coordinate; repeatable', collect, []),
  ).takes(hold(), set(), silence(), anew(), seconds(), json());
}

export function buildCommandLine(): Command {
  const program = new OptionedCommand('kanegen')
    .description('Compiles symbolic robot kinematics to straight-line dynamics code in TypeScript and C.')
    .version(VERSION)
    .showHelpAfterError('(see kanegen --help)')
    .configureOutput({ writeOut: print, writeErr: complain })
    .exitOverride();

  program
    .command('compile <file>')
    .description('write the dynamics code of a robot')
    .option(
      '--target <targets>',
      'comma-separated: ts, js (with .d.ts), c, wasm (many states at once; with --straight), python (a package), fmu, rust (a crate), ros2, matlab, cuda, wgsl (kernels)',
      'ts,c',
    )
    .option('--out <directory>', 'output directory (default: generated/NAME beside the robot file)')
    .option('--derivatives', 'add exact derivatives of the dynamics along directions')
    .option('--points', 'add places of material points that are given at run time')
    .option('--rod-statics', 'add statics of the rod under loads at its end, without coordinates (ts, js, c)')
    .option('--modules', 'write link modules, and a driver that assembles robots from them at run time')
    .option('--straight', 'add straight-line functions of the complete robot')
    .option(
      '--functions <list>',
      'only these functions, in both forms: inverse-dynamics,mass-matrix,… (default: default; or all)',
    )
    .option('--keep <names>', 'parameters (or gravity) that straight-line functions read at run time', collect, [])
    .option(
      '--regressor [names]',
      'add the regressor Y of tau = offset + Y pi, by parameters and rigid links (default: all linear ones)',
    )
    .option('--base', 'a column for each base parameter only')
    .takes(
      maximum('operations', 'of all straight-line functions', '200000'),
      maximum('seconds', 'of the processor for one body type, and for straight-line functions', '120'),
      maximum('bytes', 'of code and constants of the C, as float for a Cortex-M4F', 'none'),
    )
    .option('--terms', 'also write the terms of the papers for every body type (JSON, expressions)')
    .option('--source-map', 'write the purpose of each statement and its place in the robot file (JSON)')
    .option('--line-directives', 'write #line into C before statements that a line of the robot file determines')
    .option('--amalgamate', 'write C as one header and one source file, NAME.h and NAME.c')
    .option('--shared', 'build C as a shared library with plain names')
    .option('--packaging', 'add library.json, library.properties and zephyr/module.yml to the C')
    .option('--wheel', 'add a wheel to the package for Python, compiled here')
    .option('--scenario <file>', 'an environment of Gymnasium in the package for Python; more than once', collect, [])
    .option('--fmi <versions>', 'versions of FMUs: 2, 3 or 2,3 (default: 2,3)')
    .option('--watch', 'compile again whenever the file changes')
    .takes(set(), silence(), anew(), json())
    .addHelpText(
      'after',
      `
Which functions belong together: forward_dynamics undoes active_inverse_dynamics (M qdd + c + g + elastic + damping +
fluid); inverse_dynamics (M qdd + c + g) leaves springs, damping and water out.`,
    )
    .action(async (file, options) => (await import('./commands/code/compile.ts')).compileCommand(file, options));

  program
    .command('board <file>')
    .description('write a controller in closed loop on a processor: start-up code, linker script, timer, plant, faults')
    .requiredOption('--board <name>', 'qemu-m4, qemu-m7 or stm32f4')
    .option('--controller <name>', 'of the robot file (default: the first)')
    .option('--to <state>', 'named state to which the reference moves from the defaults (default: it rests)')
    .option('--out <directory>', 'output directory, for a folder board-NAME (default: generated/NAME)')
    .takes(maximum('bytes', 'of code and constants of the image', 'none'), set(), silence(), anew(), seconds(), json())
    .action(async (file, options) => (await import('./commands/code/board.ts')).boardCommand(file, options));

  loaded(
    program
      .command('evaluate <file>')
      .description('evaluate the generated code at given states, under loads on frames'),
  )
    .option(
      '--states <file>',
      'JSON file { "states": [{ "q": […], "qd": […], "qdd": […] }] } (default: the defaults and the named states at rest)',
    )
    .option('--straight', 'take M, c, g and tau from straight-line functions instead of the driver')
    .takes(
      maximum('operations', 'of all straight-line functions', '200000'),
      maximum('seconds', 'of the processor for one body type, and for straight-line functions', '120'),
    )
    .option('--out <file>', 'write the result there instead of printing it')
    .option('--json', 'print the result as JSON: it has no other form')
    .takes(target(), precision(), set(), silence(), anew())
    .action(async (file, options) => (await import('./commands/evaluate.ts')).evaluateCommand(file, options));

  program
    .command('check <file>')
    .description('summarise a robot file: masses, lengths, stiffness, sag, what acts; and warn of likely mistakes')
    .takes(set(), silence(), anew(), seconds(), json())
    .action(async (file, options) => (await import('./commands/check.ts')).checkCommand(file, options));

  program
    .command('verify <file>')
    .description('check the generated code against independent computations')
    .option('--seed <number>', 'seed of the random states', '1')
    .option('--states <number>', 'number of random states', '3')
    .option('--straight', 'also check straight-line functions of the complete robot')
    .option('--derivatives', 'also check derivatives')
    .option('--no-c', 'leave out the comparison with C')
    .option('--thorough', 'independent evaluation at all states and points, however long it takes')
    .takes(
      maximum('operations', 'of all straight-line functions', '200000'),
      maximum(
        'seconds',
        'of the processor for one body type, one state of the independent evaluation, and straight-line functions',
        '120',
      ),
      set(),
      silence(),
      json(),
    )
    .action(async (file, options) => (await import('./commands/verify.ts')).verifyCommand(file, options));

  program
    .command('simulate <scenario>')
    .description('run a scenario: a robot, its initial state, its inputs and the expected results')
    .option('--out <file>', 'write the samples there: NAME.csv, NAME.json or NAME.ndjson')
    .option('--plot <file>', 'draw coordinates, positions and energies over time there (SVG)')
    .option('--report <file>', 'write a page there with plots and the moving robot in space (HTML)')
    .option('--figure <file>', 'draw the robot at several times in one picture there: NAME.svg or NAME.png')
    .option('--film <file>', 'write a film there: NAME.gif, .svg, .png (animated); by ffmpeg .mp4, .webm, .webp')
    .option('--times <list>', 'times of the figure in s, as 0,0.5,1, or how many, as 8x (default: 5x)')
    .takes(view(), size())
    .option('--fps <number>', 'frames of the film in a second (default: 25)')
    .option('--speed <number>', 'seconds of the run in a second of the film (default: the film takes 2 s to 8 s)')
    .option('--format <format>', 'csv, json or ndjson (default: by the name of the file)')
    .option('--sweep <table>', 'a run for every row of a CSV table of parameters, initial values and inputs by name')
    .option('--jobs <number>', 'threads of a sweep (default: as many as there are processors)')
    .option('--target <target>', 'ts, or c: the generated C takes the steps', 'ts')
    .option('--integrator <name>', 'in C: rosenbrock, generalized-alpha (generated) or cvode, ida (SUNDIALS)')
    .takes(anew(), seconds(), json())
    .action(async (file, options) => (await import('./commands/simulate.ts')).simulateCommand(file, options));

  program
    .command('view <file>')
    .description('show the robot in a page of this machine: move it by sliders, find its equilibria, let it move')
    .option('--port <number>', 'of the page (default: one that is free)')
    .option('--no-open', 'print the link without opening a browser')
    .option('--log <file>', 'CSV of `t` and coordinates, as `simulate --out` writes it: the page plays it')
    .option('--html <file>', 'write a page that needs nothing else instead: pictures of what single sliders do')
    .takes(set(), silence(), anew(), seconds())
    .action(async (file, options) => (await import('./commands/view.ts')).viewCommand(file, options));

  program
    .command('assemble <file>')
    .description('find coordinates near a state at which the loops of a robot are closed')
    .option('--state <name>', 'named state near which to search (default: the defaults)')
    .takes(hold(), set(), silence(), anew(), seconds(), json())
    .action(async (file, options) =>
      (await import('./commands/configurations/assemble.ts')).assembleCommand(file, options),
    );

  acted(
    program
      .command('statics <file>')
      .description('find the equilibrium under gravity, inputs and loads')
      .option('--from <state>', 'named state in which the search begins (default: the defaults)')
      .option('--rod', 'the rod itself as well, without its coordinates')
      .option(
        '--profile <name=change>',
        'with --rod: by what a profile changes to the end where the search begins; repeatable',
        collect,
        [],
      )
      .option('--figure <file>', 'draw the robot in equilibrium there: NAME.svg or NAME.png')
      .takes(view(), size()),
  ).action(async (file, options) =>
    (await import('./commands/configurations/statics.ts')).staticsCommand(file, options),
  );

  acted(
    program
      .command('linearise <file>')
      .description('show modes, frequencies and damping about the equilibrium, or about a state')
      .option('--state <name>', 'a named state instead of the equilibrium')
      .option('--from <state>', 'named state in which the search for the equilibrium begins'),
  ).action(async (file, options) =>
    (await import('./commands/configurations/linearise.ts')).lineariseCommand(file, options),
  );

  loaded(
    program
      .command('ik <file>')
      .description('find coordinates at which frames have given poses, or the closest ones')
      .requiredOption(
        '--pose <x,y,z>',
        'position in m, world axes; optionally followed by roll,pitch,yaw in rad; repeatable',
        collect,
      )
      .option('--frame <name>', 'frame of the pose (default: the tip); one per --pose', collect, [])
      .option('--from <state>', 'named state in which the first search begins (default: the defaults)')
      .option('--equilibrium', 'find inputs of the actuators, within their limits, whose equilibrium has the pose')
      .option('--force <name=value>', 'generalized force on a coordinate; repeatable', collect, []),
  )
    .takes(hold())
    .option('--starts <number>', 'number of searches, all but the first from random coordinates or inputs', '41')
    .option('--seed <number>', 'seed of the random numbers', '1')
    .takes(set(), silence(), anew(), seconds(), json())
    .action(async (file, options) =>
      (await import('./commands/configurations/ik.ts')).inverseKinematicsCommand(file, options),
    );

  program
    .command('plan <file>')
    .description(
      'find coordinates, or inputs, with which frames pass places over time: a file for splines of scenarios',
    )
    .requiredOption('--path <file>', 'CSV: t, and `NAME x`, `NAME y`, `NAME z` of frames, in s and m, world axes')
    .requiredOption('--out <file>', 'write coordinates there, and what belongs to --equilibrium (CSV)')
    .option('--from <state>', 'named state in which the first search begins (default: the defaults)')
    .option('--equilibrium', 'find inputs of the actuators, within their limits, whose equilibria pass the places')
    .takes(set(), silence(), anew(), seconds())
    .action(async (file, options) => (await import('./commands/configurations/plan.ts')).planCommand(file, options));

  program
    .command('identify <file>')
    .description('estimate parameters from measured motion and forces, or from places of markers')
    .option('--data <file>', 'CSV: t, coordinates NAME, rates NAME_d, accelerations NAME_dd, forces `tau NAME`, inputs')
    .option('--markers <file>', 'CSV: `NAME x`, `NAME y`, `NAME z` of frames, and inputs: a line is an equilibrium')
    .option('--moving', 'lines of --markers are instants of one motion, with the column `t`')
    .option('--parameters <names>', 'parameters of the robot to identify (default: those marked `runtime: true`)')
    .option('--inertial [links]', 'also the ten inertial parameters of rigid links, of all or of those named')
    .option(
      '--window <number>',
      'instants per piece of the splines of an estimated motion (default: chosen by the data)',
    )
    .takes(set(), seconds(), silence(), json())
    .action(async (file, options) => (await import('./commands/identify.ts')).identifyCommand(file, options));

  program
    .command('compare <file>')
    .description('compare the recursion with the Euler–Lagrange equations: cost of derivation, operations, size, speed')
    .option('--links <list>', 'lengths of chains made from the robot, such as 1,2,5,10')
    .option('--up-to <number>', 'all lengths from 1')
    .option('--formulations <list>', 'of recursion,lagrange,christoffel', 'recursion,lagrange,christoffel')
    .option('--states <number>', 'random states at which results are compared', '100')
    .option('--seed <number>', 'seed of the random states', '1')
    .option('--rounds <number>', 'measurements of each time; the median counts', '15')
    .option('--max-seconds <number>', 'limit of the processor time for each derivation', '60')
    .option('--max-operations <number>', 'limit of operations of inverse dynamics for which code is generated', '20000')
    .option('--out <directory>', 'write compare.json there, and compare.svg when there are several lengths')
    .takes(set(), silence(), json())
    .action(async (file, options) => (await import('./commands/compare.ts')).compareCommand(file, options));

  program
    .command('explain <file>')
    .description('show terms as mathematics, how each integral was obtained, and operation counts')
    .option('--coordinates', 'print the table of coordinates only')
    .option('--latex', 'print a LaTeX document: terms by quantity')
    .option('--states <file>', 'print the terms of deformable bodies as numbers at these states (JSON)')
    .takes(set(), seconds(), silence(), json())
    .action(async (file, options) => (await import('./commands/explain.ts')).explainCommand(file, options));

  program
    .command('init [name]')
    .description('write a commented robot file to start from')
    .option('--kind <kind>', 'arm, tendon-arm, finger, urdf, or scenario (with its robot)', 'arm')
    .action(async (name, options) => (await import('./commands/init.ts')).initCommand(name, options));

  program
    .command('import <file>')
    .description('convert a URDF, MJCF or SDF file into a robot file')
    .option('--free', 'URDF: with a free base: the first link can move in all directions')
    .option('--from <link>', 'URDF: begin with that link of the file (default: the root)')
    .option('--controller <law>', 'with motors and a law within their limits: computed-torque or pd')
    .option('--out <file>', 'write the robot file there (default: NAME.robot.yaml)')
    .action(async (file, options) => (await import('./commands/import.ts')).importCommand(file, options));

  program
    .command('reference <directory>')
    .description('compare with a directory of reference files')
    .option('--only <prefixes>', 'comma-separated beginnings of file names')
    .option('--straight', 'take M, c, g and tau from straight-line functions instead of the driver')
    .takes(target(), precision())
    .action(async (directory, options) =>
      (await import('./commands/reference.ts')).referenceCommand(directory, options),
    );

  program
    .command('cache [what]')
    .description('say where compiled robots are kept and how large they are; `kanegen cache clear` removes them')
    .action(async (what) => (await import('./commands/cache.ts')).cacheCommand(what));

  program
    .command('completion <shell>')
    .description('print a script that completes commands, options and files: bash, zsh or fish')
    .action(async (shell) => (await import('./commands/completion.ts')).completionCommand(shell, program));

  program
    .command('demo')
    .description('compile, evaluate and verify a soft arm and a UR10e')
    .option('--out <directory>', 'where the code goes', 'demo-output')
    .action(async (options) => (await import('./commands/demo.ts')).demoCommand(options));

  for (const command of program.commands)
    command
      .option('-q, --quiet', 'leave out warnings, notes and progress')
      .hook('preAction', (_, { opts }) => setQuiet(opts.call(command)['quiet'] === true));
  return program;
}

/** Runs a command, as the words after `kanegen` say; what came of it stands in `process.exitCode`. */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  try {
    await buildCommandLine().parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else if (error instanceof UsageError) {
      complain(`error: ${error.message}\n`);
      process.exitCode = 2;
    } else process.exitCode = reportFailure(error);
  } finally {
    // The next command of this process says what it has to say.
    setQuiet(false);
  }
}
