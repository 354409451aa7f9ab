import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventPage, Problem, RunListed, RunShown } from '#core/contract/http.ts';
import { TaskDecided, TaskList } from '#core/contract/tasks.ts';
import type { StoredEvent } from '#core/run/event.ts';
import { git } from './held-run.ts';
import type { TestStack } from './stack.ts';
import { until } from './until.ts';

/** One answer to the open question of a run. The same one sent again is the same decision. */
export interface Sent {
  decision: 'approve' | 'reject' | 'push_back';
  decisionId: string;
  revision: number;
}

/** A run of steps and people, of which each command tells its starts and waits where the test wants it. */
export interface AskingRun {
  runId: string;
  shown(): Promise<RunShown>;
  events(): Promise<StoredEvent[]>;
  /** How often the command of this name was started. */
  starts(name: string): number;
  /** Lets go of every command that waits. */
  letGo(): void;
  /** Until the question is open in this revision. */
  asks(revision: number): Promise<void>;
  /** Sends an answer once, as a client without retries: what became of it. */
  send(sent: Sent): Promise<Response>;
  /** Sends it until it is answered for good, as a client must whose answer was lost. */
  decide(sent: Sent): Promise<void>;
  ended(): Promise<RunShown>;
}

/** What a command says in shell. */
export interface Shell {
  /** That it was started. */
  tell: (name: string) => string;
  /** Where that stands, a line for each start. */
  told: (name: string) => string;
  /** Waits to be let go. */
  hold: string;
}

/** Starts a run of the definition that `write` makes. */
export async function startAskingRun(
  stack: TestStack,
  repo: string,
  write: (shell: Shell) => string,
): Promise<AskingRun> {
  const folder = join(stack.folder, 'told', String(++count));
  mkdirSync(folder, { recursive: true });
  const told = (name: string) => join(folder, name);
  const tell = (name: string) => `echo start >> "${told(name)}"`;
  const hold = `until [ -e "${join(folder, 'open')}" ]; do sleep 0.02; done`;
  const body = { source: write({ tell, told, hold }), overrides: { repo } };
  const { runId } = RunListed.parse(await stack.call('/v1/runs', body));
  const shown = async () => RunShown.parse(await stack.call(`/v1/runs/${runId}`));
  const tasks = async () => TaskList.parse(await stack.call(`/v1/tasks?run=${runId}&state=open`)).tasks;
  // The same one for every revision, and known then although the API is away.
  let task: string | undefined;
  const asks = async (revision: number) => {
    task = await until(`${runId} asks for the ${revision}. time`, async () => {
      const found = await tasks().catch(() => []);
      return found.find((each) => each.revision === revision)?.taskId;
    });
  };
  const send = async (sent: Sent) => {
    if (task === undefined) throw new TypeError(`${runId} has asked nothing yet`);
    return stack.request(`/v1/tasks/${task}/decisions`, sent);
  };
  return {
    runId,
    shown,
    events: async () => EventPage.parse(await stack.call(`/v1/runs/${runId}/events?after=0`)).events,
    starts(name) {
      const path = told(name);
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
    },
    letGo: () => writeFileSync(join(folder, 'open'), ''),
    asks,
    send,
    decide: async (sent) =>
      void (await until(`${sent.decisionId} of ${runId} is answered`, async () => {
        // The API may be away: no answer is no news.
        const response = await send(sent).catch(() => undefined);
        return response === undefined ? undefined : isAnswered(response);
      })),
    ended: () =>
      until(`${runId} has ended`, async () => {
        const run = await shown().catch(() => undefined);
        return run?.summary.status === 'ended' ? run : undefined;
      }),
  };
}

let count = 0;

async function isAnswered(response: Response): Promise<true | undefined> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.status === 202 || response.status >= 500 || body === undefined) return undefined;
  if (response.status === 200) return TaskDecided.parse(body) && true;
  throw new TypeError(`the decision was refused: ${JSON.stringify(Problem.parse(body))}`);
}

/** A repository that many runs share. */
export async function makeSharedRepository(stack: TestStack): Promise<string> {
  const repo = join(stack.folder, 'repo');
  await git(stack.folder, 'init', '--quiet', '--initial-branch=main', '--template=', repo);
  writeFileSync(join(repo, 'README.md'), '# A repository\n');
  await git(repo, 'add', '--all');
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@setpoint.invalid', '-c', 'commit.gpgSign=false'];
  await git(repo, ...identity, 'commit', '--quiet', '-m', 'The base');
  return repo;
}
