import type { Facts } from '#core/doctor/facts.ts';
import { policesItself, promptOf } from '#core/doctor/prompts.ts';
import type { Found, Rule } from '#core/doctor/rule.ts';
import type { StepPlan } from '#core/plan/plan.ts';

/** D-17's first row. */
export const agentDecides: Rule = {
  id: 'loop/agent-decides',
  severity: 'warning',
  missing: 'signal',
  title: 'The prompt tells the agent to go on until it is done, and nothing else looks.',
  why: 'The agent decides when to stop and reports its own result; what it says of it is not checked.',
  remedy: 'Make the command that it is to run a check: `checks: [npm test]` with `loop: { limit: 4 }`.',
  example: {
    wrong: 'steps:\n  fix: { agent: codex, prompt: Run the tests and fix them until they pass. }\n',
    right:
      'steps:\n  fix: { agent: codex, prompt: Make the tests pass. Do not edit the tests., checks: [npm test], loop: { limit: 4 } }\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
  },
  find: (facts) =>
    agents(facts).flatMap((step): Found[] => {
      if (!policesItself(promptOf(step)) || isJudged(facts, step)) return [];
      const message = `the prompt of \`${step.id}\` tells the agent when to stop, and nothing else judges its work`;
      return [{ path: `${facts.pathOf(step)}.prompt`, message }];
    }),
};

/** Work that nothing looks at. */
export const openLoop: Rule = {
  id: 'loop/open',
  severity: 'note',
  missing: 'signal',
  title: 'Nothing judges what an agent writes.',
  why: 'The step succeeds when the agent ends, whether or not its work is right.',
  remedy: 'Give the step a check and a loop, or let a step after it judge the work and loop back to it.',
  example: {
    wrong: 'steps:\n  fix: { agent: codex, prompt: Add a retry to the client. }\n',
    right:
      'steps:\n  fix: { agent: codex, prompt: Add a retry to the client., checks: [./check.sh], loop: { limit: 4 } }\nworkspace: { protect: [check.sh] }\n',
  },
  find: (facts) =>
    agents(facts).flatMap((step): Found[] => {
      if (step.readOnly || policesItself(promptOf(step)) || isJudged(facts, step)) return [];
      // What comes after it may have a way back, or go on with its work.
      const goesOn = ({ work, readOnly }: StepPlan): boolean =>
        work.kind === 'call' || (work.kind === 'agent' && !readOnly);
      if (facts.isFollowedBy(step, goesOn)) return [];
      return [{ path: facts.pathOf(step), message: `nothing judges the work of \`${step.id}\`` }];
    }),
};

/** A loop that only a crash would fire. */
export const noSignal: Rule = {
  id: 'loop/no-signal',
  severity: 'warning',
  missing: 'signal',
  title: 'A loop on failure has nothing that could fail.',
  why: "An agent's exit code tells that it has ended, not that its work is right: the loop fires only on a crash.",
  remedy: 'Add a check to the step, such as `checks: [npm test]`.',
  example: {
    wrong: 'steps:\n  fix: { agent: codex, prompt: Add a retry., loop: { limit: 3 } }\n',
    right:
      'steps:\n  fix: { agent: codex, prompt: Add a retry., checks: [./check.sh], loop: { limit: 3 } }\nworkspace: { protect: [check.sh] }\n',
  },
  find: (facts) =>
    facts.loops.flatMap(({ owner, path, signals, loop }): Found[] => {
      if (signals.length > 0 || loop.on === 'pass') return [];
      if (loop.on === 'always' && owner.work.kind !== 'agent') return [];
      return [{ path, loop: owner.id, message: `nothing outside the agent judges step \`${owner.id}\`` }];
    }),
};

function agents({ plan }: Facts): StepPlan[] {
  return plan.steps.filter(({ work }) => work.kind === 'agent');
}

/** Something looks at the step's work: itself, a loop over it, or a step after it. */
export function isJudged(facts: Facts, step: StepPlan): boolean {
  if (facts.repeated || step.checks.length > 0 || step.match !== undefined || step.loop !== undefined) return true;
  if (facts.loopsOver(step).some(({ signals }) => signals.length > 0)) return true;
  return facts.isFollowedBy(step, (later) => judges(facts, later));
}

/** A step after an agent that can say no: a person, a command that judges, a reviewer, whatever has checks. */
export function judges(facts: Facts, step: StepPlan): boolean {
  if (step.work.kind === 'person' || step.checks.length > 0 || step.match !== undefined) return true;
  return facts.commandsOf(step).some(({ role, kinds }) => role === 'step' && kinds.size > 0);
}
