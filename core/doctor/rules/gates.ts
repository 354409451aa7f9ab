import type { Facts } from '#core/doctor/facts.ts';
import type { Found, Rule } from '#core/doctor/rule.ts';
import { shortened } from '#core/doctor/loop-view.ts';
import type { StepPlan } from '#core/plan/plan.ts';

const judgedAgent =
  'steps:\n  fix: { agent: codex, prompt: Mend the parser., checks: [./check.sh], loop: { limit: 3 } }\nworkspace: { protect: [check.sh] }\n';

/** D-17: a test step after the agent, or checks without a loop. */
export const gateOnly: Rule = {
  id: 'loop/gate-only',
  severity: 'warning',
  missing: 'route',
  title: 'A check after the agent can fail the run, and sends nothing back.',
  why: 'It is a gate: the agent never learns what failed, and there is no next attempt.',
  remedy: 'Give it a way back: `loop: { to: <the step of the agent>, limit: 3 }`.',
  example: {
    wrong:
      'steps:\n  fix: { agent: codex, prompt: Mend the parser. }\n  test: { run: make test, after: fix }\nworkspace: { protect: ["test/**"] }\n',
    right:
      'steps:\n  fix: { agent: codex, prompt: Mend the parser. }\n  test: { run: make test, after: fix, loop: { to: fix, limit: 3 } }\nworkspace: { protect: ["test/**"] }\n',
  },
  find: (facts) => (facts.repeated ? [] : [...gatesAfter(facts), ...checksWithoutLoop(facts)]),
};

function gatesAfter(facts: Facts): Found[] {
  return facts.commands.flatMap(({ step, role, path, command, kinds }): Found[] => {
    if (role !== 'step' || kinds.size === 0 || step.loop !== undefined) return [];
    const agent = openAgentBefore(facts, step);
    // Whoever is sent back later runs this step again, and it is told of its failure.
    if (agent === undefined) return [];
    const message = `\`${shortened(command)}\` judges the work of \`${agent.id}\` and sends nothing back`;
    return [{ path, message, remedy: `Write \`loop: { to: ${agent.id}, limit: 3 }\` in step \`${step.id}\`.` }];
  });
}

/** The nearest agent before the step that no loop goes back to. */
function openAgentBefore(facts: Facts, step: StepPlan): StepPlan | undefined {
  const nearest = facts.lastBefore(step, ({ work, readOnly }) => work.kind === 'agent' && !readOnly);
  return nearest === undefined || isInLoop(facts, nearest) ? undefined : nearest;
}

/** A loop that a person, a check or a command closes over the step, or its own. */
function isInLoop(facts: Facts, step: StepPlan): boolean {
  return facts.loopsOver(step).length > 0;
}

function checksWithoutLoop(facts: Facts): Found[] {
  return facts.plan.steps.flatMap((step): Found[] => {
    if (step.work.kind !== 'agent' || step.checks.every(({ kind }) => kind === 'schema') || step.checks.length === 0)
      return [];
    if (facts.loopsOver(step).length > 0 || step.loop !== undefined) return [];
    const message = `the checks of \`${step.id}\` can fail the run, and there is no next attempt`;
    return [
      { path: `${facts.pathOf(step)}.checks`, message, remedy: `Write \`loop: { limit: 4 }\` in step \`${step.id}\`.` },
    ];
  });
}

/** D-17: `output_schema`. */
export const schemaGate: Rule = {
  id: 'loop/schema-is-gate',
  severity: 'warning',
  missing: 'route',
  title: 'A schema on an answer fails the step, and the agent never learns why.',
  why: 'The answer that does not fit ends the step; a retry would send the same prompt again.',
  remedy: 'Give the step a loop (`loop: { limit: 3 }`): what does not fit then reaches the next attempt.',
  example: {
    wrong:
      'steps:\n  triage: { agent: codex, readOnly: true, prompt: Triage REPORT.md as JSON., checks: [{ schema: { file: triage.schema.json } }] }\n',
    right:
      'steps:\n  triage: { agent: codex, readOnly: true, prompt: Triage REPORT.md as JSON., checks: [{ schema: { file: triage.schema.json } }], loop: { limit: 3 } }\n',
  },
  find: (facts) =>
    facts.plan.steps.flatMap((step): Found[] => {
      const index = step.checks.findIndex(({ kind }) => kind === 'schema');
      if (
        facts.repeated ||
        index < 0 ||
        step.work.kind !== 'agent' ||
        step.checks.some(({ kind }) => kind !== 'schema')
      )
        return [];
      if (step.loop !== undefined || facts.loopsOver(step).length > 0) return [];
      const message = `an answer of \`${step.id}\` that does not fit fails the step, and nothing reaches the agent`;
      return [{ path: `${facts.pathOf(step)}.checks.${index}`, message }];
    }),
};

/** D-17: `human.task` without `push_back`. */
export const personGate: Rule = {
  id: 'loop/person-is-gate',
  severity: 'warning',
  missing: 'route',
  title: 'A person can stop the run, and cannot send the work back.',
  why: 'Whoever sees that something is missing can only approve it or throw all of it away.',
  remedy: 'Write `loop: { to: <the step of the agent> }` in the step of the person.',
  example: {
    wrong: `steps:\n  draft: { agent: claude, prompt: Draft the release notes. }\n  confirm: { person: { ask: Publish these? }, after: draft }\n`,
    right: `steps:\n  draft: { agent: claude, prompt: Draft the release notes. }\n  confirm: { person: { ask: Publish these? }, after: draft, loop: { to: draft } }\n`,
  },
  find: (facts) =>
    facts.plan.steps.flatMap((step): Found[] => {
      if (step.work.kind !== 'person' || step.loop !== undefined) return [];
      // Whoever reviews the work is not who would do it again.
      const agent =
        facts.lastBefore(
          step,
          ({ work, match, readOnly }) => work.kind === 'agent' && match === undefined && !readOnly,
        ) ?? facts.lastBefore(step, ({ work }) => work.kind === 'agent');
      if (agent === undefined) return [];
      const message = `\`${step.id}\` can approve or reject what \`${agent.id}\` did, and not send it back`;
      return [
        { path: facts.pathOf(step), message, remedy: `Write \`loop: { to: ${agent.id} }\` in step \`${step.id}\`.` },
      ];
    }),
};

/** D-17: `retry_policy` and `with.fallback`. */
export const retryIsNoLoop: Rule = {
  id: 'loop/retry-is-no-loop',
  severity: 'warning',
  missing: 'route',
  title: 'Retries are the only repetition of an agent.',
  why: 'A retry sends the same prompt again: the next attempt knows nothing that this one did not.',
  remedy:
    'Keep retries for crashes and outages (`retry: { on: infrastructure }`), and add a check with a `loop` for the work.',
  example: {
    wrong:
      'steps:\n  fix: { agent: codex, prompt: Mend the parser., retry: { on: notVerdict, limit: 3 }, checks: [./check.sh] }\n',
    right: judgedAgent,
  },
  find: (facts) =>
    facts.plan.steps.flatMap((step): Found[] => {
      const { retry, work } = step;
      if (work.kind !== 'agent' || facts.loopsOver(step).length > 0 || step.loop !== undefined) return [];
      const again = retry.on !== 'infrastructure' && retry.limit > 0;
      const falls = work.agent.fallback.length > 0 && (step.checks.length > 0 || step.match !== undefined);
      if (!again && !falls) return [];
      const key = again ? 'retry' : 'agent';
      const what = again ? `\`${step.id}\` is retried` : `\`${step.id}\` falls back to another agent`;
      return [
        {
          path: `${facts.pathOf(step)}.${key}`,
          message: `${what} with the same prompt, and no loop brings back what was found`,
        },
      ];
    }),
};
