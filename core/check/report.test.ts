import { describe, expect, test } from 'vitest';

import type { CheckPlanOf } from '#core/check/check-plan.ts';
import { readReport, verdictOfReport } from '#core/check/report.ts';

const common = { name: 'r', needs: 'always', timeSeconds: 60, kind: 'report', file: 'r.json' } as const;
const worklist: CheckPlanOf<'report'> = { ...common, wants: { kind: 'worklist' } };
const artifact: CheckPlanOf<'report'> = { ...common, wants: { kind: 'artifact', path: './docs/a.md' } };
const judge = (text: string, check: CheckPlanOf<'report'>, holds = true) => {
  const { kind, summary } = verdictOfReport(readReport(text), check, holds);
  return `${kind}: ${summary}`;
};

describe('B7: the report of the agent', () => {
  test('B7: with and without its wrapper, and whatever else the agent wrote beside', () => {
    const inner = { artifacts: ['./a', 'b'], worklist: ['open', { task: 'done', done: true }], mood: 'good' };
    const report = {
      artifacts: ['a', 'b'],
      worklist: [
        { task: 'open', done: false },
        { task: 'done', done: true },
      ],
    };
    expect(readReport(JSON.stringify({ loop: inner }))).toEqual({ kind: 'report', report });
    expect(readReport(`\uFEFF${JSON.stringify(inner)}`)).toEqual({ kind: 'report', report });
  });

  test.each([
    ['{"loop": {"worklist": [', 'it is no JSON'],
    ['', 'it is no JSON'],
    ['[]', 'it does not have the shape of a report'],
    ['null', 'it does not have the shape of a report'],
    [
      '{"loop": {"worklist": [{"task": "a", "done": "yes"}]}}',
      'it does not have the shape of a report at `loop.worklist.0`',
    ],
  ])('B7: %s is no evidence, with the reason', (text, reason) => {
    expect(judge(text, worklist)).toBe(`missing: r.json cannot be read: ${reason}`);
  });

  test('B7, E-02: an artifact counts when it is listed and the work holds it', () => {
    expect(judge('{"artifacts": ["docs/a.md"]}', artifact)).toBe('pass: docs/a.md is listed, and is there');
    expect(judge('{"artifacts": ["docs/a.md"]}', artifact, false)).toMatch(/^fail: .*does not hold it/);
    expect(judge('{"artifacts": ["docs/b.md"]}', artifact)).toMatch(/^missing: .*does not list docs\/a\.md/);
    expect(judge('{"worklist": []}', artifact)).toMatch(/^missing/);
  });

  test('B7, E-02: a worklist passes when nothing is open, and tells what is', () => {
    expect(judge('{"worklist": [{"task": "a", "done": true}]}', worklist)).toBe('pass: nothing of 1 item(s) is open');
    expect(judge('{"worklist": ["b\\nc", {"task": "a", "done": true}]}', worklist)).toBe(
      'fail: 1 of 2 item(s) are open, first: b c',
    );
    expect(judge('{"artifacts": []}', worklist)).toBe('missing: r.json holds no worklist');
  });

  test('B7, F16: a worklist of stories, `passes` true or false, fails until none is false; its notes are carried whole', () => {
    const notes = `Mind "quotes", $(costs) and \`ticks\`; ${'a long word of the story, '.repeat(60)}`;
    const criteria = ['it builds', 'it is "typed"'];
    const stories = (open: number) =>
      Array.from({ length: 12 }, (_, n) => ({
        id: `US-${n}`,
        title: `Story ${n}`,
        description: 'As a user I want it.',
        acceptanceCriteria: criteria,
        priority: n,
        passes: n >= open,
        notes,
      }));
    const text = (open: number) => JSON.stringify({ loop: { worklist: stories(open) } });
    expect(text(3).length).toBeGreaterThan(20_000);
    expect(judge(text(3), worklist)).toBe('fail: 3 of 12 item(s) are open, first: Story 0');
    expect(judge(text(0), worklist)).toBe('pass: nothing of 12 item(s) is open');
    const lines = { title: 'Two', passes: false, notes: 'First:\n1. a "b"\n   c' };
    const listed = verdictOfReport(readReport(JSON.stringify({ worklist: [lines] })), worklist, true).feedback;
    expect(listed).toBe('- Two\n  notes: First:\n    1. a "b"\n       c');
    const { feedback } = verdictOfReport(readReport(text(1)), worklist, true);
    const said = ['id: US-0', 'description: As a user I want it.', 'acceptanceCriteria: it builds; it is "typed"'];
    expect(feedback.split('\n')).toEqual(['- Story 0', ...said.map((line) => `  ${line}`), `  notes: ${notes.trim()}`]);
  });

  test('B7: what hundreds of items say beside their task is left out, and then they are counted', () => {
    const item = { task: 'x', done: false, notes: 'n'.repeat(4000) };
    const { feedback } = verdictOfReport(
      readReport(JSON.stringify({ worklist: Array(500).fill(item) })),
      worklist,
      true,
    );
    expect(feedback.length).toBeLessThan(40_000);
    expect(feedback).toMatch(/- … and 400 more$/);
  });

  test('B7, F16: long notes with quotes and $ reach the next pass unharmed', () => {
    const task = 'Say "$&" and `$$`, {{feedback}} and \'x\'';
    const { feedback } = verdictOfReport(readReport(JSON.stringify({ worklist: [task] })), worklist, true);
    expect(feedback).toBe(`- ${task}`);
  });
});
