import { examples, type Registrar } from '#cli/program/registrar.ts';

/** Commands that change how a run goes on. */
export function addSteerCommands({ program, context, exit }: Registrar): void {
  program
    .command('cancel')
    .summary('end a run; its workspace stays')
    .description('Ends a run. It is over when nothing of it is alive any more; its workspace stays.')
    .argument('<run>', 'id of a run')
    .option('--reason <text>', 'why, for the record')
    .addHelpText('after', examples('setpoint cancel run_01H… --reason "wrong branch"'))
    .action(async (run: string, _flags, command) => {
      const { steerCommand } = await import('#cli/commands/steer.ts');
      exit(await steerCommand(context, { action: 'cancel', runId: run }, command.optsWithGlobals()));
    });

  program
    .command('retry')
    .summary('start a stopped run again; finished steps stay')
    .description('Starts a stopped run again: its counters are reset, its finished steps are kept.')
    .argument('<run>', 'id of a run')
    .option('--reason <text>', 'why, for the record')
    .addHelpText('after', examples('setpoint retry run_01H…'))
    .action(async (run: string, _flags, command) => {
      const { steerCommand } = await import('#cli/commands/steer.ts');
      exit(await steerCommand(context, { action: 'retry', runId: run }, command.optsWithGlobals()));
    });
}
