import { Ancestry, topologicalOrder } from '#core/plan/order.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import { type JudgedCommand, judgedCommands } from '#core/doctor/judged-commands.ts';
import { type LoopView, viewLoop } from '#core/doctor/loop-view.ts';

/** What only the text of a definition tells. */
export interface SourceHints {
  /**
   * The lines of a text that is written on several lines which the file's format joins to one (a folded or plain scalar of
   * YAML), by its path in the long form; undefined for every other text.
   */
  joinedLines: (path: string) => readonly string[] | undefined;
}

/** What the rules look at: a plan, with what several of them ask for worked out once. */
export interface Facts {
  plan: Plan;
  /** Of every path: `definitions.<name>.` inside a child definition. */
  prefix: string;
  source: SourceHints | undefined;
  /** A step that calls this plan is within a loop: what fails here is done again from there. */
  repeated: boolean;
  commands: readonly JudgedCommand[];
  loops: readonly LoopView[];
  step: (id: string) => StepPlan | undefined;
  /** `after` runs only once `before` has. */
  isBefore: (before: StepPlan, after: StepPlan) => boolean;
  /** Whether one of the steps that run only after it is such a step. */
  isFollowedBy: (step: StepPlan, such: (later: StepPlan) => boolean) => boolean;
  /** The last of the steps before it, in plan order, that is such a step. */
  lastBefore: (step: StepPlan, such: (earlier: StepPlan) => boolean) => StepPlan | undefined;
  /** The loops whose passes include the step: it is on the way from the target to the owner. */
  loopsOver: (step: StepPlan) => readonly LoopView[];
  commandsOf: (step: StepPlan) => readonly JudgedCommand[];
  pathOf: (step: StepPlan) => string;
}

/** Whose plan it is, and what is known beside it. */
export type Around = Partial<Pick<Facts, 'prefix' | 'source' | 'repeated'>>;

export function factsOf(plan: Plan, { prefix = '', source, repeated = false }: Around = {}): Facts {
  const indexes = new Map(plan.steps.map((step, index) => [step.id, index]));
  const graph = plan.steps.map((step) => step.after.flatMap((id) => indexes.get(id) ?? []));
  const ordered = topologicalOrder(graph);
  const ancestry = new Ancestry(
    graph,
    ordered.kind === 'ordered' ? ordered.order : plan.steps.map((_, index) => index),
  );
  const isBefore = (before: StepPlan, after: StepPlan): boolean => {
    const from = indexes.get(before.id);
    const to = indexes.get(after.id);
    return from !== undefined && to !== undefined && ancestry.isAncestor(from, to);
  };
  const step = (id: string): StepPlan | undefined => plan.steps[indexes.get(id) ?? -1];
  const commands = judgedCommands(plan, prefix);
  const commandsBy = groupedBy(commands, ({ step: of }) => [of.id]);
  const commandsOf = ({ id }: StepPlan): readonly JudgedCommand[] => commandsBy.get(id) ?? [];
  const loops = plan.steps.flatMap((owner) => viewLoop(owner, { plan, prefix, indexes, isBefore, commandsOf }));
  const loopsBy = groupedBy(loops, ({ members }) => members.map(({ id }) => id));
  return {
    plan,
    prefix,
    source,
    repeated,
    commands,
    loops,
    step,
    isBefore,
    isFollowedBy: (from, such) => {
      const { length } = plan.steps;
      for (let index = (indexes.get(from.id) ?? length) + 1; index < length; index += 1) {
        const later = plan.steps[index];
        if (later !== undefined && isBefore(from, later) && such(later)) return true;
      }
      return false;
    },
    lastBefore: (to, such) => {
      for (let index = (indexes.get(to.id) ?? 0) - 1; index >= 0; index -= 1) {
        const earlier = plan.steps[index];
        if (earlier !== undefined && isBefore(earlier, to) && such(earlier)) return earlier;
      }
      return undefined;
    },
    loopsOver: ({ id }) => loopsBy.get(id) ?? [],
    commandsOf,
    pathOf: ({ id }) => `${prefix}steps.${id}`,
  };
}

/** By each key of an entry, in order. */
function groupedBy<T>(
  entries: readonly T[],
  keysOf: (entry: T) => readonly string[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    for (const key of keysOf(entry)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [entry]);
      else group.push(entry);
    }
  }
  return groups;
}
