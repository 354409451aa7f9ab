import { countingNumber, examples, type Registrar } from '#cli/program/registrar.ts';

/** Commands that change how a run goes on. Modules are loaded by the command that is chosen. */
export function addSteerCommands(registrar: Registrar): void {
  addPauseCommands(registrar);
  addLimitCommands(registrar);
  addAgainCommands(registrar);
  addSourceCommands(registrar);
}

function addPauseCommands({ program, context, exit }: Registrar): void {
  const load = () => import('#cli/commands/steer.ts');
  program
    .command('cancel')
    .summary('end a run; its workspace stays')
    .description('Ends a run. It is over when nothing of it is alive any more; its workspace stays.')
    .argument('<run>', 'id of a run')
    .option('--reason <text>', 'why, for the record')
    .addHelpText('after', examples('setpoint cancel run_01H… --reason "wrong branch"'))
    .action(async (run: string, _flags, command) => {
      exit(await (await load()).steerCommand(context, { action: 'cancel', runId: run }, command.optsWithGlobals()));
    });
  program
    .command('pause')
    .summary('let a run finish what it does, and begin nothing new')
    .description('Pauses a run. An attempt that is under way ends and is judged first; open tasks can be decided.')
    .argument('<run>', 'id of a run')
    .option('--reason <text>', 'why, for the record')
    .addHelpText('after', examples('setpoint pause run_01H… --reason "I want to look first"'))
    .action(async (run: string, _flags, command) => {
      exit(await (await load()).steerCommand(context, { action: 'pause', runId: run }, command.optsWithGlobals()));
    });
  program
    .command('resume')
    .summary('let a paused run go on')
    .description('Lets a paused run go on. Refused while what paused it holds; the answer names what clears it.')
    .argument('<run>', 'id of a run')
    .option('--reason <text>', 'why, for the record')
    .option('--task <file>', 'first give it this definition, as `setpoint edit` does; - reads stdin')
    .option('--dialect <name>', 'how to read that file, when two dialects fit')
    .addHelpText('after', examples('setpoint resume run_01H…', 'setpoint resume run_01H… --task edited.loop.yaml'))
    .action(async (run: string, own: { task?: string }, command) => {
      if (own.task !== undefined) {
        const { resumeWithCommand } = await import('#cli/commands/edit-run.ts');
        exit(await resumeWithCommand(context, { runId: run, file: own.task }, command.optsWithGlobals()));
        return;
      }
      exit(await (await load()).steerCommand(context, { action: 'resume', runId: run }, command.optsWithGlobals()));
    });
}

function addLimitCommands({ program, context, exit }: Registrar): void {
  program
    .command('raise')
    .summary('raise limits of a run; one that is paused for such a limit goes on')
    .description('Raises limits of a run. A limit can only grow; a run that is paused for it goes on at once.')
    .argument('<run>', 'id of a run')
    .option('--passes <n>', 'how often the work of a loop may be done in all', countingNumber)
    .option('--step <step>', 'whose loop; by default every loop with fewer passes')
    .option('--time <time>', 'active time in all, such as 2h')
    .option('--deadline <time>', 'time from the start in all, such as 3d')
    .option('--spend <amount>', 'money in all, such as "10 USD"')
    .addHelpText(
      'after',
      examples('setpoint raise run_01H… --passes 8', 'setpoint raise run_01H… --time 6h --spend "10 USD"'),
    )
    .action(async (run: string, _flags, command) => {
      const { raiseCommand } = await import('#cli/commands/steer.ts');
      exit(await raiseCommand(context, run, command.optsWithGlobals()));
    });
  program
    .command('edit')
    .summary('change tasks, checks and limits of a run')
    .description(
      'Gives a run another definition, which counts from the next pass of each step; inputs stay. Without a file the present one is opened in $EDITOR. Workspace, steps, agents and delivery cannot change.',
    )
    .argument('<run>', 'id of a run')
    .argument('[file]', 'the definition; - reads stdin')
    .option('--print', 'print the present definition, and change nothing')
    .option('--dialect <name>', 'how to read the file, when two dialects fit')
    .addHelpText(
      'after',
      examples(
        'setpoint edit run_01H…',
        'setpoint edit run_01H… --print > edited.loop.yaml',
        'setpoint edit run_01H… edited.loop.yaml',
      ),
    )
    .action(async (run: string, file: string | undefined, _flags, command) => {
      const { editCommand } = await import('#cli/commands/edit-run.ts');
      exit(await editCommand(context, { runId: run, file }, command.optsWithGlobals()));
    });
}

function addAgainCommands({ program, context, exit }: Registrar): void {
  program
    .command('retry')
    .summary('start a stopped run again; finished steps stay')
    .description('Starts a stopped or paused run again: its counters are reset, its finished steps are kept.')
    .argument('<run>', 'id of a run')
    .option('--from <step>', 'do this step and everything after it again, too')
    .option('--only <step>', 'do this one step again, too')
    .addHelpText('after', examples('setpoint retry run_01H…', 'setpoint retry run_01H… --from implement'))
    .action(async (run: string, _flags, command) => {
      const { retryCommand } = await import('#cli/commands/steer.ts');
      exit(await retryCommand(context, run, command.optsWithGlobals()));
    });
  program
    .command('fork')
    .summary('start a new run that goes on after a pass of this one')
    .description(
      'Starts a new run from the snapshot of a pass: what was done up to there is not done or paid again. The first run is not touched.',
    )
    .argument('<run>', 'id of a run, ended or not')
    .requiredOption('--at <step:pass>', 'the step and the number of its pass, such as work:2')
    .option('--name <name>', "a name of its own, in place of the first run's")
    .option('--detach', 'start it, print its id, and return')
    .option('--no-wait', 'return with exit code 3 as soon as the run waits for a person')
    .option('--quiet', 'no progress')
    .option('--json', 'events as JSON lines on stdout, the outcome as the last')
    .addHelpText(
      'after',
      examples('setpoint fork run_01H… --at work:2', 'setpoint fork run_01H… --at implement:1 --detach'),
    )
    .action(async (run: string, _flags, command) => {
      const { forkCommand } = await import('#cli/commands/fork.ts');
      exit(await forkCommand(context, run, command.optsWithGlobals()));
    });
}

function addSourceCommands({ program, context, exit }: Registrar): void {
  const load = () => import('#cli/commands/sources.ts');
  const source = program
    .command('source')
    .summary('hold the runs of a label, or let them go on')
    .description(
      'A source is a label of runs. While it is off, its runs finish the pass that is under way and begin no other, and new runs wait; none is cancelled.',
    )
    .addHelpText(
      'after',
      examples('setpoint source off nightly', 'setpoint source on nightly', 'setpoint source list'),
    );
  source
    .command('list', { isDefault: true })
    .description('Lists the labels that were ever switched; every other one is on.')
    .option('--json', 'one source a line as JSON')
    .action(async (_flags, command) => {
      exit(await (await load()).listSources(context, command.optsWithGlobals()));
    });
  for (const state of ['on', 'off'] as const) {
    source
      .command(state)
      .description(state === 'on' ? 'Lets the runs of a label go on.' : 'Has the runs of a label begin no new pass.')
      .argument('<label>', 'a label of runs')
      .option('--json', 'the source as one JSON line')
      .action(async (label: string, _flags, command) => {
        exit(await (await load()).switchSource(context, { label, on: state === 'on' }, command.optsWithGlobals()));
      });
  }
}
