import type { Command, Option } from 'commander';

export interface FlagShape {
  /** `-f` and `--follow`, as far as it has them. */
  names: string[];
  description: string;
  takesValue: boolean;
  choices: string[];
}

export interface CommandShape {
  /** The name and its aliases. */
  names: string[];
  description: string;
  flags: FlagShape[];
  /** Fixed words that its first argument may be, names of commands inside it among them. */
  words: string[];
  /** Its first argument is a file. */
  takesFile: boolean;
}

/** What the completion scripts say about the command line: read off commander's tree, so that they cannot drift. */
export interface CliShape {
  commands: CommandShape[];
  globalFlags: FlagShape[];
}

export function shapeOf(program: Command): CliShape {
  return {
    commands: program.commands.map(commandShape),
    globalFlags: flagsOf(program),
  };
}

function commandShape(command: Command): CommandShape {
  const [argument] = command.registeredArguments;
  return {
    names: [command.name(), ...command.aliases()],
    description: command.summary() || command.description(),
    flags: ownAndInner(command),
    words: [...(argument?.argChoices ?? []), ...command.commands.map((inner) => inner.name())],
    takesFile: argument?.name() === 'file',
  };
}

function flagsOf(command: Command): FlagShape[] {
  const help: FlagShape = { names: ['-h', '--help'], description: 'show help', takesValue: false, choices: [] };
  return [...command.options.filter((option) => !option.hidden).map(flagShape), help];
}

/** Its flags and those of the commands inside it, each once. */
function ownAndInner(command: Command): FlagShape[] {
  const all = [...flagsOf(command), ...command.commands.flatMap(flagsOf)];
  return all.filter(({ names }, index) => all.findIndex((flag) => flag.names.join() === names.join()) === index);
}

function flagShape(option: Option): FlagShape {
  return {
    names: [option.short, option.long].filter((name): name is string => name !== undefined),
    description: option.description,
    takesValue: option.required || option.optional,
    choices: [...(option.argChoices ?? [])],
  };
}
