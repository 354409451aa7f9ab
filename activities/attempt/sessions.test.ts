import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentPlan } from '#core/agent/agent-plan.ts';
import type { AttemptInput } from '#core/contract/activities.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import { attempt } from '#activities/attempt/attempt.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { openWorkspace } from '#activities/workspace/open-workspace.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { asEngineTask } from '../../test/fakes/engine-task.ts';
import { plan, step } from '../../test/fakes/plans.ts';
import { withHost } from '../../test/integration/with-host.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';

/**
 * A stand-in for Codex: a thread is a file in its HOME that holds the tokens so far, and each turn adds 1000 and tells the
 * total, as Codex does. A thread that it does not have is refused in Codex's words. Its answer is what it was asked.
 */
const codex = `#!/bin/sh
prompt=$(cat)
id=fresh-$$
while [ $# -gt 0 ]; do
  if [ "$1" = resume ]; then
    id=$2
    [ -e "$HOME/$id" ] || { echo "Error: thread/resume failed: no rollout found for thread id $id" >&2; exit 1; }
  fi
  shift
done
total=$(($(cat "$HOME/$id" 2>/dev/null || echo 0) + 1000))
echo $total > "$HOME/$id"
echo $total > worked-$total
echo "{\\"type\\":\\"thread.started\\",\\"thread_id\\":\\"$id\\"}"
printf '%s' "$prompt" > "$HOME/asked-$total"
echo '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"done"}}'
echo "{\\"type\\":\\"turn.completed\\",\\"usage\\":{\\"input_tokens\\":$total,\\"cached_input_tokens\\":0,\\"output_tokens\\":0}}"
`;

let folder = '';
let repo = '';
let server: TestDatabase;
let database: Database;
let host: HostDeps;
let runs = 0;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-sessions-')));
  repo = join(folder, 'repo');
  execFileSync('git', ['init', '-q', '-b', 'main', repo]);
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
  execFileSync('git', ['-C', repo, ...author, 'commit', '-q', '--allow-empty', '-m', 'base']);
  writeFileSync(join(folder, 'codex'), codex);
  chmodSync(join(folder, 'codex'), 0o755);
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  const plain = withHost({ folder, database, hostId: 'one' });
  host = { ...plain, environment: { ...plain.environment, SETPOINT_AGENT_CODEX: join(folder, 'codex') } };
});
afterAll(async () => {
  await database.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** One pass after the other of an agent that resumes its session. */
async function passes(): Promise<(change: Partial<AttemptInput>) => Promise<AttemptResult>> {
  const runId = `run_${++runs}`;
  const workspace = { ...plan([step('work')]).workspace, repo, worktree: true };
  await createRunStore(database).start({ runId, bodySha256: runId, plan: plan([step('work')]), inputs: {} });
  const { path, base } = await asEngineTask(1, () => openWorkspace(host, { runId, workspace }));
  if (base === undefined) throw new TypeError('a worktree has a base');
  const agent: AgentPlan = { name: 'codex', session: 'resume', fallback: [] };
  let pass = 0;
  return (change) => {
    pass += 1;
    const key = { runId, step: 'work', pass, attempt: 1 };
    return asEngineTask(1, () =>
      attempt(host, {
        key,
        step: step('work', { work: { kind: 'agent', prompt: 'Do it.', agent } }),
        workspace: { plan: workspace, path, base },
        from: base,
        restore: false,
        resume: false,
        scope: { inputs: {}, outputs: {}, feedback: [], iteration: 0, run: { id: runId, name: 'x' } },
        brief: { pass, passLimit: 3, checks: [] },
        ...change,
      }),
    );
  };
}

const sessionOf = ({ session = '', agent = '', snapshot }: AttemptResult): Partial<AttemptInput> => ({
  session,
  sessionAgent: agent,
  ...(snapshot === undefined ? {} : { from: snapshot }),
});

describe('E4: sessions', () => {
  test('E4, H1, C-05: a session goes on, and each pass counts only what it added to the total', async () => {
    const pass = await passes();
    const first = await pass({});
    const second = await pass(sessionOf(first));
    expect(second.session).toBe(first.session);
    expect([first.spend.inputTokens, second.spend.inputTokens]).toEqual([1000, 1000]);
    expect(second.findings).toEqual([]);
  });

  test('E4, T-04: a lost session falls back once to a fresh one, within the attempt, and says so', async () => {
    const pass = await passes();
    const ended = await pass({ session: 'gone', sessionAgent: 'codex' });
    expect(ended.end).toEqual({ kind: 'ok' });
    expect(ended.session).toMatch(/^fresh-/);
    expect(ended.spend.inputTokens).toBe(1000);
    expect(ended.findings).toEqual([expect.stringMatching(/^session_lost: .*no rollout found/)]);
  });

  test('E4: only the agent whose session it is resumes it', async () => {
    const pass = await passes();
    const ended = await pass({ session: 'of-claude', sessionAgent: 'claude' });
    expect(ended.session).toMatch(/^fresh-/);
    expect(ended.findings).toEqual(['session_not_resumed: it is of claude, and codex works now, in a fresh one']);
  });

  test('E4: an agent without sessions begins afresh in every pass, and says so', async () => {
    const pass = await passes();
    const scripted: AgentPlan = { name: 'scripted', session: 'resume', fallback: [], scripted: { passes: ['true'] } };
    const work = step('work', { work: { kind: 'agent', prompt: 'Do it.', agent: scripted } });
    expect((await pass({ step: work })).findings).toEqual([]);
    expect((await pass({ step: work })).findings).toEqual([
      'session_not_resumed: scripted has no sessions that can be resumed',
    ]);
  });

  test('E4: a session that goes on in a rebuilt workspace is told so in its brief; a fresh one knows of no other', async () => {
    const pass = await passes();
    const first = await pass({});
    await pass(sessionOf(first));
    await pass({ ...sessionOf(first), restore: true });
    const asked = (total: number) =>
      execFileSync('cat', [join(homeOf(`run_${runs}`), `asked-${total}`)], { encoding: 'utf8' });
    expect(asked(2000)).not.toContain('rebuilt');
    expect(asked(3000)).toContain('## Your workspace was rebuilt');
    await pass({ session: 'gone', sessionAgent: 'codex', restore: true });
    expect(asked(1000)).not.toContain('rebuilt');
  });
});

function homeOf(runId: string): string {
  return join(host.home, 'agent-homes', runId, 'agents', 'work');
}
