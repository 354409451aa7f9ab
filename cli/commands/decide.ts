import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import type { TaskDecided, TaskShown } from '#core/contract/tasks.ts';
import { present } from '#core/definition/present.ts';

import { createTaskClient } from '#cli/client/task-client.ts';
import { findTask } from '#cli/commands/find-task.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes, messageOf } from '#cli/failure.ts';
import { setValues } from '#cli/form/set-values.ts';
import { nowLine } from '#cli/render/now-line.ts';
import { outcomeOf } from '#cli/render/outcome.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

export interface DecideFlags extends GlobalFlags {
  message?: string;
  to?: string;
  set?: string[];
  form?: string;
  revision?: number;
}

export type DecisionWord = 'approve' | 'reject' | 'push_back';

/**
 * `setpoint approve|complete|reject|push-back TASK`: decides, and says in one line what happened and what the run does now.
 * Exit 0 when the decision counts, 2 when it is refused.
 */
export async function decideCommand(
  context: CliContext,
  { decision, named }: { decision: DecisionWord; named: string },
  flags: DecideFlags,
): Promise<ExitCode> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const client = createTaskClient(await requireServer(settings));
  const task = await findTask(client, named);
  const form = await formOf(context, schemaOf(task, decision), flags);
  const { message, to, revision = task.revision } = flags;
  const decided = await client.decide(task.taskId, { decision, revision, ...present({ message, to, form }) });
  tell(context, decision, decided);
  return exitCodes.succeeded;
}

/** D-10: a push back can ask for something of its own. */
function schemaOf({ form, pushBackForm }: TaskShown, decision: DecisionWord): TaskShown['form'] {
  return decision === 'push_back' ? (pushBackForm ?? form) : form;
}

/** The file first, then what `--set` gives; undefined when neither is given. */
async function formOf(
  context: CliContext,
  schema: TaskShown['form'],
  { form: file, set = [] }: DecideFlags,
): Promise<Record<string, unknown> | undefined> {
  if (file === undefined && set.length === 0) return undefined;
  const read = file === undefined ? {} : await readForm(resolve(context.cwd, file));
  return { ...read, ...setValues(schema, set) };
}

async function readForm(path: string): Promise<Record<string, unknown>> {
  const remedy = 'name a file that holds a JSON object, such as {"risk": "low"}';
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    throw new CliFailure(exitCodes.usage, `${path}: ${messageOf(error)}`, { remedy, cause: error });
  }
  throw new CliFailure(exitCodes.usage, `${path} holds no JSON object`, { remedy });
}

function tell({ terminal }: CliContext, word: DecisionWord, answer: TaskDecided & { pending: boolean }): void {
  const line = answer.pending
    ? `${answer.task.taskId}: it is stored, and no worker has answered yet; it counts as soon as one does (setpoint status).`
    : `${happened(word, answer)} ${nowLine(answer.run)}`;
  if (terminal.interactive) {
    terminal.out(line);
    return;
  }
  terminal.err(line);
  terminal.out(JSON.stringify(outcomeOf(answer.run)));
}

const said = { approve: 'Approved', reject: 'Rejected', push_back: 'Pushed back' } as const;

function happened(word: DecisionWord, { task: { state, approvals, quorum } }: TaskDecided): string {
  const missing = word === 'approve' && state === 'open' && approvals < quorum;
  return missing ? `Approved by ${approvals} of ${quorum}; others are still to answer.` : `${said[word]}.`;
}
