import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EventPage, RunListed, RunShown } from '#core/contract/http.ts';
import type { RunEvent, StoredEvent } from '#core/run/event.ts';
import { brokenTasks } from './broken-tasks.ts';
import type { TestStack } from './stack.ts';
import { until } from './until.ts';

/** Where a run waits until the test lets it go: in the set-up, in the agent's passes, in the check of either pass. */
export type Gate = 'setup' | 'second setup' | 'attempt' | 'second attempt' | 'first check' | 'last check';

/** A run of a small repository whose agent needs two passes, held at one gate. */
export interface HeldRun {
  runId: string;
  repo: string;
  /** The commit on which it works. */
  base: string;
  /** How often what stands at the gate was started. */
  arrivals(): number;
  untilArrived(times?: number): Promise<void>;
  letGo(): void;
  /** How often the agent's process was started. */
  agentStarts(): number;
  /** How often it was started while another one of the run still lived. */
  overlaps(): number;
  /** Workflow tasks that failed by a bug of ours: the engine repeats them for ever, and nobody hears of it. */
  brokenTasks(): Promise<string[]>;
  events(): Promise<StoredEvent[]>;
  /** Until the run has ended; what it ended with, as the API shows it. */
  ended(limitMs?: number): Promise<RunShown>;
}

export interface Manner {
  /** A stubborn one does not end on SIGTERM. */
  agent?: 'obedient' | 'stubborn';
  /** With `pass` the second pass works in a worktree of its own. */
  lane?: 'run' | 'pass';
}

/** Makes a repository and starts the run. */
export async function startHeldRun(
  stack: TestStack,
  name: string,
  gate: Gate,
  { agent = 'obedient', lane = 'run' }: Manner = {},
): Promise<HeldRun> {
  const repo = join(stack.folder, 'repositories', name.replaceAll(/[^\w]+/g, '-'));
  const base = await makeRepository(repo);
  const body = { source: definition(name, gate, { agent, lane }), overrides: { repo } };
  const { runId } = RunListed.parse(await stack.call('/v1/runs', body));
  // The agent and the commands have a HOME each.
  const homes = [join('agents', 'work'), 'commands'].map((name) => join(stack.home, 'agent-homes', runId, name));
  const lines = (file: string) => {
    const paths = homes.map((home) => join(home, file)).filter((path) => existsSync(path));
    return paths.reduce((sum, path) => sum + readFileSync(path, 'utf8').split('\n').length - 1, 0);
  };
  return {
    runId,
    repo,
    base,
    arrivals: () => lines('at-gate'),
    untilArrived: async (times = 1) =>
      void (await until(`${name} is at the gate`, () => lines('at-gate') >= times || undefined)),
    letGo: () => homes.filter((home) => existsSync(home)).forEach((home) => writeFileSync(join(home, 'open'), '')),
    agentStarts: () => lines('starts'),
    overlaps: () => lines('overlaps'),
    brokenTasks: () => brokenTasks(stack, runId),
    events: async () => EventPage.parse(await stack.call(`/v1/runs/${runId}/events?after=0`)).events,
    ended: (limitMs?: number) => until(`${name} (${runId}) has ended`, () => endedRun(stack, runId), limitMs),
  };
}

async function endedRun(stack: TestStack, runId: string): Promise<RunShown | undefined> {
  // The API may be the one that was killed: no answer is no news.
  const answer = await stack.call(`/v1/runs/${runId}`).catch(() => undefined);
  const shown = answer === undefined ? undefined : RunShown.parse(answer);
  return shown?.summary.status === 'ended' ? shown : undefined;
}

/** Waits for the test where it stands: the line says that it came, the file that it may go on. */
const hold = 'echo here >> "$HOME/at-gate"; until [ -e "$HOME/open" ]; do sleep 0.02; done';

/** The agent counts its starts; that another one of the run still lives, it tells by the lock that each holds. */
const start = [
  'echo start >> "$HOME/starts"',
  'exec 9> "$HOME/writer"',
  'flock --nonblock 9 || echo two >> "$HOME/overlaps"',
];

function definition(name: string, gate: Gate, { agent, lane }: Required<Manner>): string {
  const at = (where: Gate) => (where === gate ? hold : ':');
  const block = (lines: string[], indent: string) => lines.map((line) => `${indent}${line}`).join('\n');
  const first = [...start, agent === 'stubborn' ? `trap '' TERM` : ':', at('attempt'), 'echo one > one.txt'];
  const second = [...start, at('second attempt'), 'echo two > two.txt'];
  const check = [
    `if [ -e two.txt ]; then ${at('last check')}; exit 0; fi`,
    `if [ -e one.txt ]; then ${at('first check')}; fi`,
    'echo "two.txt is missing"; exit 1',
  ];
  return `setpoint: 1
name: "${name}"
task: Make the check pass.
agent:
  name: scripted
  passes:
    - |
${block(first, '      ')}
    - |
${block(second, '      ')}
checks:
  - name: both
    run: |
${block(check, '      ')}
limits: { passes: 4, time: 15m }
workspace:
  lane: ${lane}
  setup: |
${block([at('setup'), `if [ -e one.txt ]; then ${at('second setup')}; fi`], '    ')}
deliver: branch
`;
}

async function makeRepository(repo: string): Promise<string> {
  await mkdir(repo, { recursive: true });
  await writeFile(join(repo, 'README.md'), '# A repository\n');
  await git(repo, 'init', '--quiet', '--initial-branch=main', '--template=');
  await git(repo, 'add', '--all');
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@setpoint.invalid', '-c', 'commit.gpgSign=false'];
  await git(repo, ...identity, 'commit', '--quiet', '-m', 'The base');
  return git(repo, 'rev-parse', 'HEAD');
}

export async function git(repo: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['-C', repo, ...args]);
  return stdout.trim();
}

export function eventsOf<T extends RunEvent['type']>(events: readonly StoredEvent[], type: T) {
  return events.flatMap(({ event }) => (event.type === type ? [event as Extract<RunEvent, { type: T }>] : []));
}
