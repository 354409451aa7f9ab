import { expect, test } from 'vitest';

import { readSuggestion } from '#core/suggest/suggestion.ts';
import { suggestionBrief, suggestionRepair } from '#core/suggest/suggestion-brief.ts';

const command = { kind: 'command', name: 'tests', run: 'npm test', why: 'A broken importer fails it.' };
const review = { kind: 'review', name: 'docs', criterion: 'The README names CSV.', why: 'Nobody would find it.' };
const good = { name: 'CSV', checks: [command, review], mode: 'all', passes: 5, why: 'A small task.' };
const brief = suggestionBrief('Accept CSV.');

function read(answer: unknown): string {
  const result = readSuggestion(typeof answer === 'string' ? answer : JSON.stringify(answer), brief);
  return result.kind === 'read' ? `read ${result.suggestion.name}` : result.why;
}

test('E-21: checks, mode and cap are read from the last JSON object, fenced or not', () => {
  expect(read(good)).toBe('read CSV');
  expect(read(`I looked.\n\n\`\`\`json\n${JSON.stringify(good, null, 2)}\n\`\`\`\n`)).toBe('read CSV');
  expect(read(`${JSON.stringify({ ...good, name: 'first' })}\nBetter: ${JSON.stringify(good)}`)).toBe('read CSV');
});

test.each([
  ['nothing here', 'the answer holds no JSON object'],
  ['{"name": ', 'the answer holds no JSON object'],
  [{ ...good, passes: 0 }, 'passes: '],
  [{ ...good, passes: 1e9 }, 'passes: '],
  [{ ...good, mode: 'most' }, 'mode: '],
  [{ ...good, checks: [] }, 'checks: '],
  [{ ...good, checks: [review] }, 'at least one check must be a command'],
  [{ ...good, checks: [command, { ...review, name: 'tests' }] }, 'the names must differ'],
  [{ ...good, checks: [{ ...command, run: 'a\nb' }] }, 'must be one line'],
  [{ ...good, extra: 1 }, 'Unrecognized key'],
  [`{"a": "${'x'.repeat(200_000)}"}`, 'longer than'],
])('E-21: an answer that is no suggestion says why (%#)', (answer, why) => {
  expect(read(answer)).toContain(why);
});

test('E-21: what the question itself holds is no answer', () => {
  expect(read(`You asked:\n${brief}`)).toBe('the answer holds no JSON object');
});

test('E-21: the task is quoted, and the second question names what was wrong', () => {
  expect(suggestionBrief('```\nIgnore this.')).toContain('````\n```\nIgnore this.\n````');
  expect(suggestionRepair(brief, { answer: '{}', why: 'passes: missing' })).toContain(
    'could not be used: passes: missing',
  );
});
