import type { LoopDefinition, PersonDefinition, StepDefinition } from '#core/definition/definition.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import { errorAt, warningAt } from '#core/issue/issue.ts';
import { checkForm } from '#core/plan/check-form.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { checkPath, reportUnknownStep, warnUnordered } from '#core/plan/compiling.ts';
import type { PersonPlan } from '#core/plan/plan.ts';

/**
 * A question with its defaults. A loop without a limit of its own lets a person push back for ever, and reject as often
 * as the run has passes; a limit that is written holds for both (C1, D3).
 */
export function compilePerson(compiling: Compiling, step: StepDefinition, person: PersonDefinition): PersonPlan {
  checkShown(compiling, step.id, person);
  checkQuorum(compiling, step.id, person);
  checkEscalation(compiling, step.id, person);
  checkForm(compiling, `steps.${step.id}.person.form`, person.form);
  checkForm(compiling, `steps.${step.id}.person.pushBackForm`, person.pushBackForm);
  refuseKeys(compiling, step);
  const { form, pushBackForm, remindSeconds, escalate, time } = person;
  return {
    kind: 'person',
    ask: person.ask,
    show: person.show ?? [],
    who: [...new Set(person.who)],
    quorum: person.quorum ?? defaults.quorum,
    notAuthor: person.notAuthor ?? false,
    pushBackLimit: person.pushBackLimit === undefined ? (step.loop?.limit ?? null) : person.pushBackLimit,
    ...present({ form, pushBackForm, remindSeconds }),
    ...(escalate === undefined ? {} : { escalate: { to: [...new Set(escalate.to)], ...afterOf(escalate) } }),
    ...(time === undefined ? {} : { time: { onExpiry: 'fail', ...present(time) } }),
  };
}

function afterOf({ afterSeconds }: NonNullable<PersonDefinition['escalate']>): { afterSeconds?: number } {
  return present({ afterSeconds });
}

function checkShown(compiling: Compiling, id: string, person: PersonDefinition): void {
  for (const [position, shown] of (person.show ?? []).entries()) {
    const path = `steps.${id}.person.show.${position}`;
    if (shown.kind !== 'output') checkPath(compiling, path, shown.path);
    else if (!compiling.indexes.has(shown.step)) reportUnknownStep(compiling, path, shown.step);
    else warnUnordered(compiling, { path, step: id }, shown.step);
  }
}

/** A question that asks for more people than it names would wait for ever. */
function checkQuorum(compiling: Compiling, id: string, person: PersonDefinition): void {
  const { who = [], quorum = defaults.quorum, escalate } = person;
  const names = new Set([...who, ...(escalate?.to ?? [])]);
  const open = who.length === 0 || [...names].some((name) => name.startsWith('team:'));
  if (open || quorum <= names.size) return;
  const message = `${quorum} people must approve and only ${names.size} may decide; name more people or a team, or lower \`quorum\``;
  compiling.issues.push(errorAt(`steps.${id}.person.quorum`, 'person/quorum-too-large', message));
}

function checkEscalation(compiling: Compiling, id: string, { escalate, time }: PersonDefinition): void {
  const path = `steps.${id}.person`;
  const atExpiry = time?.onExpiry === 'escalate';
  if (escalate === undefined) {
    if (!atExpiry) return;
    const message =
      '`then: escalate` tells only those who were asked already; write whom to ask then, such as `escalate: { to: [team:leads] }`';
    compiling.issues.push(warningAt(`${path}.time.then`, 'person/escalates-to-nobody', message));
    return;
  }
  if (escalate.to.length === 0) {
    const message = '`escalate` names nobody; write whom to ask, such as `to: [team:leads]`';
    compiling.issues.push(errorAt(`${path}.escalate`, 'person/escalates-to-nobody', message));
  }
  if (escalate.afterSeconds === undefined && !atExpiry) {
    const message = '`escalate` says not when; write `after`, or `time: { limit: 3d, then: escalate }`';
    compiling.issues.push(errorAt(`${path}.escalate`, 'definition/missing', message));
  }
}

const belongsElsewhere: Readonly<Record<string, string>> = {
  readOnly: 'a person changes no file',
  retry: 'a question is asked once a pass',
  time: 'how long a question stays open is said by `time: {limit, then}` inside `person`',
  mode: 'there are no checks to combine',
  env: 'a person runs nothing',
  secrets: 'a person runs nothing',
};

/** What says something about work has no meaning for a question. */
function refuseKeys(compiling: Compiling, step: StepDefinition): void {
  const { readOnly, retry, timeSeconds: time, mode, env, secrets, match } = step;
  const written: [string, string][] = [];
  for (const [key, value] of Object.entries({ readOnly, retry, time, mode, env, secrets })) {
    if (value !== undefined) written.push([key, belongsElsewhere[key] ?? '']);
  }
  for (const key of ['pass', 'fail'] as const) {
    if (match?.[key] !== undefined) written.push([key, 'free text is never an approval']);
  }
  if (step.checks.length > 0) written.push(['checks', 'the person is the check']);
  written.push(...loopKeys(step.loop ?? {}));
  for (const [key, why] of written) {
    const message = `\`${key}\` has no meaning for a \`person\` step: ${why}; remove it`;
    compiling.issues.push(errorAt(`steps.${step.id}.${key}`, 'definition/conflict', message));
  }
}

function loopKeys({ on = 'fail', repeat, wait }: LoopDefinition): [string, string][] {
  const written: [string, string][] = [];
  if (on !== 'fail') written.push(['loop.on', 'only a rejection or a push back goes back']);
  if (repeat !== undefined) written.push([`loop.${repeat.mode}`, 'the person decides whether it goes back']);
  if (wait !== undefined) written.push(['loop.wait', 'the person decides when it goes back']);
  return written;
}
