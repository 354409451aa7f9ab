import type { Facts } from '#core/doctor/facts.ts';
import { asksForReadingOnly, promptOf } from '#core/doctor/prompts.ts';
import type { LoopView, Signal } from '#core/doctor/loop-view.ts';
import { type Found, loopOf, type Rule } from '#core/doctor/rule.ts';
import { kindOf } from '#core/doctor/shell/kinds.ts';

/** Agents of these names are of no provider, or chosen on the host, which prefers another one (B5). */
const withoutProvider: ReadonlySet<string> = new Set(['auto', 'custom', 'scripted']);

const hard: Readonly<Record<Signal['kind'], boolean>> = {
  command: true,
  match: true,
  schema: true,
  person: true,
  call: true,
  opinion: false,
  words: false,
  report: false,
};

/** What something else than a model decides. */
export function isHard(signal: Signal): boolean {
  return hard[signal.kind];
}

/** The reviewer shares the blind spots of whoever did the work. */
export const sameProvider: Rule = {
  id: 'review/same-provider',
  severity: 'warning',
  title: "The reviewer is of the implementer's provider.",
  why: 'A model that judges its own kind of work overlooks what it overlooked when it did it.',
  remedy: 'Name an agent of another provider, or `auto`, which prefers one; a command beside it judges for certain.',
  example: {
    wrong:
      'task: Do it.\nagent: codex\nchecks:\n  - ./check.sh\n  - review: { agent: codex, criterion: Every change is tested }\nworkspace: { protect: [check.sh] }\n',
    right:
      'task: Do it.\nagent: codex\nchecks:\n  - ./check.sh\n  - review: { agent: claude, criterion: Every change is tested }\nworkspace: { protect: [check.sh] }\n',
  },
  find: (facts) => facts.loops.flatMap((loop) => sameIn(facts, loop)),
};

function sameIn(facts: Facts, { owner, signals, workers }: LoopView): Found[] {
  const names = new Set(workers.flatMap(({ work }) => (work.kind === 'agent' ? [work.agent.name] : [])));
  const isAlone = (): boolean =>
    !facts.loops.some(
      ({ workers: others, signals: all }) => all.some(isHard) && others.some((each) => workers.includes(each)),
    );
  return signals.flatMap(({ kind, agent, path }): Found[] => {
    if (kind !== 'opinion' || agent === undefined || withoutProvider.has(agent) || !names.has(agent)) return [];
    const message = `\`${agent}\` judges work that \`${agent}\` did`;
    const at = path.includes('.checks.') ? `${path}.review.agent` : `${facts.pathOf(owner)}.agent`;
    const fix = path.includes('.checks.')
      ? { fix: { kind: 'replace' as const, path: at, find: agent, replace: 'auto' } }
      : {};
    return [{ path: at, message, loop: owner.id, ...(isAlone() ? { missing: 'signal' as const } : {}), ...fix }];
  });
}

/** A reviewer that writes judges what it has written itself. */
export const reviewerWrites: Rule = {
  id: 'review/can-edit',
  severity: 'warning',
  missing: 'signal',
  title: 'The reviewer can change the work that it reviews.',
  why: 'A reviewer that mends what it finds then approves its own work, and the implementer learns nothing.',
  remedy: 'Write `readOnly: true` in the step of the reviewer.',
  example: {
    wrong:
      'steps:\n  work: { agent: codex, prompt: Do it. }\n  review: { agent: claude, prompt: Review the diff., pass: "^APPROVED$", after: work, loop: { to: work, limit: 2 } }\n',
    right:
      'steps:\n  work: { agent: codex, prompt: Do it. }\n  review: { agent: claude, readOnly: true, prompt: Review the diff., pass: "^APPROVED$", after: work, loop: { to: work, limit: 2 } }\n',
  },
  find: (facts) =>
    facts.loops.flatMap(({ owner, target, signals }): Found[] => {
      const judges =
        owner.work.kind === 'agent' && owner.id !== target.id && signals.some(({ kind }) => kind === 'opinion');
      if (!judges || owner.readOnly || owner.match === undefined || asksForReadingOnly(promptOf(owner))) return [];
      const message = `step \`${owner.id}\` judges the work of \`${target.id}\` and may change it`;
      return [{ path: facts.pathOf(owner), loop: owner.id, message }];
    }),
};

/** B7: only the agent's own report decides. */
export const selfReported: Rule = {
  id: 'check/self-reported',
  severity: 'warning',
  missing: 'signal',
  title: "The agent's own report is all that decides.",
  why: 'An agent that believes to be done reports so; nothing outside it has looked.',
  remedy: 'Add a check that something else decides, such as `- npm test`, and keep `mode: all`.',
  example: {
    wrong: 'task: Fix what the list names.\nagent: codex\nchecks:\n  - report: { worklist: true }\n',
    right:
      'task: Fix what the list names.\nagent: codex\nchecks:\n  - ./check.sh\n  - report: { worklist: true }\nworkspace: { protect: [check.sh] }\n',
  },
  find: (facts) =>
    facts.plan.steps.flatMap((step): Found[] => {
      const index = step.checks.findIndex(({ kind }) => kind === 'report');
      if (index < 0) return [];
      const others = step.checks.filter(({ kind }) => kind !== 'report');
      const looping = facts.loopsOver(step).filter(({ owner }) => owner.id !== step.id);
      const backed = step.mode === 'all' && (others.length > 0 || looping.some(({ signals }) => signals.some(isHard)));
      if (backed) return [];
      const how = others.length > 0 ? 'under `mode: any` it is enough' : 'nothing else judges the work';
      const message = `the report of step \`${step.id}\` is the agent's own word, and ${how}`;
      const path = `${facts.pathOf(step)}.checks.${index}`;
      return [{ path, message, ...loopOf(step) }];
    }),
};

/** D-17's second row: the only signal is what the agent itself says. */
export const selfReview: Rule = {
  id: 'loop/self-review',
  severity: 'warning',
  missing: 'signal',
  title: "The agent's own answer decides whether its work is done.",
  why: 'A model that judges its own output does not reliably find its mistakes, and learns what it has to say.',
  remedy: 'Let a command decide (`checks: [npm test]`), or an agent of another provider (`review`).',
  example: {
    wrong:
      'steps:\n  work: { agent: codex, prompt: Do it and end with STATUS; say DONE or OPEN., pass: "^STATUS: DONE$", loop: { limit: 3 } }\n',
    right:
      'steps:\n  work: { agent: codex, prompt: Do it., checks: [./check.sh], loop: { limit: 3 } }\nworkspace: { protect: [check.sh] }\n',
  },
  find: (facts) =>
    facts.loops.flatMap(({ owner, signals, workers, loop }): Found[] => {
      const isOwn = (signal: Signal): boolean => readsOwnWords(signal, workers) || readsOwnAnswer(signal, workers);
      const words = signals.find(({ kind }) => kind === 'words') ?? signals.find(isOwn);
      const others = signals.filter(({ kind }) => kind !== 'words' && kind !== 'report').filter((it) => !isOwn(it));
      // An agent that writes nothing may well be asked for the answer itself.
      if (words === undefined || others.length > 0 || workers.length === 0 || loop.on === 'pass' || owner.readOnly)
        return [];
      if (
        facts.loops.some(
          (other) => other.owner !== owner && other.signals.some(isHard) && other.workers.includes(owner),
        )
      )
        return [];
      const message = `the loop of \`${owner.id}\` ends when its agent says so: ${words.text}`;
      return [{ path: words.path, loop: owner.id, message }];
    }),
};

const textTools = new Set(['printf', 'echo', 'grep', 'egrep', 'rg', 'awk', 'sed', 'tr', 'head', 'tail', 'test', '[']);

/** `echo "$ANSWER" | grep -q DONE`, of a variable that holds what the agent itself has said. */
function readsOwnAnswer({ command }: Signal, workers: LoopView['workers']): boolean {
  if (command === undefined || command.programs.length === 0) return false;
  if (!command.programs.every(({ name }) => textTools.has(name))) return false;
  const answers = workers.map(({ id }) => `{{steps.${id}.output`);
  const isAnswer = (text: string): boolean => answers.some((answer) => text.includes(answer));
  const held = Object.entries(command.step.env).filter(([, value]) => isAnswer(value));
  return isAnswer(command.command) || held.some(([name]) => mentions(command.command, name));
}

function mentions(command: string, variable: string): boolean {
  return new RegExp(String.raw`\$\{?${variable}\b`).test(command);
}

/** `grep -q DONE answer.txt`, of the file that the agent's own answer is written to or that it is asked to write. */
function readsOwnWords({ command }: Signal, workers: LoopView['workers']): boolean {
  if (command === undefined || command.programs.length !== 1) return false;
  const [program] = command.programs;
  if (program === undefined || kindOf(program) !== undefined || !/^(?:grep|rg|egrep|test|\[)$/.test(program.name))
    return false;
  const files = workers.flatMap(({ output }) => (output?.artifact === undefined ? [] : [output.artifact]));
  const last = program.args.filter((arg) => arg !== ']').at(-1) ?? '';
  if (files.some((file) => last.endsWith(file))) return true;
  const name = last.split('/').at(-1) ?? '';
  // A marker that the prompt tells the agent to write.
  return (
    name.length > 2 &&
    /done|status|complete|finished|result|verdict/i.test(name) &&
    workers.some((step) => promptOf(step).includes(name))
  );
}
