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
  /** From the target to the owner; what is beside them runs again, too, but is not what is judged. */
  members: readonly StepPlan[];
  /** Agents that work again in each pass, from the target to the owner; reviewers that only read are none of them. */
  workers: readonly StepPlan[];
  signals: readonly Signal[];
}

interface Around {
  plan: Plan;
  prefix: string;
  indexes: ReadonlyMap<string, number>;
  isBefore: (before: StepPlan, after: StepPlan) => boolean;
  commandsOf: (step: StepPlan) => readonly JudgedCommand[];
}

/** With the agents whose work is judged. */
interface Inside extends Around {
  owner: StepPlan;
  workers: readonly StepPlan[];
}

export function viewLoop(owner: StepPlan, around: Around): LoopView[] {
  const { loop } = owner;
  const target = loop === undefined ? undefined : around.plan.steps[around.indexes.get(loop.to) ?? -1];
  if (loop === undefined || target === undefined) return [];
  const path = `${around.prefix}steps.${owner.id}.loop`;
  const members = membersOf(owner, target, around);
  const workers = workersOf(target, members);
  return [{ owner, loop, target, path, members, workers, signals: signalsOf(loop, { ...around, owner, workers }) }];
}

/** Steps of a plan are in topological order, so only what stands between the two can be. */
function membersOf(owner: StepPlan, target: StepPlan, { plan, indexes, isBefore }: Around): StepPlan[] {
  if (owner.id === target.id) return [owner];
  const [from, to] = [indexes.get(target.id) ?? 0, indexes.get(owner.id) ?? 0];
  const between = plan.steps.slice(from + 1, to).filter((step) => isBefore(target, step) && isBefore(step, owner));
  return [target, ...between, owner];
}

function workersOf(target: StepPlan, members: readonly StepPlan[]): StepPlan[] {
  const agents = members.filter(({ work }) => work.kind === 'agent');
  const writers = agents.filter(({ readOnly, match, id }) => !readOnly && !(match !== undefined && id !== target.id));
  return writers.length > 0 ? writers : agents.filter(({ id }) => id === target.id);
}

function signalsOf(loop: LoopPlan, inside: Inside): Signal[] {
  const at = `${inside.prefix}steps.${inside.owner.id}`;
  const checks = inside.owner.checks.flatMap((check, index) => ofCheck(check, `${at}.checks.${index}`, inside));
  return [...ofWork(at, inside), ...checks, ...ofRepeat(loop, at, inside)];
}

function ofWork(at: string, { owner, workers, commandsOf }: Inside): Signal[] {
  const { work, match } = owner;
  switch (work.kind) {
    case 'run': {
      const command = commandsOf(owner).find(({ role }) => role === 'step');
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

function ofRepeat({ repeat }: LoopPlan, at: string, { owner, workers, commandsOf }: Inside): Signal[] {
  if (repeat === undefined) return [];
  if (repeat.condition === undefined) {
    // The exit code of an agent tells how it ended, not what its work is worth.
    const kind = workers.length > 0 ? 'words' : 'command';
    return [{ kind, path: `${at}.loop.${repeat.mode}`, text: "the exit code of the step's own attempt" }];
  }
  const command = commandsOf(owner).find(({ role }) => role === 'repeat');
  const text = `the condition \`${shortened(repeat.condition.command)}\``;
  return [
    { kind: 'command', path: `${at}.loop.${repeat.mode}.run`, text, ...(command === undefined ? {} : { command }) },
  ];
}

function ofCheck(check: CheckPlan, path: string, inside: Inside): Signal[] {
  const { plan, indexes, workers } = inside;
  switch (check.kind) {
    case 'command': {
      const command = inside.commandsOf(inside.owner).find((each) => each.path === `${path}.run`);
      const text = `the exit code of \`${shortened(check.command)}\``;
      return [{ kind: 'command', path: `${path}.run`, text, ...(command === undefined ? {} : { command }) }];
    }
    case 'match':
    case 'schema': {
      const words = plan.steps[indexes.get(check.of) ?? -1]?.work.kind === 'agent';
      if (check.kind === 'schema') return [{ kind: 'schema', path, text: `a schema on the output of \`${check.of}\`` }];
      const text = words ? `a pattern on what \`${check.of}\` says` : `a pattern on the output of \`${check.of}\``;
      return [{ kind: words && workers.some(({ id }) => id === check.of) ? 'words' : 'match', path, text }];
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
