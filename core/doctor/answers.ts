import { unreachable } from '#core/exhaustive.ts';
import { counted, durationText } from '#core/plan/amounts.ts';
import type { Facts } from '#core/doctor/facts.ts';
import type { Finding, LoopAnswer, LoopAnswers } from '#core/doctor/finding.ts';
import { type LoopView } from '#core/doctor/loop-view.ts';
import { isAboutTests, keepsOff, promptOf } from '#core/doctor/prompts.ts';
import { coversTests, protection } from '#core/doctor/rules/agent-can-edit.ts';
import { conditionReaches } from '#core/doctor/rules/routes.ts';
import { isHard } from '#core/doctor/rules/reviews.ts';
import { isPackageManager } from '#core/doctor/shell/kinds.ts';

const questions = {
  signal: "Could the agent change the check's answer?",
  route: 'What does the next attempt know that this one did not?',
  limit: 'What happens when the attempts run out?',
} as const;

/** D-21: the three questions for one loop, the good answers, too. `own` are the findings about it. */
export function answersOf(facts: Facts, view: LoopView, own: readonly Finding[]): LoopAnswers {
  const { owner, path } = view;
  const signal = signalAnswer(facts, view, own);
  const route = routeAnswer(facts, view, own);
  const limit = limitAnswer(facts, view, own);
  return { loop: owner.id, path, signal, route, limit, closed: signal.good && route.good && limit.good };
}

function answered(part: keyof typeof questions, own: readonly Finding[], answer: string): LoopAnswer {
  const missing = own.filter((finding) => finding.missing === part);
  const [first] = missing;
  const question = questions[part];
  return first === undefined
    ? { question, answer, good: true }
    : { question, answer: `${sentence(first.message)} ${answer}`, good: false };
}

function signalAnswer(
  facts: Facts,
  { signals, workers, owner, members }: LoopView,
  own: readonly Finding[],
): LoopAnswer {
  if (signals.length === 0) {
    const answer = 'There is no check: the agent alone says when it is done.';
    return { question: questions.signal, answer, good: false };
  }
  // The finding says what is wrong with it; "no" beside that would be none.
  if (own.some(({ missing }) => missing === 'signal')) {
    return answered('signal', own, sentence(`What decides is ${signals.map(({ text }) => text).join(', ')}`));
  }
  const [edits] = own.filter(({ rule }) => rule === 'check/agent-can-edit');
  const deciding = signals.map(({ text }) => text).join(', ');
  if (edits !== undefined && edits.missing === undefined) {
    return answered('signal', own, `In part: ${edits.message}. ${sentence(`What decides is ${deciding}`)}`);
  }
  if (workers.length === 0 && members.some(({ work }) => work.kind === 'call')) {
    return answered('signal', own, sentence(`What decides stands outside of the runs that it starts: ${deciding}`));
  }
  if (workers.length === 0)
    return answered('signal', own, sentence(`No agent works in it; what decides is ${deciding}`));
  if (!signals.some(isHard)) {
    const opinions = signals.filter(({ kind }) => kind === 'opinion').map(({ text }) => text);
    const form = `Its answer is what is asked for, and only the form of it is judged: ${deciding}`;
    const who = opinions.length === 0 ? form : `Another agent decides: ${opinions.join(', ')}`;
    return answered('signal', own, sentence(who));
  }
  const words = wordsAlone(facts, signals, workers);
  if (words !== undefined) return answered('signal', own, sentence(`${words} What decides is ${deciding}`));
  const guard = `${guardText(facts)}${scriptText(facts, signals)}`;
  const who = owner.work.kind === 'person' ? 'No: what decides is' : 'No, as far as the plan tells: what decides is';
  return answered('signal', own, sentence(`${who} ${deciding}${guard}`));
}

/** Tests that lie open: only the task itself keeps the agent from them, or they are its task. */
function wordsAlone(facts: Facts, signals: LoopView['signals'], workers: LoopView['workers']): string | undefined {
  const tested = signals.some(
    ({ command }) => command?.kinds.has('tests') === true || command?.kinds.has('slow') === true,
  );
  const writes = workers.some(({ readOnly }) => !readOnly);
  if (!tested || !writes || coversTests(facts)) return undefined;
  const prompts = workers.map(promptOf);
  if (prompts.some(keepsOff)) return 'It could, and is told not to: nothing but the task keeps it from the tests.';
  return prompts.some(isAboutTests)
    ? 'In part: the tests are its task, and what they ask for is its choice.'
    : undefined;
}

function guardText({ plan }: Facts): string {
  const { protect } = plan.workspace;
  return protect.length === 0 ? '' : `; a change to ${protect.join(', ')} fails the pass`;
}

/** What `npm test` runs stands in a file that agents often have to change. */
function scriptText(facts: Facts, signals: LoopView['signals']): string {
  const runsScript = signals.some(({ command }) => command?.programs.some(({ name }) => isPackageManager(name)));
  if (!runsScript || !facts.plan.workspace.worktree || protection(facts)('package.json')) return '';
  return '; the script that it runs stands in package.json, which is not protected';
}

function routeAnswer(facts: Facts, view: LoopView, own: readonly Finding[]): LoopAnswer {
  const { owner, target, workers, signals } = view;
  const question = questions.route;
  if (!conditionReaches(facts, view)) return answered('route', own, 'Nothing: it gets the same prompt.');
  if (workers.length === 0) {
    const isWait = view.loop.wait.everySeconds > 0;
    const answer = isWait
      ? `Nothing, and it need not: after ${durationText(view.loop.wait.everySeconds)} the same is tried again.`
      : target.work.kind === 'call'
        ? `The run of \`${target.work.definition}\` begins again with what this one left in the workspace.`
        : 'No agent is within it that could know anything.';
    return answered('route', own, answer);
  }
  const named = workers.map(({ id }) => `\`${id}\``).join(', ');
  if (signals.length === 0) return { question, answer: 'Nothing: nothing was found out.', good: false };
  if (owner.work.kind === 'person')
    return answered('route', own, `What the person wrote: it is appended to the prompt of ${named}.`);
  if (view.loop.repeat?.condition !== undefined && !signals.some(({ path }) => path.includes('.checks.'))) {
    return answered('route', own, `What the condition wrote, which the prompt of ${named} names.`);
  }
  const what = signals.map(({ text }) => text).join(', ');
  return answered('route', own, `What was found by ${what}: its output is appended to the prompt of ${named}.`);
}

function limitAnswer(facts: Facts, { owner, loop }: LoopView, own: readonly Finding[]): LoopAnswer {
  if (owner.work.kind === 'person' && owner.work.pushBackLimit === null) {
    return answered('limit', own, 'The person is the limit: whoever stops sending the work back ends it.');
  }
  const { timeSeconds, spendUsd } = facts.plan.limits;
  const bounds = [
    ...(loop.limit === null ? [] : [counted(loop.limit + 1, 'pass', 'passes')]),
    ...(timeSeconds === undefined ? [] : [`${durationText(timeSeconds)} of active time`]),
    ...(spendUsd === undefined ? [] : [`${spendUsd} USD`]),
  ].join(' or ');
  if (bounds === '') return answered('limit', own, 'They do not run out.');
  if (loop.limitJudges === false)
    return answered('limit', own, `After ${bounds} the step ends as its last attempt ended.`);
  const end = exhaustion(owner.continueOnError, loop.onExhausted);
  if (loop.repeat === undefined || loop.onExhaustedMet === undefined)
    return answered('limit', own, `After ${bounds} ${end}.`);
  const whileMet = exhaustion(owner.continueOnError, loop.onExhaustedMet);
  return answered('limit', own, `After ${bounds} ${whileMet} where the condition is still met; else ${end}.`);
}

function exhaustion(continues: boolean, onExhausted: LoopView['loop']['onExhausted']): string {
  switch (onExhausted) {
    case 'fail':
      return continues ? 'the step fails and the run goes on' : 'the run fails, with what was found';
    case 'ask':
      return 'a person is asked, with the evidence';
    case 'pause':
      return 'the run pauses until a limit is raised';
    case 'succeed':
      return 'the step ends as its last pass ended';
    default:
      return unreachable(onExhausted);
  }
}

function sentence(text: string): string {
  const whole = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
  return whole.endsWith('.') ? whole : `${whole}.`;
}
