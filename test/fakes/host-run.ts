import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { attempt } from '#activities/attempt/attempt.ts';
import { evaluate } from '#activities/evaluate.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { judge } from '#activities/judge/judge.ts';
import { openWorkspace } from '#activities/workspace/open-workspace.ts';
import type {
  AttemptInput,
  EvaluateInput,
  JudgeInput,
  OpenWorkspaceInput,
  RenderScope,
  WorkPlace,
} from '#core/contract/activities.ts';
import type { ConditionOutcome } from '#core/check/condition.ts';
import type { Verdict } from '#core/check/verdict.ts';
import { present } from '#core/definition/present.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { AttemptResult, SnapshotRef } from '#core/run/attempt-result.ts';
import type { Database } from '#infra/postgres/database.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';

import { asEngineTask } from './engine-task.ts';
import { plan, step } from './plans.ts';

/** A git repository with one commit of these files. */
export function repositoryOf(path: string, files: Record<string, string> = { file: 'base\n' }): string {
  execFileSync('git', ['init', '-q', '-b', 'main', path]);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  const git = ['-C', path, '-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
  execFileSync('git', [...git, 'add', '-A']);
  execFileSync('git', [...git, 'commit', '-q', '--allow-empty', '-m', 'base']);
  return path;
}

/** The host's part of one run, driven by hand: what a workflow would ask of it, one call after the other. */
export class HostRun {
  /** The snapshot that the next attempt starts from. */
  from: SnapshotRef | undefined;
  private passes = 0;
  private rounds = 0;
  readonly deps: HostDeps;
  readonly runId: string;
  readonly place: WorkPlace;
  readonly scope: RenderScope;

  private constructor(deps: HostDeps, place: WorkPlace, scope: RenderScope) {
    this.deps = deps;
    this.runId = scope.run.id;
    this.place = place;
    this.scope = scope;
    this.from = place.base;
  }

  static async open(
    deps: HostDeps,
    database: Database,
    { runId, change, input }: { runId: string; change: Partial<Plan>; input?: Partial<OpenWorkspaceInput> },
  ): Promise<HostRun> {
    const whole = plan([step('work')], change);
    await createRunStore(database).start({ runId, bodySha256: runId, plan: whole, inputs: {} });
    const artifacts = whole.artifacts === true ? {} : undefined;
    const wanted = { runId, workspace: whole.workspace, ...present({ artifacts }), ...input };
    const opened = await asEngineTask(1, () => openWorkspace(deps, wanted));
    const folder = opened.artifacts === undefined ? undefined : { ...input?.artifacts, path: opened.artifacts };
    const place = { plan: whole.workspace, path: opened.path, ...present({ base: opened.base, artifacts: folder }) };
    const run = { id: runId, name: whole.name, ...present({ artifacts: opened.artifacts }) };
    return new HostRun(deps, place, { inputs: {}, outputs: {}, feedback: [], iteration: 0, run });
  }

  async attempt(work: Partial<StepPlan>, change: Partial<AttemptInput> = {}): Promise<AttemptResult> {
    this.passes += 1;
    const input: AttemptInput = {
      key: { runId: this.runId, step: 'work', pass: this.passes, attempt: 1 },
      step: step('work', work),
      workspace: this.place,
      ...present({ from: this.from }),
      restore: false,
      resume: false,
      scope: this.scope,
      brief: { pass: this.passes, passLimit: 3, checks: [] },
      ...change,
    };
    const result = await asEngineTask(1, () => attempt(this.deps, input));
    this.from = result.snapshot ?? this.from;
    return result;
  }

  async check(command: string, change: Partial<JudgeInput> = {}): Promise<Verdict | undefined> {
    this.rounds += 1;
    const input: JudgeInput = {
      runId: this.runId,
      step: 'work',
      pass: 1,
      round: this.rounds,
      restore: false,
      guard: false,
      env: {},
      workspace: this.place,
      scope: this.scope,
      checks: [
        {
          kind: 'command',
          name: 'check',
          command,
          needs: 'always',
          timeSeconds: 60,
          expectExit: 0,
          where: 'workspace',
        },
      ],
      ...change,
    };
    return (await asEngineTask(1, () => judge(this.deps, input))).verdicts[0]?.verdict;
  }

  condition(command: string, change: Partial<EvaluateInput> = {}): Promise<ConditionOutcome> {
    const input: EvaluateInput = {
      runId: this.runId,
      step: 'work',
      pass: 1,
      purpose: 'repeat',
      restore: false,
      env: {},
      secrets: [],
      workspace: this.place,
      scope: this.scope,
      condition: { command, compare: 'stdout', returns: 'met', timeSeconds: 60 },
      ...change,
    };
    return asEngineTask(1, () => evaluate(this.deps, input));
  }
}
