import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

import { figuresOf, precisionOf, recallOf, samplesOf, scoreOf } from './corpus.ts';

const fine = samplesOf('fine');
const notFine = samplesOf('not-fine');
const score = scoreOf([...fine, ...notFine]);

test('E-20: the doctor finds what is to be found in its corpus, and little else', () => {
  expect(fine.length).toBeGreaterThanOrEqual(40);
  expect(notFine.length).toBeGreaterThanOrEqual(40);
  expect(fine.filter(({ expected }) => expected.length > 0)).toEqual([]);
  expect({ missed: score.missed, wrong: score.wrong }).toEqual({ missed: [], wrong: [] });
  expect(recallOf(score)).toBeGreaterThanOrEqual(0.95);
  expect(precisionOf(score)).toBeGreaterThanOrEqual(0.95);
});

test('the figures of the guide are those of the corpus', () => {
  const page = readFileSync(new URL('../../docs/guide/doctor.md', import.meta.url), 'utf8');
  const shown = page.split('<!-- figures -->')[1]?.split('<!-- /figures -->')[0]?.trim();
  expect(shown).toBe(figuresOf({ fine: fine.length, notFine: notFine.length, score }));
});
