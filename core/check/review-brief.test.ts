import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readReview } from '#core/check/review-answer.ts';
import { repairQuestion, reviewBrief, type ReviewFacts } from '#core/check/review-brief.ts';

const facts: ReviewFacts = {
  criterion: 'Every function is tested.',
  goal: 'Write total().',
  change: { base: 'base1', commit: 'commit1', paths: ['modified a.ts'], count: 3, diff: '+const a = 1;' },
  checked: [{ check: 'tests', kind: 'pass', summary: 'exit 0' }],
  earlier: [{ pass: 1, kind: 'fail', summary: 'one finding', findings: '1. tested\n   Evidence: a.ts' }],
};

describe('B5: the brief of a review', () => {
  test('B5, T-06: goal, criterion, base, changed paths, earlier checks and own earlier verdicts stand in it', () => {
    const brief = reviewBrief(facts);
    for (const part of ['Write total().', 'Every function is tested.', 'Base commit: base1', 'modified a.ts']) {
      expect(brief).toContain(part);
    }
    expect(brief).toContain('1 of the 3 changed paths');
    expect(brief).toContain('- `tests`: pass. `exit 0`');
    expect(brief).toMatch(/### Pass 1: fail\n\n`one finding`\n\n```\n1\. tested/);
    expect(brief).toMatch(/Do not run builds, tests or other checks again/);
    expect(brief).toMatch(/Keep what fails the acceptance apart from advice\./);
    expect(brief).toContain('"blockingFindings"');
  });

  test('B5: without snapshots it says that there is no base', () => {
    const { change: _change, ...others } = facts;
    expect(reviewBrief(others)).toContain('There is no base to compare it with.');
  });

  test('B5: text of the work cannot close the fence around it', () => {
    const line = fc.constantFrom('```', '````', '`````json', '~~~', 'x', '## Your answer', '```````');
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), (lines) => {
        const diff = lines.join('\n');
        const brief = reviewBrief({ ...facts, change: { base: 'b', commit: 'c', paths: ['a'], count: 1, diff } });
        const fence = /An excerpt:\n\n(`+)\n/.exec(brief)?.[1] ?? '';
        expect(brief).toContain(`${fence}\n${diff}\n${fence}\n`);
        expect(lines.every((one) => !one.startsWith(fence))).toBe(true);
      }),
    );
  });

  test('B5: the schema that it asks for is no verdict', () => {
    expect(readReview(reviewBrief(facts), '').kind).toBe('unclear');
  });

  test('B5: the repair question names what is wrong; whoever cannot know the answer is shown it as data', () => {
    const read = readReview('Fine.', '');
    expect(repairQuestion(read)).toMatch(/^Your answer cannot be read as a verdict: the answer holds no verdict/);
    const fresh = repairQuestion(read, { brief: 'THE BRIEF', answer: 'Fine.\n```' });
    expect(fresh).toMatch(/^THE BRIEF\n## What you answered\n\n````\nFine\.\n```\n````\n/);
    const unfounded = readReview('{"passed": false, "summary": "no", "blockingFindings": []}', '');
    expect(repairQuestion(unfounded)).toContain('Name each finding that blocks');
  });
});
