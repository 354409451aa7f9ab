import { counted, durationText, indented } from '#core/plan/amounts.ts';
import { exhausted } from '#core/plan/explain-exhausted.ts';
import type { CallPlan, PersonPlan, StepPlan } from '#core/plan/plan.ts';

/** A question: who answers, what is asked and shown, and how long it may wait (D1–D5). */
export function explainPerson(person: PersonPlan): string[] {
  const who = person.who.length === 0 ? 'a person' : person.who.join(' or ');
  const quorum = person.quorum === 1 ? '' : `, ${person.quorum} of them must approve`;
  const author = person.notAuthor ? ', not who started the run' : '';
  const lines = [`${who} is asked${quorum}${author}:`, `  ${indented(person.ask, 5)}`];
  const shown = person.show.map((part) => (part.kind === 'output' ? `the output of ${part.step}` : part.path));
  if (shown.length > 0) lines.push(`is shown ${shown.join(', ')}`);
  const fields = fieldsOf(person.form);
  if (fields.length > 0) lines.push(`fills in ${fields.join(', ')}`);
  const ofPushBack = fieldsOf(person.pushBackForm);
  if (ofPushBack.length > 0) lines.push(`fills in ${ofPushBack.join(', ')} to push back`);
  return [...lines, ...explainWaiting(person)];
}

function explainWaiting({ remindSeconds, escalate, time }: PersonPlan): string[] {
  const lines: string[] = [];
  if (remindSeconds !== undefined) lines.push(`reminded every ${durationText(remindSeconds)}`);
  const whom = escalate === undefined ? '' : ` to ${escalate.to.join(', ')}`;
  const after = escalate?.afterSeconds;
  if (after !== undefined) lines.push(`escalated${whom} after ${durationText(after)}`);
  if (time === undefined) {
    lines.push('waits until somebody decides');
  } else {
    const then = { fail: 'else the step fails', skip: 'else the step is skipped', escalate: escalated(whom) };
    lines.push(`waits ${durationText(time.limitSeconds)}, ${then[time.onExpiry]}`);
  }
  return lines;
}

function escalated(whom: string): string {
  return `then it is escalated${whom} and stays open`;
}

/** Names of a form, the required ones marked. */
function fieldsOf(form: PersonPlan['form']): string[] {
  const { properties, required } = form ?? {};
  const needed = Array.isArray(required) ? required : [];
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return names.map((name) => (needed.includes(name) ? `${name} (required)` : name));
}

/** Where a rejection and a push back lead (D3, D4). */
export function explainSentBack({ id, loop }: StepPlan, { pushBackLimit }: PersonPlan): string[] {
  const often = pushBackLimit === null ? '' : `, at most ${counted(pushBackLimit, 'time', 'times')}`;
  const target = loop?.to ?? id;
  const again = target === id ? 'it is asked again' : `work goes back to ${target}`;
  const pushedBack = `↺ if a person pushes back, ${again}${often}`;
  const isNever = loop === undefined || (loop.limit === 0 && loop.onExhausted === 'fail');
  if (isNever) return [pushedBack, 'a rejection ends the run'];
  const bound =
    loop.limit === null
      ? ''
      : `, at most ${counted(loop.limit, 'time', 'times')}, then ${loop.onExhausted === 'fail' ? 'the run ends as rejected' : exhausted[loop.onExhausted]}`;
  return [pushedBack, `↺ if it is rejected, ${again}${bound}`];
}

/** A child run, or one for each item of a list. */
export function explainCall(call: CallPlan, timeSeconds: number): string[] {
  const limit = `at most ${durationText(timeSeconds)}`;
  const inputs = Object.entries(call.inputs).map(([name, text]) => `  ${name}: ${indented(text, 7)}`);
  const given = inputs.length === 0 ? [] : ['given', ...inputs];
  const { each } = call;
  if (each === undefined) return [`starts a child run of ${call.definition} and waits for it, ${limit}`, ...given];
  const list = `for each item of ${indented(each.list, 5)}`;
  return [`starts a child run of ${call.definition} ${list}, ${each.max} at a time, each ${limit}`, ...given];
}
