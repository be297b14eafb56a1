/** `kanegen completion`: scripts for shells, from the commands, options and values as they are. */
import type { Command, Option } from 'commander';
import { BOARD_NAMES } from '../../codegen/doors/board/board.ts';
import { VIEW_NAMES } from '../../report/pictures/camera.ts';
import { UsageError } from '../terminal/failure.ts';
import { print } from '../terminal/terminal.ts';
import { KINDS } from './init.ts';

interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly Option[];
}

const SHELLS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = { bash, zsh, fish };

/**
 * Values of options that the commands themselves check, by command and option. Shells read the script whenever they start: lists whose
 * owners load much stand here again, and a test compares them.
 */
export const VALUES: Readonly<Record<string, readonly string[]>> = {
  'board --board': BOARD_NAMES,
  'compile --target': ['ts', 'js', 'c', 'wasm', 'python', 'fmu', 'rust', 'ros2', 'matlab', 'cuda', 'wgsl'],
  'import --controller': ['computed-torque', 'pd'],
  'init --kind': KINDS,
  'simulate --format': ['csv', 'json', 'ndjson'],
  'simulate --integrator': ['rosenbrock', 'generalized-alpha', 'cvode', 'ida'],
  'simulate --target': ['ts', 'c'],
  'simulate --view': VIEW_NAMES,
  'statics --view': VIEW_NAMES,
};

/** Of an option, where it has a list of them. */
const valuesOf = (command: string, { long, argChoices }: Option): readonly string[] | undefined =>
  VALUES[`${command} ${long ?? ''}`] ?? argChoices;

/** Do values stand with commas between them? */
const isList = (option: Option): boolean => /<(targets|list)>/.test(option.flags);

export function completionCommand(shell: string, program: Command): void {
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (!script) throw new UsageError(`completion knows ${Object.keys(SHELLS).join(', ')}, not ${JSON.stringify(shell)}`);
  print(
    script(
      program.commands.map((command) => ({
        name: command.name(),
        summary: command.description(),
        options: command.options,
      })),
    ),
  );
}

const longNames = (options: readonly Option[]): string[] => options.flatMap(({ long }) => (long ? [long] : []));

function bash(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, options }) => `    ${name}) words="${longNames(options).join(' ')}" ;;`);
  const values = commands.flatMap(({ name, options }) =>
    options.flatMap((option) => {
      const own = valuesOf(name, option);
      return own
        ? [`    "${name} ${option.long!}") values="${own.join(' ')}"${isList(option) ? ' list=,' : ''} ;;`]
        : [];
    }),
  );
  return `# To load it: source <(kanegen completion bash)
_kanegen() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words="" values="" list="" done=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  case "\${COMP_WORDS[1]} $before" in
${values.join('\n')}
  esac
  if [ -n "$values" ]; then
    if [ -n "$list" ] && [[ "$current" == *,* ]]; then done="\${current%,*},"; fi
    COMPREPLY=($(compgen -P "$done" -W "$values" -- "\${current#"$done"}"))
  elif [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$words --help" -- "$current")); fi
}
complete -o default -F _kanegen kanegen
`;
}

/** Between single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function zsh(commands: readonly Completed[]): string {
  const text = (own: string): string => own.replace(/[[\]:\\]/g, (c) => `\\${c}`);
  const action = (name: string, option: Option): string => {
    const values = valuesOf(name, option);
    if (!values) return '_files';
    return isList(option) ? `_values -s , value ${values.join(' ')}` : `(${values.join(' ')})`;
  };
  const cases = commands.map(({ name, options }) => {
    const own = options.flatMap((option) => {
      const { long, description, required } = option;
      return long ? [quoted(`${long}[${text(description)}]${required ? `:value:${action(name, option)}` : ''}`)] : [];
    });
    return `    ${name}) _arguments ${[...own, quoted('*:file:_files')].join(' ')} ;;`;
  });
  const names = commands.map(({ name, summary }) => quoted(`${name}:${text(summary)}`));
  return `#compdef kanegen
# To load it: source <(kanegen completion zsh)
_kanegen() {
  local -a commands=(${names.join(' ')})
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
compdef _kanegen kanegen
`;
}

function fish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c kanegen -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...options.flatMap((option) => {
      const { long, description, required } = option;
      if (!long) return [];
      const values = valuesOf(name, option);
      const words = values?.join(' ') ?? '';
      const given = isList(option) ? `(__fish_append , ${words})` : words;
      const taken = values ? ` -x -a ${quoted(given)}` : required ? ' -r' : '';
      return [
        `complete -c kanegen -n '__fish_seen_subcommand_from ${name}' -l ${long.slice(2)} -d ${quoted(description)}${taken}`,
      ];
    }),
  ]);
  return `# To load it: kanegen completion fish | source\n${lines.join('\n')}\n`;
}
