import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { EventPage, RunListed, RunShown, RunOutcome } from '#core/contract/http.ts';
import type { FinalReport } from '#cli/export/report.ts';
import { jsonRun, type JsonRun } from './cli.ts';
import type { Repository } from './repository.ts';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

/** Mends its file in the second pass. */
const twoPasses = {
  name: 'Two passes',
  task: 'Mend it.',
  agent: {
    name: 'scripted',
    passes: ['echo one > note.txt; echo said in pass 1', 'echo two > note.txt; echo said in pass 2'],
  },
  checks: [{ name: 'note', run: 'cat note.txt; grep -q two note.txt' }],
};
const failing = { ...twoPasses, name: 'Never', limits: { passes: 1 }, checks: ['false'] };
const endless = { name: 'Endless', steps: { work: { run: 'echo begun; sleep 600' } } };

describe.concurrent('a run of two passes', () => {
  let repository: Repository;
  let ended: JsonRun;
  let branch: string;
  let file: string;
  const follow = async (...argv: string[]) =>
    jsonRun(await stack.cli([...argv, '--json', '--key', 'commands-two-passes'], { cwd: repository.path }));

  beforeAll(async () => {
    repository = stack.repository();
    file = repository.definition(twoPasses);
    ended = await follow('run', file);
    branch = ended.outcome.branch ?? '';
  });

  test('run --json prints one event a line and the outcome last', () => {
    expect(ended.code).toBe(0);
    expect(ended.outcome).toMatchObject({ status: 'ended', stop: 'succeeded', passes: 2, delivery: 'branch' });
    expect(ended.events.at(0)?.type).toBe('run.started');
    expect(ended.events.at(-1)?.type).toBe('run.stopped');
    expect(ended.of('loop.fired').map(({ count, limit }) => [count, limit])).toEqual([[1, 4]]);
  });

  test('the branch has exactly the judged tree, and the checkout is as it was (G2)', () => {
    const judged = ended.of('check.judged').at(-1)?.verdict.evidence;
    expect(repository.git('rev-parse', `${branch}^{tree}`)).toBe(judged?.tree);
    expect(repository.git('rev-parse', branch)).toBe(ended.outcome.commit);
    expect(repository.git('rev-parse', `${branch}^`)).toBe(repository.git('rev-parse', 'main'));
    expect(repository.git('show', `${branch}:note.txt`)).toBe('two');
    expect(repository.git('status', '--porcelain', '--branch')).toBe('## main');
  });

  test('run with the same key and file finds the same run again and follows it to its end', async () => {
    const again = await follow('run', file);
    expect([again.code, again.outcome]).toEqual([0, ended.outcome]);
  });

  test('run with the same key and another file ends with 2 and names the run that has the key', async () => {
    const other = repository.definition(failing);
    const options = { cwd: repository.path };
    const refused = await stack.cli(['run', other, '--key', 'commands-two-passes'], options);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(ended.outcome.runId);
    expect(refused.stderr).toContain('remedy: ');
  });

  test('show tells its last pass; show --json is the state by its contract', async () => {
    const shown = await stack.cli(['show', ended.outcome.runId]);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('succeeded after 2 passes');
    expect(shown.stdout).toContain(branch);
    const { stdout } = await stack.cli(['show', ended.outcome.runId, '--json']);
    expect(RunShown.parse(JSON.parse(stdout)).cursor).toBe(ended.events.length);
  });

  test('show --export writes the state, the events, the feedback and the report', async () => {
    const folder = join(stack.scratch, 'exported');
    expect((await stack.cli(['show', ended.outcome.runId, '--export', folder])).code).toBe(0);
    expect(readdirSync(folder).toSorted()).toEqual([
      'events.jsonl',
      'feedback.md',
      'final-report.json',
      'plan.json',
      'state.json',
    ]);
    expect(readFileSync(join(folder, 'feedback.md'), 'utf8')).toMatch(/^# work, pass 2 [\s\S]*```\none\n+```/m);
    const report = JSON.parse(readFileSync(join(folder, 'final-report.json'), 'utf8')) as FinalReport;
    expect(report.outcome).toEqual(ended.outcome);
    const judged = report.steps[0]?.passes.map(({ verdicts }) => verdicts.map(({ verdict }) => verdict));
    expect(judged).toEqual([['fail'], ['pass']]);
    const tree = report.steps[0]?.passes[1]?.verdicts[0]?.evidence.tree;
    expect(repository.git('rev-parse', `${branch}^{tree}`)).toBe(tree);
    const lines = readFileSync(join(folder, 'events.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(ended.events.length);
  });

  test('watch --json tells the same run from its first event', async () => {
    const watched = jsonRun(await stack.cli(['watch', ended.outcome.runId, '--json']));
    expect([watched.code, watched.events]).toEqual([0, ended.events]);
  });

  test('logs prints the output of each attempt, and of one pass', async () => {
    const all = await stack.cli(['logs', ended.outcome.runId]);
    expect([all.code, all.stdout]).toEqual([0, 'said in pass 1\nsaid in pass 2\n']);
    const second = await stack.cli(['logs', ended.outcome.runId, '--step', 'work', '--pass', '2']);
    expect(second.stdout).toBe('said in pass 2\n');
    expect((await stack.cli(['logs', ended.outcome.runId, '--pass', '3'])).code).toBe(2);
  });

  test('diff is a patch that gives the delivered tree when git applies it', async () => {
    const { code, stdout } = await stack.cli(['diff', ended.outcome.runId]);
    expect(code).toBe(0);
    const clone = join(stack.scratch, 'applied');
    repository.git('clone', '-q', repository.path, clone);
    execFileSync('git', ['apply', '--index'], { cwd: clone, input: stdout });
    const tree = execFileSync('git', ['write-tree'], { cwd: clone, encoding: 'utf8' }).trim();
    expect(tree).toBe(repository.git('rev-parse', `${branch}^{tree}`));
    const first = await stack.cli(['diff', ended.outcome.runId, '--pass', '1']);
    expect(first.stdout).toContain('+one');
  });

  test('runs lists it; runs --json is one listed run a line', async () => {
    const { code, stdout } = await stack.cli(['runs', '--json', '--search', ended.outcome.runId]);
    expect(code).toBe(0);
    expect(RunListed.parse(JSON.parse(stdout)).runId).toBe(ended.outcome.runId);
    expect((await stack.cli(['runs', '--status', 'ended'])).stdout).toContain(ended.outcome.runId);
  });

  test('the API gives the same events, the outcome, and output by byte range', async () => {
    const { runId } = ended.outcome;
    const page = EventPage.parse(await (await stack.call(`/v1/runs/${runId}/events`)).json());
    expect(page.events.map(({ event }) => event.type)).toEqual(ended.events.map(({ type }) => type));
    const headers = { range: 'bytes=5-6' };
    const part = await stack.call(`/v1/runs/${runId}/output?step=work&pass=1`, { headers });
    expect([part.status, await part.text()]).toEqual([206, 'in']);
  });
});

describe.concurrent('other ways to start', () => {
  test('demo makes a repository whose tests fail, and the loop that mends it succeeds in two passes', async () => {
    const { code, stdout, stderr } = await stack.cli(['demo', '--dir', 'demo']);
    expect(code).toBe(0);
    expect(RunOutcome.parse(JSON.parse(stdout))).toMatchObject({ stop: 'succeeded', passes: 2, delivery: 'branch' });
    expect(stderr).toContain('demo');
  });

  test('without --json the progress is on stderr and the final state on stdout; --quiet says nothing else', async () => {
    const repository = stack.repository();
    const file = repository.definition(twoPasses);
    const ended = await stack.cli(['run', file, '--quiet'], { cwd: repository.path });
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect(RunOutcome.parse(JSON.parse(ended.stdout)).stop).toBe('succeeded');
  });

  test('--detach prints the run and returns; watch comes back to it and has its exit code', async () => {
    const repository = stack.repository();
    const file = repository.definition(failing);
    const detached = await stack.cli(['run', file, '--detach'], { cwd: repository.path });
    expect(detached.code).toBe(0);
    const { runId } = RunOutcome.parse(JSON.parse(detached.stdout));
    expect(detached.stderr).toContain(`setpoint watch ${runId}`);
    const watched = await stack.cli(['watch', runId]);
    expect(watched.code).toBe(1);
    expect(RunOutcome.parse(JSON.parse(watched.stdout)).stop).toBe('exhausted');
  });

  test('--input fills the inputs, as one quoted word in a command (A11); a missing one ends with 2', async () => {
    const repository = stack.repository();
    const definition = {
      inputs: { text: { type: 'string', required: true } },
      steps: { say: { run: 'printf %s {{inputs.text}} > said.txt' } },
    };
    const given = `two words; $(touch /tmp/x) "q"`;
    const ended = await stack.run(repository, definition, '--input', `text=${given}`);
    expect(ended.code).toBe(0);
    expect(repository.git('show', `${ended.outcome.branch}:said.txt`)).toBe(given);
    const file = repository.definition(definition);
    const refused = await stack.cli(['run', file], { cwd: repository.path });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('text');
  });

  test('--deliver commit makes a commit and no branch; none makes neither; an unchanged tree delivers nothing (E1)', async () => {
    const repository = stack.repository();
    const commit = await stack.run(repository, twoPasses, '--deliver', 'commit');
    expect(commit.outcome).toMatchObject({ stop: 'succeeded', delivery: 'commit', branch: null });
    const tree = commit.of('check.judged').at(-1)?.verdict.evidence.tree;
    expect(repository.git('rev-parse', `${commit.outcome.commit}^{tree}`)).toBe(tree);
    const none = await stack.run(repository, twoPasses, '--deliver', 'none');
    expect(none.outcome).toMatchObject({ stop: 'succeeded', delivery: 'none', branch: null, commit: null });
    const same = await stack.run(repository, { steps: { look: { run: 'true' } } });
    expect(same.outcome).toMatchObject({ stop: 'succeeded', delivery: 'nothing_to_deliver', branch: null });
    expect(repository.git('branch', '--list', '--format=%(refname:short)')).toBe('main');
  });

  test('T-12: --no-worktree works in the checkout itself and delivers nothing (F4)', async () => {
    const repository = stack.repository();
    const ended = await stack.run(repository, twoPasses, '--no-worktree');
    expect(ended.outcome).toMatchObject({ stop: 'succeeded', delivery: 'none', branch: null });
    expect(readFileSync(join(repository.path, 'note.txt'), 'utf8')).toBe('two\n');
  });

  test('--dry-run names the base and creates nothing', async () => {
    const repository = stack.repository();
    const file = repository.definition({ ...twoPasses, name: 'Only looked at' });
    const ended = await stack.cli(['run', file, '--dry-run'], { cwd: repository.path });
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ dryRun: true, base: repository.git('rev-parse', 'HEAD') });
    expect((await stack.cli(['runs', '--json', '--search', 'Only looked at'])).stdout).toBe('');
  });
});

describe.concurrent('steering', () => {
  test('cancel ends a run, which then has exit code 4; retry of it starts again (E8)', async () => {
    const repository = stack.repository();
    const file = repository.definition(endless);
    const following = stack.start(['run', file, '--json'], { cwd: repository.path });
    const [, runId = ''] = await following.says(/"runId":"(run_\w+)"/);
    await following.says(/attempt\.started/);
    const cancelled = await stack.cli(['cancel', runId, '--reason', 'wrong branch']);
    expect(cancelled.code).toBe(0);
    const ended = jsonRun(await following.ended);
    expect([ended.code, ended.outcome.stop]).toEqual([4, 'cancelled']);
    expect(JSON.stringify(ended.of('run.stopped'))).toContain('wrong branch');

    const retried = await stack.cli(['retry', runId]);
    expect(retried.code).toBe(0);
    const again = stack.start(['watch', runId, '--json']);
    await again.says(/run\.retried[\s\S]*attempt\.started/);
    await stack.cli(['cancel', runId]);
    expect((await again.ended).code).toBe(4);
  });

  test('retry of a run that did not pass gives it fresh passes', async () => {
    const repository = stack.repository();
    const first = await stack.run(repository, { ...twoPasses, limits: { passes: 1 } });
    expect([first.code, first.outcome.stop]).toEqual([1, 'exhausted']);
    expect((await stack.cli(['retry', first.outcome.runId])).code).toBe(0);
    const watched = jsonRun(await stack.cli(['watch', first.outcome.runId, '--json']));
    expect([watched.code, watched.outcome.stop]).toEqual([0, 'succeeded']);
  });

  test('cancel of a run that has ended is refused with the remedy', async () => {
    const repository = stack.repository();
    const { outcome } = await stack.run(repository, { steps: { look: { run: 'true' } } });
    const refused = await stack.cli(['cancel', outcome.runId]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/ended|over|stopped/);
  });
});

describe.concurrent('commands beside runs', () => {
  test('status tells every process, as JSON too, and the settings with secrets masked', async () => {
    const { code, stdout } = await stack.cli(['status', '--json']);
    expect(code).toBe(0);
    const status = JSON.parse(stdout) as { processes: { role: string; state: string }[] };
    const roles = status.processes.map(({ role, state }) => `${role} ${state}`);
    expect(roles.toSorted()).toEqual(
      ['api', 'control', 'host', 'postgres', 'supervisor', 'temporal'].map((role) => `${role} running`),
    );
    expect((await stack.cli(['status'])).stdout).toContain('up at http://');
    const settings = await stack.cli(['status', '--config'], { env: { SETPOINT_TOKEN: 'very-secret-token' } });
    expect(settings.stdout).toContain('SETPOINT_PORT');
    expect(settings.stdout).not.toContain('very-secret-token');
  });

  test('validate, plan and plan --graph need no server', async () => {
    const repository = stack.repository();
    const file = repository.definition(twoPasses);
    const env = { SETPOINT_HOME: join(stack.scratch, 'nowhere') };
    const valid = await stack.cli(['validate', file], { env });
    expect([valid.code, valid.stdout]).toEqual([0, expect.stringContaining('valid (Two passes, 1 step)')]);
    const plan = await stack.cli(['plan', file], { env });
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain('5 passes');
    const graph = await stack.cli(['plan', file, '--graph'], { env });
    expect([graph.code, graph.stdout]).toEqual([0, expect.stringContaining('work')]);
    expect(readdirSync(stack.scratch)).not.toContain('nowhere');
  });

  test('agents lists every agent, found or with what installs it', async () => {
    const { code, stdout } = await stack.cli(['agents']);
    expect(code).toBe(0);
    for (const name of ['codex', 'claude', 'opencode', 'gemini', 'aider']) expect(stdout).toContain(name);
  });

  test.each(['bash', 'zsh', 'fish'])('completion %s names every command', async (shell) => {
    const { code, stdout } = await stack.cli(['completion', shell]);
    expect(code).toBe(0);
    for (const command of ['demo', 'run', 'watch', 'cancel']) expect(stdout).toContain(command);
  });

  test('bash completes a command from the script', async () => {
    const { stdout } = await stack.cli(['completion', 'bash']);
    const script = `${stdout}\nCOMP_WORDS=(setpoint va); COMP_CWORD=1; $(complete -p setpoint | sed 's/.*-F \\([^ ]*\\).*/\\1/'); echo "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim()).toBe('validate');
  });
});
