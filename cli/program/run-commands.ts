import { InvalidArgumentError, Option } from 'commander';

import type { DeliveryPlan } from '#core/plan/plan.ts';

import { collected, countingNumber, examples, type Registrar } from '#cli/program/registrar.ts';

// Written out, as the schema would load zod for every command; without those that this version refuses.
const deliveryModes: DeliveryPlan['mode'][] = ['none', 'commit', 'branch'];

const exitCodeHelp = `
Exit codes: 0 succeeded; 1 the work did not pass; 2 usage or invalid definition; 3 waits for a person (--no-wait);
4 cancelled; 5 infrastructure; 130 left by Ctrl-C while the run goes on.
`;

/** `demo` and `run`. Modules are loaded by the command that is chosen, which keeps each of them quick. */
export function addRunCommands({ program, context, exit }: Registrar): void {
  program
    .command('demo')
    .summary('watch a loop mend a small repository')
    .description('Makes a small git repository with two failing tests and the loop that mends them, and runs it.')
    .option('--agent <name>', 'let this coding agent work; by default a scripted one stands in')
    .option('--dir <folder>', 'folder to make; default: the first free ./setpoint-demo-<n>')
    .option('--quiet', 'no progress')
    .option('--json', 'events as JSON lines on stdout, the outcome as the last')
    .addHelpText('after', examples('setpoint demo', 'setpoint demo --agent codex'))
    .action(async (_flags, command) => {
      const { demoCommand } = await import('#cli/commands/demo.ts');
      exit(await demoCommand(context, command.optsWithGlobals()));
    });

  program
    .command('run')
    .summary('run a loop and follow it to its end')
    .description(
      'Starts a run of the definition and follows it. Starts the embedded stack when no server is set and none answers.\nCtrl-C detaches: the run goes on, and `setpoint watch` comes back to it.',
    )
    .argument('<file>', 'the definition, such as green.loop.yaml, or the name of a stored one; - reads stdin')
    .option('--input <name=value>', 'an input of the definition; once for each', collected)
    .option('--agent <name>', 'let this agent work instead of the one in the definition')
    .addOption(new Option('--deliver <mode>', 'what happens to the verified work').choices(deliveryModes))
    .addOption(new Option('--dialect <name>', 'how to read the file, when two dialects fit'))
    .option('--key <key>', 'idempotency key: a repeated call with it finds the same run')
    .option('--priority <n>', 'before the work of other runs: 1 is the most urgent, 5 the least', priorityNumber)
    .option('--detach', 'start it, print its id, and return')
    .option('--foreground', 'Ctrl-C cancels the run and waits until nothing of it is left; a second one detaches')
    .option('--no-wait', 'return with exit code 3 as soon as the run waits for a person')
    .option('--no-worktree', 'work in this checkout itself: no snapshots, no delivery')
    .option('--dry-run', 'check the definition and the git base; create nothing')
    .option('--quiet', 'no progress')
    .option('--json', 'events as JSON lines on stdout, the outcome as the last')
    .addHelpText(
      'after',
      examples(
        'setpoint run green.loop.yaml',
        'setpoint run feature.loop.yaml --input issue=42 --deliver branch',
        'setpoint run green.loop.yaml --detach --key nightly-2030-01-31',
        'setpoint run green.loop.yaml --json | tail -n 1',
        'setpoint run green.loop.yaml --foreground --quiet',
        'setpoint run feature.loop.yaml --no-wait || test $? = 3',
      ) + exitCodeHelp,
    )
    .action(async (file: string, _flags, command) => {
      const { runCommand } = await import('#cli/commands/run.ts');
      exit(await runCommand(context, file, command.optsWithGlobals()));
    });
}

function priorityNumber(text: string): number {
  const priority = countingNumber(text);
  if (priority > 5) throw new InvalidArgumentError('It must be a whole number from 1 to 5.');
  return priority;
}
