import { addDoctorCommand } from '#cli/program/doctor-commands.ts';
import { examples, type Registrar } from '#cli/program/registrar.ts';

/** Commands before anything runs; they need no server. */
export function addDefinitionCommands({ program, context, exit }: Registrar): void {
  program
    .command('validate')
    .summary('check a definition; needs no server')
    .description('Checks a definition without a server and prints every issue as `file:line:column code message`.')
    .argument('<file>', 'the definition; - reads stdin')
    .option('--dialect <name>', 'how to read the file, when two dialects fit')
    .addHelpText('after', examples('setpoint validate green.loop.yaml'))
    .action(async (file: string, _flags, command) => {
      const { validateCommand } = await import('#cli/commands/validate.ts');
      exit(await validateCommand(context, file, command.optsWithGlobals()));
    });

  program
    .command('plan')
    .summary('explain what a definition does; needs no server')
    .description('Prints the plan of a definition in plain words, with every default, or its graph.')
    .argument('<file>', 'the definition; - reads stdin')
    .option('--graph', 'the graph of its steps and loops')
    .option('--dialect <name>', 'how to read the file, when two dialects fit')
    .addHelpText('after', examples('setpoint plan green.loop.yaml', 'setpoint plan green.loop.yaml --graph'))
    .action(async (file: string, _flags, command) => {
      const { planCommand } = await import('#cli/commands/validate.ts');
      exit(await planCommand(context, file, command.optsWithGlobals()));
    });

  program
    .command('convert')
    .summary('write a definition of any dialect in the native form; needs no server')
    .description(
      'Prints the native form of a definition that is written in another system’s words; nothing is overwritten.',
    )
    .argument('<file>', 'the definition; - reads stdin')
    .option('--file <path>', 'write it into this new file')
    .option('--dialect <name>', 'how to read the file, when two dialects fit')
    .addHelpText(
      'after',
      examples('setpoint convert change.task.json', 'setpoint convert feature.json --file feature.loop.yaml'),
    )
    .action(async (file: string, _flags, command) => {
      const { convertCommand } = await import('#cli/commands/convert.ts');
      exit(await convertCommand(context, file, command.optsWithGlobals()));
    });

  addDoctorCommand({ program, context, exit });
}
