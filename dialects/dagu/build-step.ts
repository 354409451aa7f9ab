import type { Condition } from '#core/check/condition.ts';
import { defaults } from '#core/definition/defaults.ts';
import type { CheckDefinition, StepDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import type { BuildOf } from '#dialects/dagu/build-of.ts';
import { builtWork } from '#dialects/dagu/build-work.ts';
import type { WrittenCondition } from '#dialects/dagu/condition.ts';
import { conditionOf } from '#dialects/dagu/condition.ts';
import type { Names } from '#dialects/dagu/names.ts';
import type { Environment } from '#dialects/dagu/environment.ts';
import { continuesOf, loopOf, retryOf } from '#dialects/dagu/policies.ts';
import type { WrittenStep } from '#dialects/dagu/read-steps.ts';
import type { Shell } from '#dialects/dagu/shell.ts';
import type { StepWork } from '#dialects/dagu/step-work.ts';

/** A step of Dagu in the long form: all that differs from ours is written into it. */
export function buildStep(step: WrittenStep, of: BuildOf): StepDefinition {
  const { id, name, read, work, after } = step;
  const shell = shellOf(step, of);
  const judging = { ...(shell === undefined ? {} : { shell }), positional: of.positional };
  const judge = (condition: WrittenCondition): Condition => {
    const made = conditionOf(condition, judging, of.scope);
    return work.kind === 'person' ? withVariables(made, of.scope.environment) : made;
  };
  const when = whenOf(read.preconditions, judge);
  const built = builtWork(step, of, shell);
  const loop =
    built.loop ??
    loopOf(read.repeat_policy, ({ condition, expected }) => {
      return condition === undefined ? undefined : judge({ condition, ...present({ expected }) });
    });
  return {
    id,
    ...(name === id ? {} : { name }),
    after,
    work: built.work,
    checks: checksOf(step),
    ...present({ when, loop, readOnly: built.readOnly }),
    ...continuesOf(read.continue_on),
    ...(of.skips && read.continue_on?.skipped !== true ? { skipsDependents: true } : {}),
    ...(work.kind === 'person' ? {} : processOf(step, of)),
  };
}

/** Dagu sets no limits of its own: 30 days are none that work meets. */
const noLimitSeconds = defaults.longestWaitSeconds;

function processOf({ read, work }: WrittenStep, of: BuildOf): Partial<StepDefinition> {
  const { timeout_sec: timeSeconds = noLimitSeconds } = read;
  const retry = retryOf(read.retry_policy);
  if (work.kind === 'call') {
    const needsEnvironment = read.preconditions !== undefined || read.repeat_policy !== undefined;
    // A child run has no exit code: it is started again when it did not succeed.
    return {
      timeSeconds,
      retry: { ...retry, on: 'notVerdict' },
      ...(needsEnvironment ? { env: of.scope.environment.templates() } : {}),
    };
  }
  const output = outputOf(work.kind, { artifact: read.stdout?.artifact, errorsArtifact: read.stderr?.artifact });
  const directory = of.directories.of(read.working_dir);
  return {
    timeSeconds,
    retry,
    env: of.scope.environment.templates(),
    ...(of.secrets.length === 0 ? {} : { secrets: [...of.secrets] }),
    ...present({ output, directory }),
  };
}

/** A command's output is its stdout; an agent's is its answer, whatever else its CLI prints. */
function outputOf(
  kind: StepWork['kind'],
  files: { artifact: string | undefined; errorsArtifact: string | undefined },
): StepDefinition['output'] {
  const named = present(files);
  if (kind !== 'run' && Object.keys(named).length === 0) return undefined;
  return { of: kind === 'run' ? 'stdout' : 'all', ...named };
}

/** What the references of other steps want of a step is known once all of them are built. */
export function withWanted(step: StepDefinition, names: Names): StepDefinition {
  const picked = names.picked.get(step.id);
  const streams = names.streams.get(step.id);
  const { work, output } = step;
  if (work.kind === 'person' || work.kind === 'call') return step;
  const files = {
    artifact: output?.artifact ?? streams?.stdout,
    errorsArtifact: output?.errorsArtifact ?? streams?.stderr,
  };
  return {
    ...step,
    ...present({ output: outputOf(work.kind, files) }),
    ...(picked === undefined ? {} : { outputs: Object.fromEntries(picked) }),
  };
}

function shellOf({ read, work }: WrittenStep, { shell }: BuildOf): Shell | undefined {
  const own = work.kind === 'run' ? (work.shell ?? read.shell) : read.shell;
  const more = (work.kind === 'run' ? work.shellArgs : undefined) ?? read.shell_args ?? [];
  if (own === undefined && more.length === 0) return shell;
  return {
    words: [...(own ?? shell?.words ?? ['sh']), ...more.filter((word) => word !== '-c')],
    ofStep: own !== undefined,
  };
}

/** A precondition that cannot be judged fails its step; one that is not met skips it. */
function whenOf(
  conditions: readonly WrittenCondition[] = [],
  judge: (condition: WrittenCondition) => Condition,
): StepDefinition['when'] {
  const [first, ...others] = conditions.map(judge);
  if (first === undefined) return undefined;
  return { condition: first, ...(others.length === 0 ? {} : { and: others }), onUnmet: 'skip', onError: 'fail' };
}

/** A question runs nothing, so it has no environment: a condition before it sets what it names. */
function withVariables(condition: Condition, environment: Environment): Condition {
  const set = Object.entries(environment.templates()).filter(([name]) => {
    return new RegExp(String.raw`\$\{?${name}\b`).test(condition.command);
  });
  const lines = set.map(([name, template]) => `export ${name}=${asWord(template)}`);
  return lines.length === 0 ? condition : { ...condition, command: [...lines, condition.command].join('\n') };
}

/** Text and values side by side as one word: each value is quoted where it is inserted (A11). */
function asWord(template: string): string {
  const parts = template.split(/((?<!\\)\{\{[\w.-]+\}\})/);
  return (
    parts
      .map((part) => (part.startsWith('{{') || part === '' ? part : `'${part.replaceAll("'", `'\\''`)}'`))
      .join('') || "''"
  );
}

/** D-11: a gate. */
function checksOf({ read, work }: WrittenStep): CheckDefinition[] {
  if (read.output_schema === undefined || work.kind === 'person' || work.kind === 'call') return [];
  return [{ kind: 'schema', name: 'output_schema', schema: { inline: read.output_schema } }];
}
