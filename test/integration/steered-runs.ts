import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem, RunListed, RunShown } from '#core/contract/http.ts';
import type { RunEvent } from '#core/run/event.ts';
import type { RunSummary } from '#core/run/summary.ts';
import { openBell } from '#api/bell.ts';
import { createRepository, type Repository } from '../e2e/repository.ts';
import { bodyOf, type TestApi } from './with-api.ts';

/** One scripted agent that loops onto itself. */
export interface Loop {
  /** Shell for each pass. */
  passes: string[];
  check: string;
  /** Of the definition. */
  change?: object;
}

export function loopOf({ passes, check, change = {} }: Loop): object {
  return {
    name: 'Loop',
    task: 'Do it.',
    agent: { name: 'scripted', passes },
    checks: [check],
    baseline: 'off',
    deliver: 'none',
    limits: { passes: 5, time: '10m', noProgress: 0 },
    ...change,
  };
}

/** Runs of a real API with workers, and what a test does to them. */
export interface SteeredRuns {
  repository: Repository;
  /** A command that waits until the test opens it. */
  door(): { command: string; open: () => void };
  /** Starts a run of a loop or of any other definition; its id. */
  start(definition: Loop | object, more?: object): Promise<string>;
  /** A call that steers. */
  post(runId: string, action: string, body?: object): Promise<Response>;
  show(runId: string): Promise<RunShown>;
  eventsOf(runId: string): Promise<RunEvent[]>;
  /** The run that a call answers; rejects when it was not applied. */
  done(response: Promise<Response>): Promise<RunShown>;
  /** Waits for what the record of the run comes to tell. */
  until<T>(runId: string, look: (run: RunShown, events: RunEvent[]) => T | undefined): Promise<T>;
  hasStatus(runId: string, status: RunSummary['status']): Promise<RunSummary>;
  /** How it ends. */
  stopOf(runId: string): Promise<string | undefined>;
  /** Waits until so many attempts have begun. */
  begun(runId: string, attempts: number): Promise<void>;
}

function isLoop(given: Loop | object): given is Loop {
  return 'passes' in given && 'check' in given;
}

export function attemptsOf(events: readonly RunEvent[]): number {
  return events.filter(({ type }) => type === 'attempt.started').length;
}

export async function refused(response: Promise<Response>): Promise<Problem> {
  const answer = await response;
  const problem = await bodyOf(answer, Problem);
  return { ...problem, status: answer.status };
}

export function steeredRuns(api: TestApi): SteeredRuns {
  const folder = join(api.parts.dataFolder, 'repositories');
  mkdirSync(folder);
  const repository = createRepository(folder);
  let doors = 0;
  const show = (runId: string) => bodyOf(api.call(`/v1/runs/${runId}`), RunShown);
  const eventsOf = async (runId: string) => (await api.parts.runs.eventsAfter(runId, 0)).map(({ event }) => event);
  const until: SteeredRuns['until'] = async (runId, look) => {
    const bell = openBell(api.parts.stream, runId);
    try {
      for (;;) {
        const found = look(await show(runId), await eventsOf(runId));
        if (found !== undefined) return found;
        await bell.wait(5_000, new AbortController().signal);
      }
    } finally {
      bell.close();
    }
  };
  const hasStatus: SteeredRuns['hasStatus'] = (runId, status) =>
    until(runId, ({ summary }) => (summary.status === status ? summary : undefined));
  return {
    repository,
    door() {
      doors += 1;
      const path = join(api.parts.dataFolder, `door-${doors}`);
      return { command: `while [ ! -e ${path} ]; do sleep 0.02; done`, open: () => writeFileSync(path, '') };
    },
    async start(given, more = {}) {
      const definition = isLoop(given) ? loopOf(given) : given;
      const body = { definition, overrides: { repo: repository.path }, ...more };
      return (await bodyOf(api.call('/v1/runs', { body }), RunListed)).runId;
    },
    post: (runId, action, body = {}) => api.call(`/v1/runs/${runId}/${action}`, { body }),
    show,
    eventsOf,
    async done(response) {
      const answer = await response;
      if (answer.status !== 200) throw new TypeError(`${answer.status}: ${await answer.text()}`);
      return bodyOf(answer, RunShown);
    },
    until,
    hasStatus,
    stopOf: async (runId) => (await hasStatus(runId, 'ended')).stop?.kind,
    async begun(runId, attempts) {
      await until(runId, (_run, events) => (attemptsOf(events) >= attempts ? true : undefined));
    },
  };
}
