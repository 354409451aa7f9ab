import type { TaskState } from '#core/task/task.ts';

/**
 * What a decided question gives by name (V-22): the fields of the form as it was filled in, `comment` (one line) and
 * `decidedBy`, everyone whose decision counted, whatever a form says of that. A text as it is, anything else as JSON. Empty while nobody has decided.
 */
export function namedAnswers(task: TaskState | null): Record<string, string> {
  const last = task?.status === 'decided' ? task.decisions.at(-1) : undefined;
  if (task === null || last === undefined) return {};
  const fields = Object.entries(last.form ?? {}).map(([name, value]) => [name, textOf(value)] as const);
  const decidedBy = task.decisions.map(({ by }) => by).join(', ');
  return { comment: last.comment, ...Object.fromEntries(fields), decidedBy };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
