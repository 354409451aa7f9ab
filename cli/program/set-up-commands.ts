import { Argument } from 'commander';

import { shells, type Shell } from '#cli/completion/shell.ts';
import { examples, type Registrar } from '#cli/program/registrar.ts';

/** Set-up of a machine. */
export function addSetUpCommands({ program, context, exit }: Registrar): void {
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
