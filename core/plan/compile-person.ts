import type { PersonDefinition, StepDefinition } from '#core/definition/definition.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import { errorAt, warningAt } from '#core/issue/issue.ts';
import { checkForm } from '#core/plan/check-form.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { reportUnknownStep } from '#core/plan/compiling.ts';
import type { PersonPlan } from '#core/plan/plan.ts';

/**
 * A question with its defaults. A loop without a limit of its own lets a person push back for ever, and reject as often
 * as the run has passes; a limit that is written holds for both (C1, D3).
 */
export function compilePerson(compiling: Compiling, step: StepDefinition, person: PersonDefinition): PersonPlan {
  checkShown(compiling, step.id, person);
  checkWho(compiling, step.id, person);
  checkForm(compiling, `steps.${step.id}.person.form`, person.form);
  refuseKeys(compiling, step);
  const { form, remindSeconds, escalate, time } = person;
  return {
    kind: 'person',
    ask: person.ask,
    show: person.show ?? [],
    who: [...new Set(person.who)],
    quorum: person.quorum ?? defaults.quorum,
    notAuthor: person.notAuthor ?? false,
    pushBackLimit: person.pushBackLimit === undefined ? (step.loop?.limit ?? null) : person.pushBackLimit,
    ...present({ form, remindSeconds }),
    ...(escalate === undefined ? {} : { escalate: { to: [...new Set(escalate.to)], ...afterOf(escalate) } }),
    ...(time === undefined ? {} : { time: { onExpiry: 'fail', ...present(time) } }),
  };
}

function afterOf({ afterSeconds }: NonNullable<PersonDefinition['escalate']>): { afterSeconds?: number } {
  return present({ afterSeconds });
}

function checkShown(compiling: Compiling, id: string, person: PersonDefinition): void {
  for (const [position, shown] of (person.show ?? []).entries()) {
    if (shown.kind === 'output' && !compiling.indexes.has(shown.step)) {
      reportUnknownStep(compiling, `steps.${id}.person.show.${position}`, shown.step);
    }
  }
}

/** A question that nobody could answer, or that asks for more people than it names, would wait for ever. */
function checkWho(compiling: Compiling, id: string, person: PersonDefinition): void {
  const path = `steps.${id}.person`;
  const { who = [], quorum = defaults.quorum, escalate, time } = person;
  const names = new Set([...who, ...(escalate?.to ?? [])]);
  const known = who.length > 0 && ![...names].some((name) => name.startsWith('team:'));
  if (known && quorum > names.size) {
    const message = `${quorum} people must approve and only ${names.size} may decide; name more people or a team, or lower \`quorum\``;
    compiling.issues.push(errorAt(`${path}.quorum`, 'person/quorum-too-large', message));
  }
  if (escalate !== undefined && escalate.to.length === 0) {
    const message = '`escalate` names nobody; write whom to ask, such as `to: [team:leads]`';
    compiling.issues.push(errorAt(`${path}.escalate`, 'person/escalates-to-nobody', message));
  }
  if (escalate === undefined && time?.onExpiry === 'escalate') {
    const message =
      '`then: escalate` tells only those who were asked already; write whom to ask then, such as `escalate: { to: [team:leads] }`';
    compiling.issues.push(warningAt(`${path}.time.then`, 'person/escalates-to-nobody', message));
  }
  if (escalate !== undefined && escalate.afterSeconds === undefined && time?.onExpiry !== 'escalate') {
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
  const path = `steps.${step.id}`;
  const refuse = (key: string, why: string): void => {
    const message = `\`${key}\` has no meaning for a \`person\` step: ${why}; remove it`;
    compiling.issues.push(errorAt(`${path}.${key}`, 'definition/conflict', message));
  };
  const { readOnly, retry, timeSeconds: time, mode, env, secrets, match = {}, loop = {} } = step;
  for (const [key, value] of Object.entries({ readOnly, retry, time, mode, env, secrets })) {
    if (value !== undefined) refuse(key, belongsElsewhere[key] ?? '');
  }
  for (const key of ['pass', 'fail'] as const) {
    if (match[key] !== undefined) refuse(key, 'free text is never an approval');
  }
  if (step.checks.length > 0) refuse('checks', 'the person is the check');
  if (loop.on !== undefined && loop.on !== 'fail') refuse('loop.on', 'only a rejection or a push back goes back');
  if (loop.repeat !== undefined) refuse(`loop.${loop.repeat.mode}`, 'the person decides whether it goes back');
  if (loop.wait !== undefined) refuse('loop.wait', 'the person decides when it goes back');
}
