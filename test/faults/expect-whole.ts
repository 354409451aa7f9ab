import { expect } from 'vitest';
import { fold } from '#core/run/apply.ts';
import { eventsOf, git, type HeldRun } from './held-run.ts';

/**
 * What every run must be at its end, whatever was killed meanwhile (E5, G2): it succeeded in its two passes, each judged
 * once or more and attempted to an end once, the agent started as often as expected, the record is whole, and one commit
 * with the judged tree was delivered.
 */
export async function expectWhole(run: HeldRun, expected: { agentStarts: number }): Promise<void> {
  const shown = await run.ended();
  const events = await run.events();
  const folded = fold(
    shown.plan,
    events.map(({ event }) => event),
  );
  const finished = eventsOf(events, 'attempt.finished').filter(({ result }) => result.end.kind === 'ok');
  const found = {
    stop: shown.summary.stop?.kind,
    folded: folded.stop?.kind,
    gapless: events.every(({ seq }, index) => seq === index + 1),
    passes: finished.map(({ pass }) => pass),
    loops: eventsOf(events, 'loop.fired').length,
    agentStarts: run.agentStarts(),
    overlaps: run.overlaps(),
    brokenTasks: await run.brokenTasks(),
    // Of no test, but of whoever reads that one failed.
    story: events.map(({ event }) => event.type),
  };
  const { agentStarts } = expected;
  const ended = { stop: 'succeeded', folded: 'succeeded', gapless: true, brokenTasks: [], story: found.story };
  expect(found).toEqual({ ...ended, passes: [1, 2], loops: 1, agentStarts, overlaps: 0 });
  await expectDelivered(run, eventsOf(events, 'checks.finished').at(-1)?.tree);
}

async function expectDelivered({ repo, base, runId }: HeldRun, tree: string | undefined): Promise<void> {
  const branch = `setpoint/${runId}`;
  expect(await git(repo, 'for-each-ref', '--format=%(refname)', 'refs/heads')).toBe(
    `refs/heads/main\nrefs/heads/${branch}`,
  );
  expect(await git(repo, 'rev-list', '--count', `${base}..${branch}`)).toBe('1');
  expect(await git(repo, 'rev-parse', `${branch}^{tree}`)).toBe(tree);
  expect(await git(repo, 'ls-tree', '--name-only', branch)).toBe('README.md\none.txt\ntwo.txt');
}
