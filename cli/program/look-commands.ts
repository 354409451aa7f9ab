import { Option } from 'commander';

import type { RunStatus } from '#core/run/summary.ts';

import { countingNumber, examples, type Registrar } from '#cli/program/registrar.ts';

// Written out: the schema would load zod for every command.
const statuses: RunStatus[] = ['queued', 'running', 'waiting', 'paused', 'ended'];
const defaultListed = 50;

/** Commands that show what there is. */
export function addLookCommands({ program, context, exit }: Registrar): void {
  program
    .command('runs')
    .alias('list')
    .summary('list runs, newest first')
    .description(
      'Lists runs, newest first; below a run that does not move, why that is and the command that clears it.',
    )
    .addOption(new Option('--status <status>', 'only runs in this status').choices(statuses))
    .option('--label <label>', 'only runs with this label')
    .option('--parent <run>', 'only the child runs of this run')
    .option('--search <text>', 'only runs whose name or id holds this text')
    .option('--limit <n>', 'how many at most', countingNumber, defaultListed)
    .option('--json', 'one run a line as JSON')
    .addHelpText(
      'after',
      examples('setpoint runs', 'setpoint runs --status paused', 'setpoint runs --json --limit 500'),
    )
    .action(async (_flags, command) => {
      const { runsCommand } = await import('#cli/commands/runs.ts');
      exit(await runsCommand(context, command.optsWithGlobals()));
    });

  program
    .command('show')
    .alias('inspect')
    .summary('show a run: its last pass, loops and limits, and why it does not move')
    .description(
      'Shows a run: the attempts and verdicts of its last pass, its loops and limits with what is used of them, its state, and what clears a wait.\n--export writes the run as files, each whole at every moment.',
    )
    .argument('<run>', 'id of a run, such as run_01H…')
    .option('--json', 'the whole state as one JSON line')
    .option('--export <folder>', 'write state.json, plan.json, events.jsonl, feedback.md and final-report.json')
    .option('--force', 'with --export: replace the files of another run')
    .addHelpText('after', examples('setpoint show run_01H…', 'setpoint show run_01H… --export report'))
    .action(async (run: string, _flags, command) => {
      const { showCommand } = await import('#cli/commands/show.ts');
      exit(await showCommand(context, run, command.optsWithGlobals()));
    });
}

/** Commands that read one run as it goes. */
export function addFollowCommands({ program, context, exit }: Registrar): void {
  program
    .command('watch')
    .summary('follow a run to its end')
    .description('Tells a run from its first event and follows it to its end. Ctrl-C leaves it going.')
    .argument('<run>', 'id of a run')
    .option('--no-wait', 'return with exit code 3 when the run waits for a person')
    .option('--quiet', 'no progress')
    .option('--json', 'events as JSON lines on stdout, the outcome as the last')
    .addHelpText('after', examples('setpoint watch run_01H…', 'setpoint watch run_01H… --no-wait --quiet'))
    .action(async (run: string, _flags, command) => {
      const { watchCommand } = await import('#cli/commands/watch.ts');
      exit(await watchCommand(context, run, command.optsWithGlobals()));
    });

  program
    .command('logs')
    .summary('print the output of a run’s attempts')
    .description('Prints the output of the attempts of a run, in order. Headings go to stderr.')
    .argument('<run>', 'id of a run')
    .option('--step <step>', 'only this step')
    .option('--pass <n>', 'only this pass', countingNumber)
    .option('-f, --follow', 'go on until the run stops')
    .addHelpText('after', examples('setpoint logs run_01H… -f', 'setpoint logs run_01H… --step work --pass 2'))
    .action(async (run: string, _flags, command) => {
      const { logsCommand } = await import('#cli/commands/logs.ts');
      exit(await logsCommand(context, run, command.optsWithGlobals()));
    });

  program
    .command('diff')
    .summary('print what a run changed')
    .description('Prints the difference from the base to the last snapshot of a run, as a patch that git applies.')
    .argument('<run>', 'id of a run')
    .option('--pass <n>', 'to the snapshot of this pass', countingNumber)
    .addHelpText('after', examples('setpoint diff run_01H…', 'setpoint diff run_01H… --pass 1 | git apply --stat'))
    .action(async (run: string, _flags, command) => {
      const { diffCommand } = await import('#cli/commands/diff.ts');
      exit(await diffCommand(context, run, command.optsWithGlobals()));
    });
}
