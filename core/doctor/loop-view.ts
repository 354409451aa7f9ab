import type { CheckPlan } from '#core/check/check-plan.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { LoopPlan, Plan, StepPlan } from '#core/plan/plan.ts';
import type { JudgedCommand } from '#core/doctor/judged-commands.ts';

/** What judges a pass of a loop. */
export interface Signal {
  /**
   * `command`, `match`, `schema`, `person`, `call`: something else decides. `opinion`: another agent does. `words`: the
   * agent's own answer does; `report`: its own report does.
   */
  kind: 'command' | 'match' | 'schema' | 'person' | 'call' | 'opinion' | 'words' | 'report';
  path: string;
  /** In plain words, such as `the exit code of \`npm test\``. */
  text: string;
  command?: JudgedCommand;
  /** Of an opinion: who gives it. */
  agent?: string;
}

/** A loop with what it consists of. */
export interface LoopView {
  owner: StepPlan;
  loop: LoopPlan;
  target: StepPlan;
  path: string;
  /** Agents that work again in each pass, from the target to the owner; reviewers that only read are none of them. */
  workers: readonly StepPlan[];
  signals: readonly Signal[];
}

interface Around {
  plan: Plan;
  prefix: string;
  step: (id: string) => StepPlan | undefined;
  isBefore: (before: StepPlan, after: StepPlan) => boolean;
  commands: readonly JudgedCommand[];
}

export function viewLoop(owner: StepPlan, around: Around): LoopView[] {
  const { loop } = owner;
  const target = loop === undefined ? undefined : around.step(loop.to);
  if (loop === undefined || target === undefined) return [];
  const path = `${around.prefix}steps.${owner.id}.loop`;
  const workers = workersOf(owner, target, around);
  return [{ owner, loop, target, path, workers, signals: signalsOf(owner, loop, { ...around, workers }) }];
}

function workersOf(owner: StepPlan, target: StepPlan, { plan, isBefore }: Around): StepPlan[] {
  const inside =
    owner.id === target.id
      ? [target]
      : plan.steps.filter(
          (step) => step === target || step === owner || (isBefore(target, step) && isBefore(step, owner)),
        );
  const agents = inside.filter(({ work }) => work.kind === 'agent');
  const writers = agents.filter(({ readOnly, match, id }) => !readOnly && !(match !== undefined && id !== target.id));
  return writers.length > 0 ? writers : agents.filter(({ id }) => id === target.id);
}

function signalsOf(owner: StepPlan, loop: LoopPlan, around: Around & { workers: readonly StepPlan[] }): Signal[] {
  const at = `${around.prefix}steps.${owner.id}`;
  const checks = owner.checks.flatMap((check, index) => ofCheck(check, `${at}.checks.${index}`, around));
  return [...ofWork(owner, at, around), ...checks, ...ofRepeat(loop, at, around)];
}

function ofWork(
  owner: StepPlan,
  at: string,
  { commands, workers }: { commands: readonly JudgedCommand[]; workers: readonly StepPlan[] },
): Signal[] {
  const { work, match } = owner;
  switch (work.kind) {
    case 'run': {
      const command = commands.find(({ role }) => role === 'step');
      const text = `the exit code of \`${shortened(work.command)}\``;
      return [{ kind: 'command', path: `${at}.run`, text, ...(command === undefined ? {} : { command }) }];
    }
    case 'person':
      return [{ kind: 'person', path: `${at}.person`, text: "a person's decision" }];
    case 'call':
      return [{ kind: 'call', path: `${at}.call`, text: `how the run of \`${work.definition}\` ends` }];
    case 'agent': {
      if (match === undefined) return [];
      const own = workers.some(({ id }) => id === owner.id);
      const key = match.pass === undefined ? 'fail' : 'pass';
      if (own) return [{ kind: 'words', path: `${at}.${key}`, text: 'a pattern on what the agent itself says' }];
      const text = `the verdict of the agent \`${work.agent.name}\` in step \`${owner.id}\``;
      return [{ kind: 'opinion', path: `${at}.${key}`, text, agent: work.agent.name }];
    }
    default:
      return unreachable(work);
  }
}

function ofRepeat(
  { repeat }: LoopPlan,
  at: string,
  { commands, workers }: Around & { workers: readonly StepPlan[] },
): Signal[] {
  if (repeat === undefined) return [];
  if (repeat.condition === undefined) {
    // The exit code of an agent tells how it ended, not what its work is worth.
    const kind = workers.length > 0 ? 'words' : 'command';
    return [{ kind, path: `${at}.loop.${repeat.mode}`, text: "the exit code of the step's own attempt" }];
  }
  const command = commands.find(({ role }) => role === 'repeat');
  const text = `the condition \`${shortened(repeat.condition.command)}\``;
  return [
    { kind: 'command', path: `${at}.loop.${repeat.mode}.run`, text, ...(command === undefined ? {} : { command }) },
  ];
}

function ofCheck(check: CheckPlan, path: string, around: Around & { workers: readonly StepPlan[] }): Signal[] {
  switch (check.kind) {
    case 'command': {
      const command = around.commands.find((each) => each.path === `${path}.run`);
      const text = `the exit code of \`${shortened(check.command)}\``;
      return [{ kind: 'command', path: `${path}.run`, text, ...(command === undefined ? {} : { command }) }];
    }
    case 'match':
    case 'schema': {
      const words = around.step(check.of)?.work.kind === 'agent';
      if (check.kind === 'schema') return [{ kind: 'schema', path, text: `a schema on the output of \`${check.of}\`` }];
      const text = words ? `a pattern on what \`${check.of}\` says` : `a pattern on the output of \`${check.of}\``;
      return [{ kind: words && around.workers.some(({ id }) => id === check.of) ? 'words' : 'match', path, text }];
    }
    case 'review':
      return [{ kind: 'opinion', path, text: `a review by \`${check.agent.name}\``, agent: check.agent.name }];
    case 'report':
      return [{ kind: 'report', path, text: `the agent's own report \`${check.file}\`` }];
    default:
      return unreachable(check);
  }
}

/** On one line, at most 60 characters. */
export function shortened(command: string): string {
  const line = command.trim().replaceAll(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
