import type { EventPage, PlanShown, RunList, RunListed, RunShown, RunStarted, StartRun } from '#core/contract/http.ts';
import type { Cleanup, CleanupShown } from '#core/contract/cleanup.ts';
import { fold } from '#core/run/apply.ts';
import type { RunEvent } from '#core/run/event.ts';
import { summarise } from '#core/run/summarise.ts';
import { frame } from '#api/http/event-source.ts';
import { compileRequest, showPlan } from '#api/routes/compile-run.ts';

/**
 * The examples of the OpenAPI document: one small run from its request to its end. The plan, the state and the summary
 * are made by the code that makes real ones, and the rest is parsed by its schema in a test.
 */
export const startRun: StartRun = {
  source: 'name: Green tests\ntask: Make the tests pass.\nagent: codex\nchecks: [npm test]\n',
  file: 'green.loop.yaml',
  overrides: { repo: '/home/ada/shop' },
};

export const planShown: PlanShown = showPlan(compileRequest(startRun));

const runId = 'run_01m8pfxa35hg896fgmxw6gmw3y';
const beganAt = Date.parse('2026-11-30T15:06:56.000Z');
const at = (seconds: number) => ({ at: beganAt + seconds * 1_000 });
const first = { step: 'work', pass: 1 };
const artifact = (character: string, bytes: number, excerpt: string) => ({
  sha256: character.repeat(64),
  bytes,
  excerpt,
});

/** What the agent of the example wrote. */
export const output = 'I changed median() to sort a copy; npm test passes now.\n';
const base = { commit: '9c'.repeat(20), tree: '1f'.repeat(20), head: '9c'.repeat(20) };
const snapshot = { commit: '7d'.repeat(20), tree: 'e3'.repeat(20), head: base.head };

const record: RunEvent[] = [
  { type: 'run.started', ...at(0), runId },
  { type: 'workspace.opening', ...at(0) },
  {
    type: 'workspace.opened',
    ...at(1),
    hostId: 'workshop',
    queue: 'host-workshop',
    path: `/home/ada/shop/.setpoint/worktrees/${runId}`,
    base,
    notes: [],
  },
  { type: 'attempt.started', ...at(1), ...first, attempt: 1 },
  {
    type: 'attempt.finished',
    ...at(40),
    ...first,
    attempt: 1,
    result: {
      end: { kind: 'ok' },
      exitCode: 0,
      output: artifact('a', output.length, output),
      snapshot,
      fingerprint: '5b'.repeat(32),
      spend: { usd: 0.21, estimated: false, inputTokens: 17_200, outputTokens: 1_200 },
      agent: 'codex',
      findings: [],
      durationMs: 38_700,
    },
  },
];

const summary = summarise(planShown.plan, fold(planShown.plan, []), 0);
const listed: RunListed = {
  runId,
  name: planShown.plan.name,
  project: planShown.plan.project,
  labels: planShown.plan.labels,
  createdAt: new Date(beganAt).toISOString(),
  updatedAt: new Date(beganAt + 40_000).toISOString(),
  summary,
};
const state = fold(planShown.plan, record);
const moved: RunListed = { ...listed, summary: summarise(planShown.plan, state, record.length) };

export const runStarted: RunStarted = { ...listed, updatedAt: listed.createdAt, warnings: planShown.warnings };
export const runShown: RunShown = { ...moved, plan: planShown.plan, inputs: {}, state, cursor: record.length };
/** Another run that goes on after its first pass. */
export const runForked: RunListed = {
  ...listed,
  runId: 'run_01m8pg2c7v5c8a2q4t9d3k6x1b',
  forkedFrom: { runId, step: 'work', pass: 1 },
};
export const runList: RunList = { runs: [moved], cursor: runId };

const stored = record.map((event, index) => ({ seq: index + 1, event }));
export const eventPage: EventPage = { events: stored, ended: false };
export const eventStream = stored.map((event) => frame(event, event.seq)).join('');

export const outputStream = frame({ offset: 0, text: output }) + frame({ offset: output.length, ended: true });

export const patch = `diff --git a/median.js b/median.js
--- a/median.js
+++ b/median.js
@@ -1,3 +1,3 @@
 export function median(values) {
-  return values[values.length >> 1];
+  return values.toSorted((a, b) => a - b)[values.length >> 1];
 }
`;

/** As Prometheus reads it. */
export const metrics =
  '# HELP setpoint_runs Runs by status.\n# TYPE setpoint_runs gauge\nsetpoint_runs{status="running"} 1\n';

export const cleanup: Cleanup = { snapshots: true };
export const cleanedUp: CleanupShown = {
  runId,
  status: 'cleaned',
  removed: { worktree: `/home/ada/shop/.setpoint/worktrees/${runId}`, readers: 0, snapshots: 3, keptRefs: 1 },
};
