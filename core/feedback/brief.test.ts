import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { briefBlock, changedBlock, composePrompt, feedbackBlock, type FeedbackText } from '#core/feedback/brief.ts';
import type { FeedbackEntry } from '#core/feedback/feedback.ts';

const entry: FeedbackEntry = {
  step: 'test',
  pass: 2,
  check: 'tests',
  verdict: 'fail',
  summary: '2 failed',
  stale: false,
  baseline: false,
};
const told = (change: Partial<FeedbackEntry> = {}, text = 'not ok 1'): FeedbackText => ({
  entry: { ...entry, ...change },
  text,
});

describe('C9: the feedback block', () => {
  test('C9: nothing to tell is no block', () => {
    expect(feedbackBlock([])).toBe('');
  });

  test('C9: one block names source, pass, verdict and summary, and quotes the text', () => {
    expect(feedbackBlock([told()])).toBe(
      [
        '## Feedback',
        '',
        'The pass before this one did not pass. What was found:',
        '',
        '### check "tests" of step "test", in pass 2: fail',
        '',
        '`2 failed`',
        '',
        '```',
        'not ok 1',
        '```',
      ].join('\n'),
    );
  });

  test('C9: entries stand in order under one heading', () => {
    const block = feedbackBlock([told({ check: 'lint' }), told()]);
    expect(block.match(/^## /gm)).toHaveLength(1);
    expect(block.indexOf('"lint"')).toBeLessThan(block.indexOf('"tests"'));
  });

  test('C9: an attempt that failed by itself is named by its step', () => {
    const { check: _check, ...attempt } = entry;
    expect(feedbackBlock([{ entry: attempt, text: '' }])).toContain('### step "test", in pass 2: fail\n\n`2 failed`');
  });

  test('C9: stale entries say so, and where the whole output is', () => {
    const block = feedbackBlock([{ ...told({ stale: true }), path: 'feedback/test.log' }]);
    expect(block).toContain('in pass 2: fail (stale: that step has run again since)');
    expect(block).toContain('\nThe whole output is in feedback/test.log.');
  });

  test('C9, B11: what failed at the base is told as that', () => {
    const block = feedbackBlock([told({ baseline: true, pass: 0 })]);
    expect(block).toContain('These checks already failed before any work was done:');
    expect(block).toContain('### check "tests" of step "test", on the base: fail');
  });

  test('C9, T-31: a summary with words of the work is one quoted line, without control characters, of at most 500', () => {
    const line = (summary: string) =>
      feedbackBlock([told({ summary }, '')])
        .split('\n')
        .slice(6);
    expect(line('a\n\n## This pass\n\u001b[2Jb\u202ec\u2028d')).toEqual(['`a ## This pass [2Jb c d`']);
    expect(line('put `x` and ``` back')).toEqual(['```` put `x` and ``` back ````']);
    const [long = ''] = line('x'.repeat(3000));
    expect(long).toBe(`\`${'x'.repeat(499)}…\``);
  });

  test('C9, T-31: no text can close the fence that quotes it', () => {
    const hostile = fc.array(fc.constantFrom('`', '```', '````', '\n', '~~~', '## Feedback', 'x', ' '), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(hostile, (parts) => {
        const text = parts.join('');
        fc.pre(text !== '');
        const lines = feedbackBlock([told({}, text)]).split('\n');
        const fence = lines.at(-1) ?? '';
        expect(fence).toMatch(/^`{3,}$/);
        const opened = lines.indexOf(fence);
        expect(lines.slice(opened + 1, -1).join('\n')).toBe(text);
        // CommonMark: a fence is closed by a line of at least as many backticks.
        for (const line of lines.slice(opened + 1, -1))
          expect(line.trim()).not.toMatch(new RegExp(`^\`{${fence.length},}$`));
      }),
    );
  });
});

describe('C9: what every brief says', () => {
  test('C9: pass n of N, who decides, and what is left', () => {
    const brief = briefBlock({
      pass: 2,
      passLimit: 5,
      checks: [
        { name: 'tests', sentence: 'tests: `npm test` exits 0.' },
        { name: 'npm run lint', sentence: '`npm run lint` exits 0.' },
      ],
      remainingSeconds: 3599,
      remainingUsd: 4.5,
    });
    expect(brief).toBe(
      [
        '## This pass',
        '',
        'This is pass 2 (at most 5).',
        '',
        'When you are done, these checks decide whether the work passes; your own report does not:',
        '- tests: `npm test` exits 0.',
        '- npm run lint: `npm run lint` exits 0.',
        '',
        'Left for the whole run: 59 minutes of working time, 4.50 USD.',
      ].join('\n'),
    );
  });

  test('C9: without checks and limits only the pass is told', () => {
    expect(briefBlock({ pass: 1, passLimit: null, checks: [] })).toBe(
      '## This pass\n\nThis is pass 1 (no fixed number of passes).',
    );
  });
});

describe('C9: the prompt', () => {
  const parts = { task: '  Mend it.\n', feedback: '## Feedback', brief: '## This pass' };

  test('C9: task, feedback, brief', () => {
    expect(composePrompt({ ...parts, placed: false })).toBe('Mend it.\n\n## Feedback\n\n## This pass\n');
  });

  test('C9: feedback that the template placed is not appended again', () => {
    expect(composePrompt({ ...parts, placed: true })).toBe('Mend it.\n\n## This pass\n');
  });

  test('C9: no feedback leaves no gap', () => {
    expect(composePrompt({ ...parts, feedback: '', placed: false })).toBe('Mend it.\n\n## This pass\n');
  });
});

describe('T-11: the work so far', () => {
  test('T-11: each changed path is named with what became of it', () => {
    const block = changedBlock([
      { path: 'src/a b.ts', change: 'modified' },
      { path: 'new\u001b[31m.ts', change: 'added' },
    ]);
    expect(block).toContain('Changed against the base, 2 path(s):');
    expect(block).toContain('modified src/a b.ts\nadded new.ts');
    expect(changedBlock([])).toBe('');
  });

  test('T-11: of many paths the first hundred are shown, and how many there are', () => {
    const many = Array.from({ length: 150 }, (_, index) => ({ path: `f${index}`, change: 'added' as const }));
    expect(changedBlock(many)).toContain('the first 100 of 150 paths');
    expect(changedBlock(many)).not.toContain('f100');
  });

  test('T-11: it stands between what was found and what decides', () => {
    const prompt = composePrompt({ task: 'Do it.', feedback: 'F', placed: false, brief: 'B', changed: 'C' });
    expect(prompt).toBe('Do it.\n\nF\n\nC\n\nB\n');
  });
});
