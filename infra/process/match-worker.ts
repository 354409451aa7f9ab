import { Worker } from 'node:worker_threads';

/** `invalid` is a pattern that is no JavaScript regex; `timeout` one that took too long on this text (A6: both are `error`). */
export type MatchOutcome = 'match' | 'no_match' | 'timeout' | 'invalid';

/** Generous, since a match of 20,000 characters takes under a millisecond: only a runaway pattern reaches it. */
const matchLimitMs = 1_000;

/** Kept as text, so that it runs the same from sources, from a build and in a bundle. */
const source = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ pattern, text, flags }) => {
  let regex;
  try {
    regex = new RegExp(pattern, flags);
  } catch {
    parentPort.postMessage('invalid');
    return;
  }
  parentPort.postMessage(regex.test(text) ? 'match' : 'no_match');
});
parentPort.postMessage('ready');
`;

export interface MatchOptions {
  /** Letters match in their own case only. Default: they match in either. */
  caseSensitive?: boolean | undefined;
}

export interface PatternMatcher {
  /** Matches unanchored with flags `i` and `m` (A6), or `m` alone, one at a time, in order of the calls. */
  matchPattern(pattern: string, text: string, options?: MatchOptions): Promise<MatchOutcome>;
  /** Ends the worker thread. */
  close(): Promise<void>;
}

/**
 * Runs patterns that people wrote in a thread that can be killed. One thread is kept warm; it is replaced when a
 * pattern had to be killed. The limit counts from when the warm thread gets the pattern, not from its start.
 */
export function createPatternMatcher(options: { limitMs?: number } = {}): PatternMatcher {
  const limitMs = options.limitMs ?? matchLimitMs;
  let worker: Promise<Worker> | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  const matchNow = async (question: Question): Promise<MatchOutcome> => {
    worker ??= startWorker();
    const warm = await worker;
    const outcome = await ask(warm, question, limitMs);
    if (outcome === 'timeout') {
      await warm.terminate();
      // The next pattern should not wait for a thread to start.
      worker = startWorker();
    }
    return outcome;
  };

  return {
    matchPattern(pattern, text, { caseSensitive = false } = {}) {
      const turn = queue.then(() => matchNow({ pattern, text, flags: caseSensitive ? 'm' : 'im' }));
      queue = turn.catch(() => {
        worker = undefined;
      });
      return turn;
    },
    async close() {
      await queue;
      await (await worker)?.terminate();
      worker = undefined;
    },
  };
}

let shared: PatternMatcher | undefined;

/** Matches with the process's own matcher, which does not keep the process alive. */
export function matchPattern(pattern: string, text: string, options?: MatchOptions): Promise<MatchOutcome> {
  shared ??= createPatternMatcher();
  return shared.matchPattern(pattern, text, options);
}

async function startWorker(): Promise<Worker> {
  const worker = new Worker(source, { eval: true });
  await new Promise<void>((ready, failed) => {
    worker.once('message', () => ready());
    worker.once('error', failed);
  });
  worker.unref();
  return worker;
}

interface Question {
  pattern: string;
  text: string;
  flags: 'm' | 'im';
}

function ask(worker: Worker, question: Question, limitMs: number): Promise<MatchOutcome> {
  return new Promise((done, failed) => {
    const timer = setTimeout(() => settle('timeout'), limitMs);
    const settle = (outcome: MatchOutcome) => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', failed);
      done(outcome);
    };
    worker.on('message', settle).on('error', failed);
    worker.postMessage(question);
  });
}
