import { InvalidArgumentError } from 'commander';

import { collected, countingNumber, examples, type Registrar } from '#cli/program/registrar.ts';

/** `simulate`: what a run would come to. */
export function addSimulateCommand({ program, context, exit }: Registrar): void {
  program
    .command('simulate')
    .summary('play a run or a definition through; runs and spends nothing')
    .description(
      'Plays the record of a run, or a definition that never ran, through with other limits, results or decisions. Recorded results are used where there are any; the rest is invented, as if all went well. For a file no server is needed.',
    )
    .argument('<run-or-file>', 'id of a run, such as run_01H…, or a definition; - reads stdin')
    .option('--passes <n>', 'how often the step of each loop may run', countingNumber)
    .option('--time <duration>', 'limit of active work, such as 90s, 15m, 2h')
    .option('--fail-check <name@pass[,pass]>', 'this check fails in these passes', collected)
    .option('--pass-check <name@pass[,pass]>', 'this check passes in these passes', collected)
    .option('--fail <step@pass[,pass]>', 'the work of this step fails in these passes', collected)
    .option('--decide <step=answer[@revision]>', 'approve, reject or push_back for the question of a step', collected)
    .option('--edit <file>', 'this definition in place of the one of the run')
    .option('--seed <n>', 'draw the invented durations, so that branches settle in another order', seedNumber)
    .option('--json', 'events as JSON lines on stdout, the outcome as the last')
    .addHelpText(
      'after',
      examples(
        'setpoint simulate green.loop.yaml --fail-check tests@1,2',
        'setpoint simulate run_01H… --passes 3',
        'setpoint simulate run_01H… --decide ready=push_back@1',
      ),
    )
    .action(async (word: string, _flags, command) => {
      const { simulateCommand } = await import('#cli/commands/simulate.ts');
      exit(await simulateCommand(context, word, command.optsWithGlobals()));
    });
}

function seedNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
  return value;
}
