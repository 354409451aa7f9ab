import type { Command } from 'commander';

import { collected, countingNumber, examples, type Registrar } from '#cli/program/registrar.ts';

/** Commands for people at the loop. */
export function addTaskCommands(registrar: Registrar): void {
  addTasks(registrar);
  addDecision(registrar, 'approve', 'complete', 'approve a task: the run goes on');
  addDecision(registrar, 'reject', undefined, 'reject what a task shows');
  addPushBack(registrar);
}

function addTasks({ program, context, exit }: Registrar): void {
  const load = () => import('#cli/commands/tasks.ts');
  const tasks = program
    .command('tasks')
    .summary('list what people are asked, and show it')
    .description('Questions of runs to people. `tasks show TASK` tells what is asked and the commands that decide.')
    .addHelpText('after', examples('setpoint tasks --mine', 'setpoint tasks show run_01H…'));
  tasks
    .command('list', { isDefault: true })
    .description('Lists open tasks, those of the oldest run first.')
    .option('--all', 'those that were decided or closed, too')
    .option('--run <run>', 'only those of this run')
    .option('--mine', 'only those that I may decide and have not answered')
    .option('--json', 'one task a line as JSON')
    .action(async (_flags, command) => {
      exit(await (await load()).listTasks(context, command.optsWithGlobals()));
    });
  tasks
    .command('show')
    .description('Shows a task: what is asked, what is beside it, the fields of its form, the answers so far.')
    .argument('<task>', 'id of a task, its beginning, or the id of a run with one open task')
    .option('--whole <name>', 'print what is shown under this name, or "question", uncut')
    .option('--json', 'the whole task as one JSON line')
    .action(async (task: string, _flags, command) => {
      exit(await (await load()).showTask(context, task, command.optsWithGlobals()));
    });
}

function deciding(program: Command, name: string): Command {
  return program
    .command(name)
    .option('--message <text>', 'what to say; a push back and a rejection reach the next pass')
    .option('--set <name=value>', 'a field of the form; a list by repeating', collected)
    .option('--form <file>', 'the form as a JSON file; --set wins')
    .option('--revision <n>', 'refuse if the task was asked again since this revision', countingNumber);
}

function addDecision(
  { program, context, exit }: Registrar,
  decision: 'approve' | 'reject',
  alias: string | undefined,
  summary: string,
): void {
  const command = deciding(program, decision)
    .summary(summary)
    .description('Decides a task. The first decision counts; the same one again changes nothing.')
    .argument('<task>', 'id of a task, its beginning, or the id of a run with one open task')
    .addHelpText(
      'after',
      examples(`setpoint ${decision} task_01H….ready`, `setpoint ${decision} run_01H… --set risk=low`),
    )
    .action(async (named: string, _flags, chosen) => {
      const { decideCommand } = await import('#cli/commands/decide.ts');
      exit(await decideCommand(context, { decision, named }, chosen.optsWithGlobals()));
    });
  if (alias !== undefined) command.alias(alias);
}

function addPushBack({ program, context, exit }: Registrar): void {
  deciding(program, 'push-back')
    .summary('send work back with a word to the next pass')
    .description(
      'Sends what a task shows back to a step before it; the message and the form reach that step’s next pass.\nWith --step, a finished step of a running run, and everything after it, is done again.',
    )
    .argument('<task>', 'id of a task, its beginning, or the id of a run')
    .option('--to <step>', 'where it goes; by default where the definition says')
    .option('--step <step>', 'a finished step of a running run')
    .addHelpText(
      'after',
      examples(
        'setpoint push-back task_01H….ready --message "Name the flag."',
        'setpoint push-back run_01H… --step implement --message "Use the other library."',
      ),
    )
    .action(async (named: string, _flags, command) => {
      const { pushBackCommand } = await import('#cli/commands/push-back.ts');
      exit(await pushBackCommand(context, named, command.optsWithGlobals()));
    });
}
