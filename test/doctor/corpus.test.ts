import { expect, test } from 'vitest';

import { precisionOf, recallOf, samplesOf, scoreOf } from './corpus.ts';

const fine = samplesOf('fine');
const notFine = samplesOf('not-fine');

test('E-20: the doctor finds what is to be found in its corpus, and little else', () => {
  expect(fine.length).toBeGreaterThanOrEqual(40);
  expect(notFine.length).toBeGreaterThanOrEqual(40);
  expect(fine.filter(({ expected }) => expected.length > 0)).toEqual([]);
  const score = scoreOf([...fine, ...notFine]);
  expect({ missed: score.missed, wrong: score.wrong }).toEqual({ missed: [], wrong: [] });
  expect(recallOf(score)).toBeGreaterThanOrEqual(0.95);
  expect(precisionOf(score)).toBeGreaterThanOrEqual(0.95);
});
