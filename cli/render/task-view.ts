import type { TaskShown } from '#core/contract/tasks.ts';

import { type FormField, formFields } from '#cli/form/form-fields.ts';
import { count, duration } from '#cli/render/amount.ts';
import type { Line } from '#cli/render/line.ts';

/** Of what is shown, so many lines are told; the artifact is the whole. */
const longestExcerpt = 12;

/** What `setpoint tasks show` says of a task at `nowMs` (epoch): the question, what is beside it, form, answers, commands. Pure. */
export function taskView(task: TaskShown, nowMs: number): Line[] {
  const { taskId, runName, runId, revision, pass, state, step, commit } = task;
  const asked = revision === 1 ? 'asked once' : `asked ${revision} times`;
  const at = commit === undefined ? '' : `, commit ${commit.slice(0, 12)}`;
  return [
    { tone: 'strong', text: `${taskId} (${state})` },
    { tone: 'dim', text: `run ${runId} (${runName}), step ${step}, pass ${pass}, ${asked}${at}` },
    { tone: 'dim', text: policyLine(task, nowMs) },
    { tone: 'plain', text: '' },
    ...linesOf(task.ask.text).map((text): Line => ({ tone: 'strong', text })),
    ...(task.ask.whole === undefined ? [] : [dim('  └ cut; all of it: --whole question')]),
    ...task.shown.flatMap(shownLines),
    ...formLines('form', task.form),
    ...formLines('form of a push back', task.pushBackForm),
    ...task.decisions.flatMap(decisionLines),
    ...(task.closed === undefined ? [] : [dim(`closed: ${task.closed}`)]),
    ...commandLines(task),
  ];
}

function policyLine({ who, quorum, approvals, notAuthor, openedAt, expiresAt, reminders }: TaskShown, nowMs: number) {
  const parts = [
    who.length === 0 ? 'everyone may decide' : `decided by ${who.join(', ')}`,
    ...(quorum > 1 ? [`${approvals} of ${quorum} have approved`] : []),
    ...(notAuthor ? ['not by whoever started the run'] : []),
    `open for ${duration(nowMs - Date.parse(openedAt))}`,
    ...(reminders > 0 ? [`reminded ${count(reminders, 'time', 'times')}`] : []),
    ...(expiresAt === undefined ? [] : [`until ${expiresAt}`]),
  ];
  return parts.join('; ');
}

function shownLines({ name, content }: TaskShown['shown'][number]): Line[] {
  const lines = linesOf(content.excerpt.trimEnd());
  const isWhole = lines.length <= longestExcerpt && Buffer.byteLength(content.excerpt) >= content.bytes;
  const shown = lines.slice(0, longestExcerpt).map((line): Line => ({ tone: 'plain', text: `  │ ${line}` }));
  return [
    dim(''),
    dim(name),
    ...shown,
    ...(isWhole ? [] : [dim(`  └ ${content.bytes} bytes in all: --whole "${name}"`)]),
  ];
}

function formLines(title: string, form: TaskShown['form']): Line[] {
  const fields = form === undefined ? [] : formFields(form);
  if (fields.length === 0) return [];
  return [dim(''), dim(title), ...fields.map((field): Line => ({ tone: 'plain', text: `  ${fieldText(field)}` }))];
}

function fieldText({ name, types, values, required, default: byDefault, description }: FormField): string {
  const kind = values.length > 0 ? values.map((value) => JSON.stringify(value)).join(' | ') : types.join(' | ');
  const facts = [
    kind === '' ? 'anything' : kind,
    ...(required ? ['required'] : []),
    ...(byDefault === undefined ? [] : [`default ${JSON.stringify(byDefault)}`]),
  ];
  return `${name}: ${facts.join(', ')}${description === undefined ? '' : ` (${description})`}`;
}

function decisionLines({ decision, by, at, comment, to, form, final }: TaskShown['decisions'][number]): Line[] {
  const said = { approve: 'approved', reject: 'rejected', push_back: 'pushed back' }[decision];
  const where = to === undefined ? '' : ` to ${to}`;
  const why = comment === '' ? '' : `: ${comment}`;
  const missing = final ? '' : ' (others are still to answer)';
  const filled = Object.entries(form ?? {}).map(([name, value]) => dim(`    ${name}: ${JSON.stringify(value)}`));
  return [{ tone: 'plain', text: `${at}  ${by} ${said}${where}${why}${missing}` }, ...filled];
}

/** Each names the revision that is shown here (D6): if it is asked anew meanwhile, the answer is refused. */
function commandLines({ taskId, revision, state, form, pushBackForm, backTo, mayDecide }: TaskShown): Line[] {
  if (state !== 'open') return [];
  if (mayDecide === 'author') return [dim(''), dim('You started the run: somebody else decides.')];
  if (mayDecide === 'not-asked') return [dim(''), dim('Others decide this.')];
  const named = `${taskId} --revision ${revision}`;
  return [
    dim(''),
    { tone: 'warn', text: `approve    setpoint approve ${named}${requiredFlags(form)}` },
    { tone: 'warn', text: `reject     setpoint reject ${named} --message "why"` },
    ...(backTo.length === 0 ? [] : [backLine(`${named}${requiredFlags(pushBackForm)}`, backTo)]),
  ];
}

function requiredFlags(form: TaskShown['form']): string {
  const fields = form === undefined ? [] : formFields(form).filter(({ required }) => required);
  return fields.map(({ name }) => ` --set ${name}=…`).join('');
}

function backLine(named: string, [first = '', ...others]: readonly string[]): Line {
  const to = others.length === 0 ? '' : ` [--to ${others.join('|')}]`;
  return {
    tone: 'warn',
    text: `push back  setpoint push-back ${named} --message "what is to change"${to}  (goes to ${first})`,
  };
}

function linesOf(text: string): string[] {
  return text.split('\n');
}

function dim(text: string): Line {
  return { tone: 'dim', text };
}
