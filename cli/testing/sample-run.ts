import type { ServerResponse } from 'node:http';

import { type RunListed, RunShown } from '#core/contract/http.ts';
import { type RunEvent, RunEvent as EventSchema, type StoredEvent } from '#core/run/event.ts';
import { Plan } from '#core/plan/plan.ts';
import type { RunSummary } from '#core/run/summary.ts';
import type { Verdict } from '#core/check/verdict.ts';

import type { Answer } from '#cli/testing/scripted-server.ts';

export const runId = 'run_01hsample';

const at = 1_900_000_000_000;
const artifact = { sha256: 'a'.repeat(64), bytes: 3, excerpt: 'out' };
const work = { step: 'work', at };

/** A run of two passes: the first fails its check, the second passes and is delivered. */
export const twoPasses: StoredEvent[] = (
  [
    { type: 'run.started', at, runId },
    { type: 'workspace.opening', at },
    { type: 'workspace.opened', at, hostId: 'h1', queue: 'q', path: '/w', base: snapshot('0'), notes: [] },
    { type: 'attempt.started', ...work, pass: 1, attempt: 1 },
    { type: 'attempt.finished', ...work, pass: 1, attempt: 1, result: attemptResult('1') },
    { type: 'checks.started', ...work, pass: 1, round: 1 },
    { type: 'check.judged', ...work, pass: 1, check: 'tests', verdict: verdict('fail', '1 of 2 tests failed') },
    { type: 'checks.finished', ...work, pass: 1, fingerprint: 'f1' },
    {
      type: 'loop.fired',
      ...work,
      pass: 1,
      to: 'work',
      count: 1,
      limit: 4,
      reset: ['work'],
      fingerprint: 'f1',
      repeats: 0,
      message: '↺ work requested another pass: looping back to "work" (1/4)',
    },
    { type: 'attempt.started', ...work, pass: 2, attempt: 1 },
    { type: 'attempt.finished', ...work, pass: 2, attempt: 1, result: attemptResult('2') },
    { type: 'checks.started', ...work, pass: 2, round: 1 },
    { type: 'check.judged', ...work, pass: 2, check: 'tests', verdict: verdict('pass', 'exit 0') },
    { type: 'checks.finished', ...work, pass: 2, fingerprint: 'f2' },
    { type: 'step.succeeded', ...work, pass: 2 },
    { type: 'delivery.started', at },
    {
      type: 'delivery.finished',
      at,
      delivery: { mode: 'branch', nothingToDeliver: false, commit: 'c'.repeat(40), branch: `setpoint/${runId}` },
    },
    { type: 'run.stopped', at, stop: { kind: 'succeeded', reason: 'every check passed' } },
  ] satisfies RunEvent[]
).map((event, index) => ({ seq: index + 1, event: EventSchema.parse(event) }));

export const succeeded: RunSummary = {
  status: 'ended',
  stop: { kind: 'succeeded', reason: 'every check passed' },
  passes: 2,
  spendUsd: 0.25,
  commit: 'c'.repeat(40),
  branch: `setpoint/${runId}`,
  delivery: 'branch',
  seq: twoPasses.length,
};

export function listed(summary: RunSummary): RunListed {
  return {
    runId,
    name: 'Green tests',
    project: 'default',
    labels: [],
    createdAt: '2030-03-17T17:46:40.000Z',
    updatedAt: '2030-03-17T17:47:00.000Z',
    summary,
  };
}

export function shown(summary: RunSummary): RunShown {
  return RunShown.parse({ ...listed(summary), plan: samplePlan, inputs: {}, state: {}, cursor: summary.seq });
}

export const samplePlan: Plan = Plan.parse({
  semantics: 1,
  name: 'Green tests',
  project: 'default',
  labels: [],
  inputs: {},
  steps: [
    {
      id: 'work',
      name: 'work',
      after: [],
      work: { kind: 'run', command: 'true' },
      readOnly: false,
      checks: [],
      mode: 'all',
      retry: { on: 'infrastructure', limit: 2, everySeconds: 10, backoff: 2 },
      loop: {
        to: 'work',
        on: 'fail',
        limit: 4,
        wait: { everySeconds: 0, backoff: 1 },
        onExhausted: 'fail',
        inFlight: 'cancel',
      },
      timeSeconds: 60,
      continueOnError: false,
      env: {},
      secrets: [],
    },
  ],
  limits: { noProgress: 2, onTime: 'fail', onSpend: 'pause' },
  workspace: { repo: '.', worktree: true, protect: [], keep: [], lane: 'run' },
  baseline: 'report',
  deliver: { mode: 'branch' },
});

/** The whole stream, then its end. */
export function stream(events: readonly StoredEvent[]): Answer {
  return (received, response) => {
    const after = Number(received.headers['last-event-id'] ?? 0);
    sendFrames(
      response,
      events.filter((stored) => stored.seq > after),
    );
    response.end();
  };
}

export function sendFrames(response: ServerResponse, events: readonly StoredEvent[]): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': still here\n\n');
  for (const stored of events) response.write(`id: ${stored.seq}\ndata: ${JSON.stringify(stored)}\n\n`);
}

export function verdict(kind: Verdict['kind'], summary: string): Verdict {
  return { kind, evidence: { summary, durationMs: 5 }, findings: [] };
}

function snapshot(digit: string): { commit: string; tree: string; head: string } {
  return { commit: digit.repeat(40), tree: digit.repeat(40), head: digit.repeat(40) };
}

function attemptResult(digit: string) {
  return {
    end: { kind: 'ok' as const },
    exitCode: 0,
    output: artifact,
    snapshot: snapshot(digit),
    fingerprint: digit,
    spend: { usd: 0.125, estimated: false, inputTokens: 10, outputTokens: 5 },
    findings: [],
    durationMs: 12_000,
  };
}
