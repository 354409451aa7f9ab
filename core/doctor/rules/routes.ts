import type { Facts } from '#core/doctor/facts.ts';
import type { LoopView } from '#core/doctor/loop-view.ts';
import { shortened } from '#core/doctor/loop-view.ts';
import { onlyPoints, promptOf } from '#core/doctor/prompts.ts';
import type { Found, Rule } from '#core/doctor/rule.ts';
import { nodesIn } from '#core/doctor/shell/script.ts';

/** D-17: `condition: make test`. */
export const conditionTellsNothing: Rule = {
  id: 'loop/condition-tells-nothing',
  severity: 'warning',
  missing: 'route',
  title: 'A condition ends the loop, and what it found reaches nobody.',
  why: 'The next attempt gets the same prompt, and has to find out by itself what failed.',
  remedy:
    'Make the condition a check of the step (`checks: [make test]`), whose output is fed back; name what it printed in `loop.prompt` (`{{condition.stdout}}`); or write it to a file that the prompt names.',
  example: {
    wrong:
      'steps:\n  fix: { agent: codex, prompt: Mend the parser., loop: { until: ./check.sh, limit: 4 } }\nworkspace: { protect: [check.sh] }\n',
    right:
      'steps:\n  fix: { agent: codex, prompt: Mend the parser., checks: [./check.sh], loop: { limit: 4 } }\nworkspace: { protect: [check.sh] }\n',
  },
  find: (facts) => facts.loops.filter((loop) => !conditionReaches(facts, loop)).map((loop) => nothingTold(loop)),
};

function nothingTold({ owner, path, loop }: LoopView): Found {
  const command = loop.repeat?.condition?.command ?? '';
  const mode = loop.repeat?.mode ?? 'until';
  const message = `what \`${shortened(command)}\` finds reaches no attempt of \`${owner.id}\``;
  return { path: `${path}.${mode}.run`, loop: owner.id, message };
}

/** True, too, where there is no such condition, or no agent that could be told. */
export function conditionReaches(facts: Facts, view: LoopView): boolean {
  const { loop, workers, signals } = view;
  const condition = loop.repeat?.condition;
  if (condition === undefined || workers.length === 0) return true;
  // A pass that fails by its checks is fed back like any other.
  if (signals.some(({ path }) => path.includes('.checks.')) || asksAfterPass(loop)) return true;
  const prompts = [
    ...workers.map(promptOf),
    ...Object.values(loop.prompts ?? {}).filter((prompt) => prompt !== undefined),
  ];
  if (prompts.some((prompt) => /\{\{#?[^}]*\b(?:condition|stdout|stderr|feedback)\b/.test(prompt))) return true;
  const command = facts.commandsOf(view.owner).find(({ role }) => role === 'repeat');
  const files = [...filesWritten(command?.script?.root), ...filesNamed(condition.command)];
  return files.some((file) => prompts.some((prompt) => prompt.includes(lastName(file))));
}

/** After a pass there is nothing to be told but that it passed, and a prompt of its own says so (C6). */
function asksAfterPass({ on, repeat, prompts }: LoopView['loop']): boolean {
  return prompts?.pass !== undefined && (repeat?.met === 'again' || on === 'pass');
}

/** A script may write what the prompt tells to read. */
function filesNamed(command: string): string[] {
  const words = command.match(/[\w-]+\.(?:log|txt|json|xml|out|md)\b/g) ?? [];
  return words.filter((word) => !word.endsWith('.schema.json'));
}

function lastName(file: string): string {
  return file.split('/').at(-1) ?? file;
}

type Root = Parameters<typeof nodesIn>[0];

/** Files that its output goes to: `> x`, `| tee x`. */
function filesWritten(root: Root | undefined): string[] {
  if (root === undefined) return [];
  return nodesIn(root).flatMap((node) => {
    if (node.type === 'Redirect' && node.operator.includes('>') && node.operator !== '>&')
      return node.target === undefined || node.target.value === '/dev/null' ? [] : [node.target.value];
    if (node.type !== 'Command' || node.name?.value !== 'tee') return [];
    return node.args.flatMap((arg) => (arg.type === 'Word' && !arg.value.startsWith('-') ? [arg.value] : []));
  });
}

/** D-17: "implement TASK.md". */
export const promptIgnoresCheck: Rule = {
  id: 'loop/prompt-ignores-check',
  severity: 'warning',
  missing: 'route',
  title: 'The prompt only points at a task, and says nothing of the check that decides.',
  why: 'The failure reaches the agent, and it can call it out of scope and spend every attempt saying so.',
  remedy:
    'Say in the prompt that the check decides, and that what it finds is to be mended; or make the condition a check, which the brief tells of.',
  example: {
    wrong:
      'steps:\n  fix: { agent: codex, prompt: Implement TASK.md. See also out.log., loop: { until: ./check.sh > out.log 2>&1, limit: 4 } }\nworkspace: { protect: [check.sh] }\n',
    right:
      'steps:\n  fix: { agent: codex, prompt: Implement TASK.md. The check decides; mend what out.log names., loop: { until: ./check.sh > out.log 2>&1, limit: 4 } }\nworkspace: { protect: [check.sh] }\n',
  },
  find: (facts) =>
    facts.loops.flatMap((view): Found[] => {
      const { owner, loop, workers, signals } = view;
      // Checks, and commands that loop back, are told in every brief (C9).
      if (loop.repeat?.condition === undefined || signals.some(({ path }) => path.includes('.checks.'))) return [];
      const [worker] = workers.filter((step) => onlyPoints(promptOf(step)));
      if (worker === undefined || loop.prompts !== undefined || !conditionReaches(facts, view)) return [];
      const message = `the prompt of \`${worker.id}\` says nothing of the check that decides`;
      return [{ path: `${facts.pathOf(worker)}.prompt`, loop: owner.id, message }];
    }),
};

/** D-17: a nightly schedule. */
export const scheduleForgets: Rule = {
  id: 'loop/schedule-forgets',
  severity: 'warning',
  missing: 'route',
  title: 'A scheduled run learns nothing from the one before it.',
  why: "A schedule repeats a run, it does not close a loop: tonight's run begins where last night's did.",
  remedy: 'Keep what the next run is to read with `keepBetweenRuns: [notes/**]`, and close a loop inside each run.',
  example: {
    wrong:
      'steps:\n  sweep: { agent: codex, prompt: Remove dead code., checks: [./check.sh], loop: { limit: 3 } }\non: { schedule: { cron: "0 3 * * *" } }\nworkspace: { protect: [check.sh] }\n',
    right:
      'steps:\n  sweep: { agent: codex, prompt: Remove dead code; what was tried stands in sweep.md., checks: [./check.sh], loop: { limit: 3 } }\non: { schedule: { cron: "0 3 * * *" } }\nkeepBetweenRuns: [sweep.md]\nworkspace: { protect: [check.sh] }\n',
  },
  find: (facts) => {
    const { plan, prefix, loops } = facts;
    const kept = (plan.keepBetweenRuns ?? []).length > 0 || !plan.workspace.worktree;
    const closed = loops.length > 0 || plan.steps.every(({ work }) => work.kind === 'run' || work.kind === 'person');
    if (plan.on?.schedule === undefined || (kept && closed)) return [];
    const message = kept
      ? 'the schedule repeats the run, and no loop inside it brings anything back'
      : 'nothing of one scheduled run is kept for the next';
    return [{ path: `${prefix}on.schedule`, message }];
  },
};

/** A loop in which nobody could do anything else than before. */
export const nothingChanges: Rule = {
  id: 'loop/nothing-changes',
  severity: 'note',
  missing: 'route',
  title: 'A loop runs the same commands again, without any wait.',
  why: 'No agent and no person is within it, so the next pass does what this one did.',
  remedy:
    'Loop to the step of an agent (`loop: { to: fix }`); for a command that may fail by chance use `retry`, and to wait for something `wait: { every: 30s }`.',
  example: {
    wrong:
      'steps:\n  build: { run: make build }\n  test: { run: make test, after: build, loop: { to: build, limit: 3 } }\n',
    right:
      'steps:\n  build: { run: make build }\n  test: { run: make test, after: build, retry: { on: notVerdict, limit: 2 } }\n',
  },
  find: (facts) =>
    facts.loops.flatMap(({ owner, target, loop, path, members }): Found[] => {
      if (loop.wait.everySeconds > 0 || loop.repeat !== undefined) return [];
      if (members.some(({ work }) => work.kind !== 'run')) return [];
      return [
        {
          path,
          loop: owner.id,
          message: `nothing between \`${target.id}\` and \`${owner.id}\` would do anything else in the next pass`,
        },
      ];
    }),
};

/** A retry comes before the loop, and sends nothing back. */
export const retriesFirst: Rule = {
  id: 'loop/retries-first',
  severity: 'note',
  title: 'A command that sends work back is first retried unchanged.',
  why: 'Nothing has changed in between: each failing test run is paid for several times before the agent hears of it.',
  remedy: 'Remove `retry` from the step, or write `retry: { on: infrastructure }`.',
  example: {
    wrong:
      'steps:\n  fix: { agent: codex, prompt: Mend it. }\n  test: { run: make test, after: fix, retry: { on: notVerdict, limit: 2 }, loop: { to: fix, limit: 3 } }\nworkspace: { protect: ["test/**"] }\n',
    right:
      'steps:\n  fix: { agent: codex, prompt: Mend it. }\n  test: { run: make test, after: fix, loop: { to: fix, limit: 3 } }\nworkspace: { protect: ["test/**"] }\n',
  },
  find: (facts) =>
    facts.loops.flatMap(({ owner, loop }): Found[] => {
      const { retry, work } = owner;
      if (work.kind !== 'run' || loop.on !== 'fail' || retry.on === 'infrastructure' || retry.limit === 0) return [];
      const message = `\`${owner.id}\` is retried ${retry.limit} times with nothing changed before it sends the work back`;
      return [{ path: `${facts.pathOf(owner)}.retry`, loop: owner.id, message }];
    }),
};
