import type { Facts } from '#core/doctor/facts.ts';
import type { JudgedCommand } from '#core/doctor/judged-commands.ts';
import { type Found, loopOf, type Rule } from '#core/doctor/rule.ts';
import type { StepPlan } from '#core/plan/plan.ts';

/** What is cheap and certain is asked first (B2). */
export const dearFirst: Rule = {
  id: 'check/dear-first',
  severity: 'note',
  title: 'An expensive check comes before a cheaper one.',
  why: 'Checks are judged in written order: work that a linter refuses has then cost a review or a browser run.',
  remedy: 'Write them from cheap to dear: format and types, unit tests, the long tests, reviews.',
  example: {
    wrong:
      'task: Do it.\nagent: codex\nchecks:\n  - npx playwright test\n  - npx tsc --noEmit\nworkspace: { setup: npm ci, protect: ["e2e/**"] }\n',
    right:
      'task: Do it.\nagent: codex\nchecks:\n  - npx tsc --noEmit\n  - npx playwright test\nworkspace: { setup: npm ci, protect: ["e2e/**"] }\n',
  },
  find: (facts) => facts.plan.steps.flatMap((step) => ordered(facts, step)),
};

interface Costed {
  index: number;
  name: string;
  cost: number;
}

function ordered(facts: Facts, step: StepPlan): Found[] {
  if (step.checks.length < 2) return [];
  const costed = step.checks.flatMap((check, index): Costed[] => {
    if (check.kind === 'review') return [{ index, name: check.name, cost: 4 }];
    const command = facts.commandsOf(step).find(({ path }) => path === `${facts.pathOf(step)}.checks.${index}.run`);
    const cost = command === undefined ? undefined : costOf(command);
    return cost === undefined ? [] : [{ index, name: check.name, cost }];
  });
  const dear = costed.find(
    ({ cost, index }) => cost >= 3 && costed.some((other) => other.index > index && other.cost < cost),
  );
  const cheap =
    dear === undefined ? undefined : costed.find((other) => other.index > dear.index && other.cost < dear.cost);
  if (dear === undefined || cheap === undefined) return [];
  const message = `\`${dear.name}\` is asked before \`${cheap.name}\`, which costs less`;
  const path = `${facts.pathOf(step)}.checks.${dear.index}`;
  return [{ path, message, ...loopOf(step) }];
}

function costOf({ kinds }: JudgedCommand): number | undefined {
  if (kinds.has('slow')) return 3;
  if (kinds.has('tests')) return 2;
  return kinds.has('static') ? 1 : undefined;
}
