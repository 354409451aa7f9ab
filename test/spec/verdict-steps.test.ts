import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { outputsNeeded } from '#core/template/references.ts';
import { renderCommand, renderPrompt } from '#core/template/render.ts';
import { compileText } from '#dialects/parse.ts';

import { exited, matchFailed, ok, timedOut } from './outcomes.ts';
import { play, type Play } from './play.ts';

/** Files of the dialect, played: the law runs what their text says. */
function playFile(file: string): Play {
  return playText(readFileSync(`dialects/verdict-steps/fixtures/${file}`, 'utf8'));
}

function playText(text: string): Play {
  const compiled = compileText({ text, dialect: 'verdict-steps' });
  if (compiled.kind === 'issues') throw new TypeError(JSON.stringify(compiled.issues));
  return play(compiled.plan).opens();
}

function playSteps(...steps: object[]): Play {
  return playText(JSON.stringify({ steps }));
}

const shell = (id: string, more: object = {}) => ({ id, name: `Step ${id}`, type: 'shell', command: 'true', ...more });
const delivered = { mode: 'branch' as const, nothingToDeliver: false, commit: 'c', branch: 'setpoint/run_1' };
const notApproved = matchFailed('Verdict: output did not match pass pattern /VERDICT:\\s*APPROVE/');

/** The Feature file up to where its tests are to be run. */
function feature(): Play {
  return playFile('feature.json')
    .attempts('plan', ok({ tree: 'planned', output: 'the plan' }))
    .attempts('implement', ok({ tree: 'a' }));
}

function prompted(run: Play, step: string): string {
  const {
    scope,
    step: { work },
  } = run.input(step);
  const template = work.kind === 'agent' ? work.prompt : '';
  const outputs = outputsNeeded(template).map((id) => [`steps.${id}.output`, scope.outputs[id]?.excerpt ?? '']);
  return renderPrompt(template, Object.fromEntries(outputs));
}

describe('order and side by side', () => {
  test('V-01: steps run in the order of their dependencies', () => {
    const run = playSteps(shell('c', { dependsOn: ['b'] }), shell('b', { dependsOn: ['a'] }), shell('a'));
    for (const id of ['a', 'b', 'c']) {
      expect(run.underWay).toEqual([`attempt ${id}#1.1`]);
      run.attempts(id, ok({ tree: id }));
    }
  });

  test('V-01: independent steps take turns in one workspace, and a person waits beside them (F7)', () => {
    const run = playSteps(shell('a'), { id: 'ask', type: 'approval' }, shell('b'));
    expect(run.underWay).toEqual(['attempt a#1.1', 'ask ask#1']);
    run.attempts('a', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['ask ask#1', 'attempt b#1.1']);
  });
});

describe('verdicts', () => {
  test('V-02, V-03, V-05: a failed verdict fails the step with its own words, a crash with its own', () => {
    const failing = (result: Parameters<Play['attempts']>[1]) =>
      playSteps(shell('a', { passPattern: 'ok' }))
        .attempts('a', result)
        .last('step.failed').reason;
    expect(failing(matchFailed('Verdict: output did not match pass pattern /ok/'))).toBe(
      'Verdict: output did not match pass pattern /ok/',
    );
    expect(failing(matchFailed('Verdict: output matched fail pattern /no/'))).toBe(
      'Verdict: output matched fail pattern /no/',
    );
    expect(failing(exited(1))).toContain('exit 1');
    expect(failing(timedOut(60))).not.toContain('Verdict:');
  });

  test('V-08: the patterns of an agent and of a shell reach the host', () => {
    const patterns = { passPattern: 'VERDICT:\\s*APPROVE', failPattern: '^BLOCKED:' };
    const agent = { id: 'b', type: 'agent', harnessId: 'codex', prompt: 'Review it.', dependsOn: ['a'], ...patterns };
    const run = playSteps(shell('a', patterns), agent).attempts('a', ok({ tree: 'a' }));
    const match = { pass: 'VERDICT:\\s*APPROVE', fail: '^BLOCKED:' };
    expect([run.input('a').step.match, run.input('b').step.match]).toEqual([match, match]);
  });

  test('V-02, V-03, V-06: both patterns reach the host as they are written', () => {
    const run = playFile('everything.json')
      .attempts('a', ok({ tree: 'a' }))
      .attempts('b', ok({ tree: 'b' }));
    expect(run.input('c').step).toMatchObject({ match: { pass: '\\b0 failed\\b', fail: '^BLOCKED:' } });
  });

  test('V-09: a failed verdict goes to the loop with retries left', () => {
    const run = playSteps(shell('a', { passPattern: 'ok', retries: 3, loopBackTo: 'a' })).attempts('a', notApproved);
    expect(run.underWay).toEqual(['attempt a#2.1']);
  });

  test('V-24: other failures are retried unchanged first, and loop back once the retries are used up', () => {
    const run = playSteps(shell('fix'), shell('test', { dependsOn: ['fix'], retries: 2, loopBackTo: 'fix' }));
    run.attempts('fix', ok({ tree: 'a' }));
    for (const [attempt, result] of [exited(1), timedOut(60)].entries()) {
      run.attempts('test', result).waits(60);
      expect(run.underWay).toEqual([`attempt test#1.${attempt + 2}`]);
    }
    run.attempts('test', exited(1));
    expect(run.underWay).toEqual(['attempt fix#2.1']);
  });

  test('V-24: without `retries` nothing is retried', () => {
    const run = playSteps(shell('fix'), shell('test', { dependsOn: ['fix'], loopBackTo: 'fix' }));
    run.attempts('fix', ok({ tree: 'a' })).attempts('test', exited(1));
    expect(run.underWay).toEqual(['attempt fix#2.1']);
  });
});

describe('feedback loops', () => {
  test.each([
    ['a verdict', notApproved],
    ['a non-zero exit', exited(1)],
    ['a time-out', timedOut(60)],
  ])('V-13: %s sends back the target, all downstream of it and the step itself', (_what, result) => {
    const run = feature().attempts('test', result);
    expect(run.last('loop.fired')).toMatchObject({
      to: 'implement',
      reset: ['implement', 'test', 'review', 'approve'],
    });
    expect(run.step('plan').pass).toBe(1);
    expect(run.underWay).toEqual(['attempt implement#2.1']);
  });

  test('V-13, V-22: a rejected approval sends back, with the comment as the output', () => {
    const run = playFile('rejection-loop.json')
      .attempts('implement', ok({ tree: 'a' }))
      .attempts('review', ok())
      .asks('approve');
    run.answersTask('approve', 'ann', 'reject', { comment: 'name the flag' });
    expect(run.underWay).toEqual(['attempt implement#2.1']);
    expect(prompted(run, 'implement')).toContain('with this feedback:\nname the flag');
    run
      .attempts('implement', ok({ tree: 'b' }))
      .attempts('review', ok())
      .asks('approve');
    expect(run.step('approve').task?.decisions).toEqual([]);
  });

  test('V-14: two loops by default, so the target runs three times at most; the form offers one to ten', () => {
    const run = playSteps(shell('fix'), shell('test', { dependsOn: ['fix'], loopBackTo: 'fix' }));
    for (const tree of ['a', 'b', 'c']) run.attempts('fix', ok({ tree })).attempts('test', exited(1));
    expect(run.step('fix').begun).toBe(3);
    expect(run.stop?.kind).toBe('exhausted');
    const warned = (maxLoops: number) => {
      const compiled = compileText({ text: JSON.stringify({ steps: [shell('a', { loopBackTo: 'a', maxLoops })] }) });
      return compiled.kind === 'plan' && compiled.warnings.map(({ path, severity }) => `${severity} ${path}`);
    };
    expect([warned(10), warned(11)]).toEqual([[], ['warning steps.0.maxLoops']]);
  });

  test('V-15: the step that loops counts, and the pass of each reset step rises by one', () => {
    const run = feature().attempts('test', exited(1));
    expect(run.step('test').loops).toBe(1);
    expect(['plan', 'implement', 'test', 'review'].map((id) => run.step(id).pass)).toEqual([1, 2, 2, 2]);
  });

  test('V-16: the log says who asks, where it goes back to, and how often', () => {
    const run = feature().attempts('test', ok()).attempts('review', notApproved);
    expect(run.last('loop.fired').message).toBe(
      '↺ Cross-model review requested another pass: looping back to "implement" (1/2)',
    );
  });

  test('V-17: a step that loops has not failed', () => {
    expect(feature().attempts('test', exited(1)).all('step.failed')).toEqual([]);
  });

  test('V-18: with the budget used up the step fails with its error and the limit, and the run with it', () => {
    const run = playSteps(shell('a', { loopBackTo: 'a', maxLoops: 1, passPattern: 'x' }));
    run.attempts('a', notApproved).attempts('a', notApproved);
    expect(run.last('step.failed').reason).toBe(
      'Verdict: output did not match pass pattern /VERDICT:\\s*APPROVE/ (feedback loop limit of 1 reached)',
    );
    expect(run.stop?.kind).toBe('exhausted');
  });

  test('V-18, V-28: with continueOnError it loops first, and then the run goes on', () => {
    const run = playSteps(
      shell('a', { loopBackTo: 'a', maxLoops: 1, continueOnError: true }),
      shell('b', { dependsOn: ['a'] }),
    );
    run.attempts('a', exited(1));
    expect(run.underWay).toEqual(['attempt a#2.1']);
    run.attempts('a', exited(1));
    expect(run.last('step.failed').reason).toContain('(feedback loop limit of 1 reached)');
    expect(run.underWay).toEqual(['attempt b#2.1']);
    expect(run.attempts('b', ok({ tree: 'b' })).delivers(delivered).stop?.kind).toBe('succeeded');
  });

  test('V-23: each step has its own budget, so implement runs five times; a retry of the run counts anew', () => {
    const run = feature();
    for (const tree of ['b', 'c']) run.attempts('test', exited(1)).attempts('implement', ok({ tree }));
    for (const tree of ['d', 'e']) {
      run.attempts('test', ok()).attempts('review', notApproved).attempts('implement', ok({ tree }));
    }
    expect(run.step('implement').begun).toBe(5);
    run.attempts('test', exited(1));
    expect(run.stop?.kind).toBe('exhausted');
    run.says({ kind: 'retry', id: 'again' }).attempts('test', exited(1));
    expect(run.last('loop.fired')).toMatchObject({ count: 1, limit: 2 });
  });

  test('V-26: a step that runs or waits for an approval when a loop fires is not reset', () => {
    const run = playSteps(
      shell('implement'),
      { id: 'ask', type: 'approval', dependsOn: ['implement'] },
      shell('test', { dependsOn: ['implement'], loopBackTo: 'implement' }),
      shell('last', { dependsOn: ['ask', 'test'] }),
    );
    run
      .attempts('implement', ok({ tree: 'a' }))
      .asks('ask')
      .attempts('test', exited(1));
    expect(run.last('loop.fired').reset).not.toContain('ask');
    expect(run.step('ask')).toMatchObject({ pass: 1 });
    run
      .answersTask('ask', 'ann', 'approve')
      .attempts('implement', ok({ tree: 'b' }))
      .attempts('test', ok());
    expect(run.underWay).toEqual(['attempt last#2.1']);
  });

  test('V-27: a target that is not upstream is a warning and resets as it says; the step itself is allowed', () => {
    const steps = [shell('a'), shell('beside'), shell('b', { dependsOn: ['a'], loopBackTo: 'beside' })];
    const compiled = compileText({ text: JSON.stringify({ steps }) });
    expect(compiled.kind === 'plan' && compiled.warnings).toMatchObject([
      { path: 'steps.2.loopBackTo', code: 'loop/not-upstream', severity: 'warning' },
    ]);
    const run = playSteps(...steps)
      .attempts('a', ok({ tree: 'a' }))
      .attempts('beside', ok({ tree: 'b' }));
    run.attempts('b', exited(1));
    expect(run.last('loop.fired').reset).toEqual(['beside', 'b']);
    expect(playSteps(shell('a', { loopBackTo: 'a' })).attempts('a', exited(1)).underWay).toEqual(['attempt a#2.1']);
  });
});

describe('what the next pass is told', () => {
  test('V-19: an output is empty in the first pass, and afterwards what sent the work back', () => {
    const run = feature();
    expect(prompted(run, 'implement')).toContain('Implementation plan:\nthe plan\n');
    expect(prompted(run, 'implement')).not.toContain('asked for changes');
    run.attempts('test', ok()).attempts('review', matchFailed('Verdict: not approved', { output: 'rename it' }));
    expect(prompted(run, 'implement')).toContain('address every point:\nrename it\n');
  });

  test('V-20: values are inserted, blocks with an empty one are left out, and a command has each value as one word', () => {
    const written = (step: object): string => {
      const { work } = playText(JSON.stringify({ vars: { name: "it's", none: '' }, steps: [step] })).input('a').step;
      return work.kind === 'run' ? work.command : work.kind === 'agent' ? work.prompt : '';
    };
    const scope = { 'inputs.name': "it's", 'inputs.none': '', 'loop.iteration': '2', 'run.base': 'main' };
    const prompt =
      'Mend {{vars.name}} in {{run.baseBranch}}{{#if vars.none}}, not this{{/if}}{{#if loop.iteration}} again{{/if}}: {{vars.name | truncate:2}}';
    const agent = written({ id: 'a', type: 'agent', harnessId: 'codex', prompt });
    expect(renderPrompt(agent, scope)).toMatch(/^Mend it's in main again: it/);
    expect(renderPrompt(agent, scope)).not.toMatch(/: it's$/);
    const command = written(shell('a', { command: 'echo {{vars.name}} {{vars.none | raw}}{{vars.name | raw}}' }));
    expect(renderCommand(command, scope)).toBe("echo 'it'\\''s' it's");
  });

  test('V-21: how often the step was entered again', () => {
    const run = feature();
    expect(run.input('implement').scope.iteration).toBe(0);
    for (const [tree, iteration] of [
      ['b', 1],
      ['c', 2],
    ] as const) {
      run.attempts('test', exited(1));
      expect(run.input('implement').scope.iteration).toBe(iteration);
      run.attempts('implement', ok({ tree }));
    }
    expect(run.input('test').scope.iteration).toBe(2);
    expect(run.input('plan').scope.iteration).toBe(0);
  });

  test('V-25: an earlier reviewer’s words are still there, stamped with the pass that they are of', () => {
    const review = matchFailed('Verdict: not approved', { output: 'rename it' });
    const run = feature()
      .attempts('test', ok())
      .attempts('review', review)
      .attempts('implement', ok({ tree: 'b' }));
    run.attempts('test', exited(1));
    expect(prompted(run, 'implement')).toContain('address every point:\nrename it\n');
    expect(run.step('review').resultPass).toBe(1);
    expect(run.input('implement').key.pass).toBe(3);
  });
});
