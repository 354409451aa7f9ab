import type { TaskListed, TaskShown } from '#core/contract/tasks.ts';

import { createApiClient } from '#cli/client/api-client.ts';
import { everyPage } from '#cli/client/library-client.ts';
import { createTaskClient, type TaskClient } from '#cli/client/task-client.ts';
import { findTask } from '#cli/commands/find-task.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
import { duration } from '#cli/render/amount.ts';
import { tableLines } from '#cli/render/table.ts';
import { taskView } from '#cli/render/task-view.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer, type ServerAddress } from '#cli/stack/server-address.ts';

export interface TasksFlags extends GlobalFlags {
  all?: boolean;
  run?: string;
  mine?: boolean;
  json?: boolean;
}

export interface ShowTaskFlags extends GlobalFlags {
  whole?: string;
  json?: boolean;
}

/** `setpoint tasks`: the open questions, with `--all` those of the past, too; `--json` gives one a line. */
export async function listTasks(context: CliContext, flags: TasksFlags): Promise<ExitCode> {
  const { client, project } = await open(context, flags);
  const query = {
    ...(flags.all === true ? {} : { state: 'open' }),
    ...(flags.run === undefined ? {} : { run: flags.run }),
    ...(flags.mine === true ? { mine: 'true' } : {}),
    ...(project === undefined ? {} : { project }),
    limit: '500',
  };
  const found = await everyPage(
    (page) => client.tasks({ ...query, ...page }),
    ({ tasks }) => tasks,
  );
  show(context, found, flags);
  return exitCodes.succeeded;
}

/**
 * `setpoint tasks show TASK`: all that whoever decides should see; `--json` is the server's answer, `--whole NAME` prints what
 * is shown under that name, or the question, uncut.
 */
export async function showTask(context: CliContext, named: string, flags: ShowTaskFlags): Promise<ExitCode> {
  const { client, address } = await open(context, flags);
  const task = await findTask(client, named);
  if (flags.whole !== undefined) {
    context.terminal.raw(await wholeOf(task, flags.whole, (sha256) => createApiClient(address).artifact(sha256)));
    return exitCodes.succeeded;
  }
  if (flags.json === true) {
    context.terminal.out(JSON.stringify(task));
    return exitCodes.succeeded;
  }
  for (const { tone, text } of taskView(task, Date.now())) context.terminal.out(context.terminal.paint(tone, text));
  return exitCodes.succeeded;
}

const question = 'question';

async function wholeOf(task: TaskShown, name: string, read: (sha256: string) => Promise<string>): Promise<string> {
  const { ask, shown } = task;
  if (name === question && ask.whole === undefined) return `${ask.text}\n`;
  const found = name === question ? ask.whole : shown.find((one) => one.name === name);
  if (found !== undefined) return read(found.content.sha256);
  const names = [question, ...shown.map((one) => one.name)].map((one) => `"${one}"`);
  throw new CliFailure(exitCodes.usage, `the task shows nothing called ${name}`, {
    remedy: `name one of: ${names.join(', ')}`,
  });
}

function show({ terminal }: CliContext, tasks: readonly TaskListed[], { json, all }: TasksFlags): void {
  if (json === true) {
    for (const task of tasks) terminal.out(JSON.stringify(task));
    return;
  }
  if (tasks.length === 0) {
    terminal.err(all === true ? 'No tasks.' : 'No open tasks. `setpoint tasks --all` lists those of the past, too.');
    return;
  }
  const now = Date.now();
  const [head = '', ...rows] = tableLines([
    ['TASK', 'ASKED', 'RUN', all === true ? 'STATE' : 'WAITS', 'WHO'],
    ...tasks.map((task) => [
      task.taskId,
      cut(task.asked),
      cut(task.runName),
      all === true ? task.state : duration(now - Date.parse(task.openedAt)),
      whoOf(task),
    ]),
  ]);
  terminal.out(terminal.paint('dim', head));
  for (const row of rows) terminal.out(row);
}

function whoOf({ who, quorum, approvals }: TaskListed): string {
  const names = who.length === 0 ? 'everyone' : who.join(', ');
  return quorum > 1 ? `${names} (${approvals} of ${quorum})` : names;
}

const widest = 40;

function cut(text: string): string {
  return text.length <= widest ? text : `${text.slice(0, widest - 1)}…`;
}

interface Opened {
  client: TaskClient;
  address: ServerAddress;
  project?: string;
}

async function open(context: CliContext, flags: GlobalFlags): Promise<Opened> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const address = await requireServer(settings);
  const opened = { client: createTaskClient(address), address };
  return settings.project === undefined ? opened : { ...opened, project: settings.project };
}
