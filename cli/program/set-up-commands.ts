import { Argument } from 'commander';

import { shells, type Shell } from '#cli/completion/shell.ts';
import { starterNames } from '#cli/init/starters.ts';
import { collected, examples, type Registrar } from '#cli/program/registrar.ts';

/** Set-up of a repository and of a machine. */
export function addSetUpCommands(registrar: Registrar): void {
  addInitCommand(registrar);
  addMachineCommands(registrar);
}

function addInitCommand({ program, context, exit }: Registrar): void {
  program
    .command('init')
    .summary('write a starter loop for the repository you are in')
    .description(
      'Writes a definition to begin with, filled with what the repository tells: its package manager, its commands, its default branch, the agents that are installed. Without a name it asks which, or lists them. It never overwrites a file, and starts nothing.',
    )
    .addArgument(
      // The command itself refuses another word: it names the nearest.
      new Argument('[starter]', 'which one').choices(starterNames).argParser((word) => word),
    )
    .option('--file <path>', 'where to write it; default: <starter>.loop.yaml')
    .option('--input <name=value>', 'a value that it would ask for or look for; once for each', collected)
    .option('--yes', 'ask nothing: take what is found')
    .option('--suggest <task>', 'let an agent suggest checks, mode and cap for a task; shown for review, nothing runs')
    .option('--agent <name>', 'which agent works, or is asked; by default the first one that is installed')
    .addHelpText(
      'after',
      examples(
        'setpoint init feature',
        'setpoint init cve-burndown --file loops/cve.loop.yaml --yes',
        'setpoint init fix-until-green --input test="make check"',
        'setpoint init --suggest "Make the importer accept CSV" --agent codex',
      ),
    )
    .action(async (starter: string | undefined, _flags, command) => {
      const { initCommand } = await import('#cli/commands/init.ts');
      exit(await initCommand(context, starter, command.optsWithGlobals()));
    });
}

function addMachineCommands({ program, context, exit }: Registrar): void {
  program
    .command('agents')
    .summary('list coding agents that this machine has')
    .description('Lists the coding agents that are installed and signed in on this machine.')
    .option('--check', 'ask each agent whether it is signed in')
    .option('--json', 'as one JSON line')
    .action(async (_flags, command) => {
      const { agentsCommand } = await import('#cli/commands/agents.ts');
      exit(await agentsCommand(context, command.optsWithGlobals()));
    });

  program
    .command('completion')
    .summary('print a completion script for a shell')
    .description('Prints a script that completes commands and flags.')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .addHelpText(
      'after',
      examples(
        'source <(setpoint completion bash)',
        'setpoint completion fish > ~/.config/fish/completions/setpoint.fish',
      ),
    )
    .action(async (shell: Shell) => {
      const { completionScript } = await import('#cli/completion/scripts.ts');
      const { shapeOf } = await import('#cli/completion/command-tree.ts');
      context.terminal.raw(completionScript(shapeOf(program), shell));
      exit(0);
    });
}
