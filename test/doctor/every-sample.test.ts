import { describe, expect, test } from 'vitest';

import { traceLoops } from '#core/doctor/trace.ts';
import { examineText } from '#dialects/examine-text.ts';
import { applyFixes } from '#dialects/fix/apply-fixes.ts';
import { compileText } from '#dialects/parse.ts';
import { samplesOf } from './corpus.ts';

const samples = [...samplesOf('fine'), ...samplesOf('not-fine')];

function planOf(name: string, text: string) {
  const compiled = compileText({ text, file: name, unknownCalls: 'warning' });
  if (compiled.kind === 'plan') return compiled.plan;
  throw new TypeError(`${name} does not compile`);
}

test.each(samples)('--fix takes away findings of $name and adds none; the second time it changes nothing', (sample) => {
  const source = { text: sample.text, file: sample.name, unknownCalls: 'warning' as const };
  const fixed = applyFixes(source);
  const after = examineText({ ...source, text: fixed.text });
  if (after.kind === 'issues') throw new TypeError(`${sample.name} does not compile any more`);
  const left = [...sample.found];
  for (const { rule } of fixed.mended) left.splice(left.indexOf(rule), 1);
  expect(after.findings.map(({ rule }) => rule).toSorted()).toEqual(left.toSorted());
  expect(applyFixes({ ...source, text: fixed.text })).toEqual({ text: fixed.text, mended: [] });
});

test('most of what hides an exit code is mended by itself', () => {
  const hiding = ['check/cannot-fail', 'check/pipe-hides-exit', 'check/passes-on-nothing'];
  const counts = samples.map(({ name, text, found }) => ({
    found: found.filter((rule) => hiding.includes(rule)).length,
    mended: applyFixes({ text, file: name, unknownCalls: 'warning' }).mended.filter(({ rule }) => hiding.includes(rule))
      .length,
  }));
  const total = (key: 'found' | 'mended') => counts.reduce((sum, each) => sum + each[key], 0);
  expect(total('mended') / total('found')).toBeGreaterThan(0.5);
});

describe('--trace', () => {
  test.each(samples)(
    'every loop of $name has the brief of its second pass, or a reason why there is none',
    ({ name, text }) => {
      for (const { loop, brief, reason, pass } of traceLoops(planOf(name, text))) {
        if (brief === undefined) expect([loop, reason]).toEqual([loop, expect.stringMatching(/\.$/)]);
        else expect([loop, pass, brief.trim()]).toEqual([loop, expect.any(Number), expect.stringMatching(/\S/)]);
      }
    },
  );

  test('what a command, a reviewer and a person found reaches the agent; what a condition found only where it is named', () => {
    const text = `steps:
  fix: { agent: codex, prompt: Fix the parser. }
  test: { run: make test, after: fix, loop: { to: fix, limit: 3 } }
  ready: { person: { ask: Ship? }, after: test, loop: { to: fix } }
  tidy: { agent: claude, prompt: Tidy up., after: ready, loop: { until: make lint, limit: 2 } }
  note: { agent: claude, prompt: Note it., after: tidy, loop: { until: make notes, limit: 2, prompt: "Note it. {{condition.stdout}}" } }
`;
    const [byTest, byPerson, byCondition, named] = traceLoops(planOf('x', text));
    expect(byTest?.brief).toContain('(what `make test` printed)');
    expect(byTest?.brief).toContain('`make test` exits 0.');
    expect(byPerson?.brief).toContain('(what the person wrote)');
    expect(byCondition?.brief).not.toContain('make lint');
    expect(named?.brief).toContain('(what the condition printed)');
  });
});
