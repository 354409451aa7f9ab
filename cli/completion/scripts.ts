import { unreachable } from '#core/exhaustive.ts';

import type { Shell } from '#cli/completion/shell.ts';
import type { CliShape, CommandShape, FlagShape } from '#cli/completion/command-tree.ts';

/** A static script for `shell`: it starts no process of ours while a person types. */
export function completionScript(shape: CliShape, shell: Shell): string {
  switch (shell) {
    case 'bash':
      return bashScript(shape);
    case 'zsh':
      return zshScript(shape);
    case 'fish':
      return fishScript(shape);
    default:
      return unreachable(shell);
  }
}

function namesOf(flags: readonly FlagShape[]): string {
  return flags.flatMap((flag) => flag.names).join(' ');
}

function bashScript(shape: CliShape): string {
  const all = shape.commands.flatMap((command) => command.names).join(' ');
  const valued = shape.globalFlags.filter((flag) => flag.takesValue).flatMap((flag) => flag.names);
  return `# bash completion for setpoint. Load it with: source <(setpoint completion bash)
_setpoint() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${valued.join('|')}) ((i++)) ;;
      -*) ;;
      *) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  local flags='${namesOf(shape.globalFlags)}' words=
  case $command in
    '') words='${all}' ;;
${shape.commands.map(bashCommand).join('\n')}
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [[ $words == '<file>' ]]; then
    COMPREPLY=($(compgen -f -- "$word"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  fi
}
complete -o filenames -F _setpoint setpoint
`;
}

function bashCommand(command: CommandShape): string {
  const words = command.takesFile ? '<file>' : command.words.join(' ');
  const chosen = command.flags
    .filter((flag) => flag.choices.length > 0)
    .map((flag) => `      case $before in ${flag.names.join('|')}) words='${flag.choices.join(' ')}' ;; esac`);
  return [
    `    ${command.names.join('|')})`,
    `      flags="$flags ${namesOf(command.flags)}" words='${words}'`,
    ...chosen,
    '      ;;',
  ].join('\n');
}

function zshScript(shape: CliShape): string {
  const commands = shape.commands.flatMap((command) =>
    command.names.map((name) => `    ${quoted(`${name}:${command.description}`)}`),
  );
  return `#compdef setpoint
# zsh completion for setpoint. Load it with: source <(setpoint completion zsh)
_setpoint() {
  local -a commands global
  commands=(
${commands.join('\n')}
  )
  global=(
${shape.globalFlags.flatMap(zshFlag).join('\n')}
  )
  local context state state_descr line
  typeset -A opt_args
  _arguments -C $global '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $line[1] in
${shape.commands.map(zshCommand).join('\n')}
      esac ;;
  esac
}
compdef _setpoint setpoint
`;
}

function zshCommand(command: CommandShape): string {
  const argument = command.takesFile
    ? "'1:file:_files'"
    : command.words.length > 0
      ? `'1:word:(${command.words.join(' ')})'`
      : '';
  const flags = command.flags.flatMap(zshFlag).map((flag) => `      ${flag}`);
  return [
    `        ${command.names.join('|')})`,
    '          _arguments $global \\',
    ...flags.map((flag) => `${flag} \\`),
    `          ${argument} ;;`,
  ].join('\n');
}

function zshFlag(flag: FlagShape): string[] {
  const what = flag.description.replaceAll(/[[\]:]/g, ' ');
  const value = flag.takesValue ? `:value:${flag.choices.length > 0 ? `(${flag.choices.join(' ')})` : ''}` : '';
  return flag.names.map((name) => `    ${quoted(`${name}[${what}]${value}`)}`);
}

function fishScript(shape: CliShape): string {
  const global = shape.globalFlags.map((flag) => fishFlag(flag, ''));
  const commands = shape.commands.flatMap((command) => {
    const seen = `-n '__fish_seen_subcommand_from ${command.names.join(' ')}'`;
    return [
      ...command.names.map(
        (name) => `complete -c setpoint -n __fish_use_subcommand -f -a ${name} -d ${quoted(command.description)}`,
      ),
      ...command.flags.map((flag) => fishFlag(flag, seen)),
      ...(command.words.length > 0 ? [`complete -c setpoint ${seen} -f -a '${command.words.join(' ')}'`] : []),
      ...(command.takesFile ? [`complete -c setpoint ${seen} -F`] : []),
    ];
  });
  return `# fish completion for setpoint. Load it with: setpoint completion fish | source
complete -c setpoint -f
${[...global, ...commands].join('\n')}
`;
}

function fishFlag(flag: FlagShape, condition: string): string {
  const names = flag.names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value = flag.takesValue
    ? ['-r', ...(flag.choices.length > 0 ? ['-a', quoted(flag.choices.join(' '))] : [])]
    : [];
  const parts = ['complete -c setpoint', condition, ...names, ...value, '-d', quoted(flag.description)];
  return parts.filter((part) => part !== '').join(' ');
}

/** One word for a shell; all three read a single-quoted text alike but for the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
