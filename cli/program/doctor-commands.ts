import { Option } from 'commander';

import { examples, type Registrar } from '#cli/program/registrar.ts';

/** `doctor`: what a loop lacks to be closed. */
export function addDoctorCommand({ program, context, exit }: Registrar): void {
  program
    .command('doctor')
    .summary('tell a closed loop from one that only looks closed')
    .description(
      'Says which of signal, route and limit a loop lacks and how it is closed, and answers for each loop: could the agent change the answer, what does the next attempt know, what happens when the attempts run out. A file needs no server. It advises: it ends with 0 whatever it finds.',
    )
    .argument(
      '<file-or-run>',
      'a definition, - reads stdin; or id of a run, such as run_01H…, whose record is read, too',
    )
    .option('--fix', 'write the mends that are mechanical into the file')
    .option('--trace', 'show the brief that each loop would give its agent after a first pass in which nothing passes')
    .addOption(new Option('--format <format>', 'how to tell it').choices(['text', 'json', 'sarif']).default('text'))
    .option('--dialect <name>', 'how to read the file, when two dialects fit')
    .addHelpText(
      'after',
      examples('setpoint doctor green.loop.yaml', 'setpoint doctor green.loop.yaml --fix', 'setpoint doctor run_01H…'),
    )
    .action(async (word: string, _flags, command) => {
      const { doctorCommand } = await import('#cli/commands/doctor.ts');
      exit(await doctorCommand(context, word, command.optsWithGlobals()));
    });
}
