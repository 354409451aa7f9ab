import type { JudgedCommand } from '#core/doctor/judged-commands.ts';
import type { Facts } from '#core/doctor/facts.ts';
import type { LoopView } from '#core/doctor/loop-view.ts';
import { shortened } from '#core/doctor/loop-view.ts';
import type { Found, Rule } from '#core/doctor/rule.ts';
import { defaults } from '#core/definition/defaults.ts';
import { durationText } from '#core/plan/amounts.ts';
import type { StepPlan } from '#core/plan/plan.ts';

const fix =
  'steps:\n  fix: { agent: codex, prompt: Mend the parser., checks: [./check.sh], loop: { LIMIT } }\nworkspace: { protect: [check.sh] }\n';

/** D-17: `repeat_policy` without `limit`. */
export const noLimit: Rule = {
  id: 'loop/no-limit',
  severity: 'warning',
  missing: 'limit',
  title: 'The number of passes has no limit.',
  why: 'The loop goes on until the check passes or the time is over, and each pass costs.',
  remedy: 'Write `limit: 4`: as many more passes as the work is worth.',
  example: { wrong: fix.replace('LIMIT', 'limit: none'), right: fix.replace('LIMIT', 'limit: 4') },
  find: (facts) =>
    facts.loops.flatMap(({ owner, loop, path }): Found[] => {
      if (loop.limit !== null || owner.work.kind === 'person') return [];
      // To wait for something takes as long as it takes; only the time is a sensible bound.
      if (loop.wait.everySeconds > 0 && owner.work.kind === 'run' && loop.to === owner.id) return [];
      return [{ path, loop: owner.id, message: `the loop of \`${owner.id}\` may go on without an end` }];
    }),
};

/** D-17: a limit with nothing after it. */
export const limitWithNothingAfter: Rule = {
  id: 'loop/nothing-after-limit',
  severity: 'warning',
  missing: 'limit',
  title: 'When the attempts run out, the run goes on with work that did not pass.',
  why: 'Running out does not judge the work: the step ends as its last attempt ended, and what comes after takes it for good.',
  remedy:
    'Run the check once more in a step after it, or hand the work to a person; or let running out fail (`onExhausted: fail`).',
  example: {
    wrong:
      'steps:\n  fix: { agent: codex, prompt: Mend the parser., checks: [./check.sh], loop: { limit: 3 }, continueOnError: true }\nworkspace: { protect: [check.sh] }\n',
    right: fix.replace('LIMIT', 'limit: 3'),
  },
  find: (facts) => facts.loops.flatMap((view) => unjudged(facts, view)),
};

function unjudged(facts: Facts, view: LoopView): Found[] {
  const { owner, path, workers } = view;
  const ends = goesOn(view);
  if (ends === undefined || (ends === 'succeeds' && workers.length === 0)) return [];
  if (facts.isFollowedBy(owner, (later) => judgesAgain(facts, view, later))) return [];
  const what =
    ends === 'fails'
      ? `\`${owner.id}\` may fail and the run goes on`
      : `\`${owner.id}\` succeeds when its attempts run out`;
  return [{ path, loop: owner.id, message: `${what}, and nothing after it looks at the work again` }];
}

/** Whether the run goes on when the limit is reached, and how the step then ends. */
function goesOn({ owner, loop }: LoopView): 'fails' | 'succeeds' | undefined {
  if (loop.limit === null || owner.work.kind === 'person') return undefined;
  if (loop.repeat !== undefined && (loop.limitJudges === false || loop.onExhausted === 'succeed')) return 'succeeds';
  const lets = owner.continueOnError || owner.continueOn !== undefined;
  return lets && loop.on !== 'pass' ? 'fails' : undefined;
}

/** A person, the same command again, or any command or check that judges. */
function judgesAgain(facts: Facts, { loop }: LoopView, step: StepPlan): boolean {
  if (step.work.kind === 'person' || step.checks.length > 0 || step.match !== undefined) return true;
  const own = facts.commandsOf(step).find(({ role }) => role === 'step');
  if (own === undefined) return false;
  if (own.kinds.size > 0) return true;
  const [judge] = programOf(loop.repeat?.condition?.command ?? '');
  return judge !== undefined && judge !== '' && programOf(own.command)[0] === judge;
}

function programOf(command: string): string[] {
  return command.trim().split(/\s+/);
}

/** One pass is no loop. */
export const neverFires: Rule = {
  id: 'loop/never-fires',
  severity: 'note',
  missing: 'route',
  title: 'The loop allows no second pass.',
  why: 'What the check finds is told to nobody: the first failure is the last.',
  remedy: 'Allow at least one more pass: `limit: 1`, or `limits: { passes: 2 }`.',
  example: { wrong: fix.replace('LIMIT', 'limit: 0'), right: fix.replace('LIMIT', 'limit: 2') },
  find: (facts) =>
    facts.loops.flatMap(({ owner, loop, path }): Found[] => {
      if (loop.limit !== 0 || owner.work.kind === 'person') return [];
      return [
        { path: `${path}.limit`, loop: owner.id, message: `the loop of \`${owner.id}\` never fires: its limit is 0` },
      ];
    }),
};

/** B6: so many passes in a row are more than the loop has. */
export const streakTooLong: Rule = {
  id: 'limit/streak-too-long',
  severity: 'warning',
  missing: 'limit',
  title: 'A review wants more passes in a row than the loop has.',
  why: 'It can never be met: the loop always ends as exhausted.',
  remedy: 'Lower `consecutive`, or allow more passes.',
  example: {
    wrong:
      'task: Do it.\nagent: codex\nchecks:\n  - ./check.sh\n  - review: { agent: claude, criterion: It is plain, consecutive: 4 }\nlimits: { passes: 3 }\nworkspace: { protect: [check.sh] }\n',
    right:
      'task: Do it.\nagent: codex\nchecks:\n  - ./check.sh\n  - review: { agent: claude, criterion: It is plain, consecutive: 2 }\nlimits: { passes: 5 }\nworkspace: { protect: [check.sh] }\n',
  },
  find: (facts) =>
    facts.loops.flatMap(({ owner, loop }): Found[] => {
      const { limit } = loop;
      if (limit === null) return [];
      return owner.checks.flatMap((check, index): Found[] => {
        if (check.kind !== 'review' || check.consecutive <= limit + 1) return [];
        const path = `${facts.pathOf(owner)}.checks.${index}.review.consecutive`;
        const message = `${check.consecutive} passes in a row are asked for, and the loop has ${limit + 1}`;
        return [{ path, loop: owner.id, message }];
      });
    }),
};

/** E7, E10: a limit that another one makes void. */
export const capCannotBind: Rule = {
  id: 'limit/cannot-bind',
  severity: 'warning',
  missing: 'limit',
  title: 'A limit can never be reached, since another one comes first.',
  why: 'Whoever reads it believes that it protects, and it does not.',
  remedy: 'Remove it, or make it the smaller one.',
  example: {
    wrong:
      'task: Do it.\nagent: codex\nchecks: [./check.sh]\nlimits: { time: 8h, deadline: 1h }\nworkspace: { protect: [check.sh] }\n',
    right:
      'task: Do it.\nagent: codex\nchecks: [./check.sh]\nlimits: { time: 1h, deadline: 8h }\nworkspace: { protect: [check.sh] }\n',
  },
  find: (facts) => [...timeBehindDeadline(facts), ...facts.loops.flatMap((loop) => waitBehindDeadline(facts, loop))],
};

function timeBehindDeadline({ plan, prefix }: Facts): Found[] {
  const { timeSeconds, deadlineSeconds } = plan.limits;
  // The default is what nobody has written.
  if (timeSeconds === undefined || deadlineSeconds === undefined || timeSeconds === defaults.timeSeconds) return [];
  if (timeSeconds < deadlineSeconds) return [];
  const message = `${durationText(timeSeconds)} of active time cannot pass within a deadline of ${durationText(deadlineSeconds)}`;
  return [{ path: `${prefix}limits.time`, message }];
}

function waitBehindDeadline({ plan }: Facts, { owner, loop, path }: LoopView): Found[] {
  const { deadlineSeconds } = plan.limits;
  const { everySeconds } = loop.wait;
  if (deadlineSeconds === undefined || loop.limit === null || loop.limit === 0 || everySeconds < deadlineSeconds)
    return [];
  const message = `the wait of ${durationText(everySeconds)} before the next pass of \`${owner.id}\` is no shorter than the deadline of the run, ${durationText(deadlineSeconds)}`;
  return [{ path: `${path}.limit`, loop: owner.id, message }];
}

/** `while` the check passes. */
export const inverted: Rule = {
  id: 'loop/inverted-condition',
  severity: 'warning',
  missing: 'signal',
  title: 'The loop goes on while its check passes.',
  why: 'Good work is done again, and bad work ends the loop.',
  remedy: 'Write `until` in place of `while`.',
  example: {
    wrong:
      'steps:\n  fix: { agent: codex, prompt: Mend it. What failed stands in out.log., loop: { while: make test > out.log, limit: 3 } }\nworkspace: { protect: ["test/**"] }\n',
    right:
      'steps:\n  fix: { agent: codex, prompt: Mend it. What failed stands in out.log., loop: { until: make test > out.log, limit: 3 } }\nworkspace: { protect: ["test/**"] }\n',
  },
  find: (facts) =>
    facts.loops.flatMap(({ owner, loop, path }): Found[] => {
      const { repeat } = loop;
      if (repeat?.mode !== 'while' || repeat.met !== undefined) return [];
      const command = facts.commandsOf(owner).find(({ role }) => role === 'repeat');
      if (command === undefined || !passesWhenGood(command)) return [];
      const message = `\`${owner.id}\` is done again while \`${shortened(command.command)}\` passes`;
      return [{ path: `${path}.while.run`, loop: owner.id, message }];
    }),
};

/** A command that judges, read as people read it: 0 is good. */
function passesWhenGood({ byExit, wants, kinds, command }: JudgedCommand): boolean {
  return byExit && wants === 0 && kinds.size > 0 && !command.trimStart().startsWith('!');
}
