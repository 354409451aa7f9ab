import { Command, CommanderError } from 'commander';

import { InvalidDefinition } from '#cli/commands/definition-file.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, exitCodes } from '#cli/failure.ts';
import { addDefinitionCommands } from '#cli/program/definition-commands.ts';
import { addFollowCommands, addLookCommands } from '#cli/program/look-commands.ts';
import { addOrganisationCommands, addStoredDefinitionCommands } from '#cli/program/organisation-commands.ts';
import type { Registrar } from '#cli/program/registrar.ts';
import { addRunCommands } from '#cli/program/run-commands.ts';
import { addSetUpCommands } from '#cli/program/set-up-commands.ts';
import { addSimulateCommand } from '#cli/program/simulate-commands.ts';
import { addProcessCommands, addStackCommands } from '#cli/program/stack-commands.ts';
import { addSteerCommands } from '#cli/program/steer-commands.ts';
import { addTaskCommands } from '#cli/program/task-commands.ts';
import { addTidyCommands } from '#cli/program/tidy-commands.ts';
import { packageVersion } from '#cli/version.ts';
import type { Prompts } from '#cli/wizard/prompts.ts';

/**
 * Runs the command line `argv` (without the program's own name) and gives the exit code (docs/guide/scripts.md). Every failure is
 * told on stderr with its cause and its remedy; nothing is thrown but what is a mistake of ours. Bare in a terminal it is the
 * wizard (T-22), bare elsewhere the help.
 */
export async function runProgram(argv: readonly string[], context: CliContext): Promise<number> {
  let exitCode: number = exitCodes.succeeded;
  const exit = (code: number): void => {
    exitCode = code;
  };
  const program = buildProgram(context, exit);
  try {
    if (argv.length === 0 && context.prompts !== undefined) return await runWizard(context, context.prompts);
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.succeeded : exitCodes.usage;
    if (!(error instanceof CliFailure)) throw error;
    tell(context, error);
    return error.exitCode;
  }
}

async function runWizard(context: CliContext, prompts: Prompts): Promise<number> {
  const { wizard } = await import('#cli/wizard/wizard.ts');
  return wizard(context, prompts);
}

function tell({ terminal }: CliContext, failure: CliFailure): void {
  if (failure instanceof InvalidDefinition) for (const line of failure.lines) terminal.err(line);
  terminal.err(`setpoint: ${failure.message}`);
  if (failure.remedy !== undefined) terminal.err(`  remedy: ${failure.remedy}`);
}

/** The command tree. `exit` hears the exit code of the command that ran. */
export function buildProgram(context: CliContext, exit: Registrar['exit']): Command {
  const program = new Command('setpoint')
    .version(packageVersion(), '-V, --version', 'print the version')
    .description('Runs coding agents in closed loops: checks judge, feedback goes to the next pass, limits bound it.')
    .option('--server <url>', 'talk to this server; nothing embedded is started (SETPOINT_URL)')
    .option('--project <name>', 'project of the run, or of the runs shown (SETPOINT_PROJECT)')
    .option('--token <token>', 'token of the server (SETPOINT_TOKEN)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => context.terminal.raw(text),
      writeErr: (text) => context.terminal.err(text.trimEnd()),
    })
    .showHelpAfterError('(setpoint --help, or setpoint <command> --help, shows what is possible)')
    .showSuggestionAfterError()
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .addHelpText(
      'after',
      '\nStart here:\n  $ setpoint demo\n  $ setpoint init\n  $ setpoint run FILE\n\nBare `setpoint` in a terminal asks what to do.\n',
    );
  const registrar: Registrar = { program, context, exit };
  program.commandsGroup('Run:');
  addRunCommands(registrar);
  addSteerCommands(registrar);
  addTidyCommands(registrar);
  program.commandsGroup('Decide:');
  addTaskCommands(registrar);
  program.commandsGroup('Look:');
  addLookCommands(registrar);
  addFollowCommands(registrar);
  program.commandsGroup('Before it runs:');
  addDefinitionCommands(registrar);
  addSimulateCommand(registrar);
  addStoredDefinitionCommands(registrar);
  program.commandsGroup('Embedded stack:');
  addStackCommands(registrar);
  program.commandsGroup('Set-up:');
  addSetUpCommands(registrar);
  program.commandsGroup('Organisation:');
  addOrganisationCommands(registrar);
  program.commandsGroup('One process each, for the distributed form:');
  addProcessCommands(registrar);
  return program;
}
