/** `kanegen completion`: scripts for shells, from the commands and options as they are. */
import type { Command, Option } from 'commander';
import { UsageError } from '../terminal/failure.ts';
import { print } from '../terminal/terminal.ts';

interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly Option[];
}

const SHELLS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = { bash, zsh, fish };

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
  return `# To load it: source <(kanegen completion bash)
_kanegen() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$words --help" -- "$current")); fi
}
complete -o default -F _kanegen kanegen
`;
}

/** Between single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function zsh(commands: readonly Completed[]): string {
  const text = (own: string): string => own.replace(/[[\]:\\]/g, (c) => `\\${c}`);
  const cases = commands.map(({ name, options }) => {
    const own = options.flatMap(({ long, description, required }) =>
      long ? [quoted(`${long}[${text(description)}]${required ? ':value:_files' : ''}`)] : [],
    );
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
    ...options.flatMap(({ long, description, required }) =>
      long
        ? [
            `complete -c kanegen -n '__fish_seen_subcommand_from ${name}' -l ${long.slice(2)} -d ${quoted(description)}${required ? ' -r' : ''}`,
          ]
        : [],
    ),
  ]);
  return `# To load it: kanegen completion fish | source\n${lines.join('\n')}\n`;
}
