import { describe, expect, test } from 'vitest';
import { agentPlacesOf, commandHomeOf, folderName, readerOf } from '#activities/workspace/places.ts';

describe('decision 14: places', () => {
  test('a reader step and a check of another step never share a checkout', () => {
    const step = readerOf('/data', { runId: 'run', step: 'a-b' });
    const check = readerOf('/data', { runId: 'run', step: 'a', check: 'b' });
    const other = readerOf('/data', { runId: 'run', step: 'a', check: 'step' });
    expect(new Set([step, check, other, readerOf('/data', { runId: 'run', step: 'a' })]).size).toBe(4);
    for (const path of [step, check, other]) expect(step === path || !path.startsWith(`${step}/`)).toBe(true);
  });

  test('names that differ only in their special characters have folders of their own, and none leaves its place', () => {
    expect(new Set(['a b', 'a/b', 'a:b', 'a-b'].map(folderName)).size).toBe(4);
    for (const name of ['..', '.', '', '../x', 'x'.repeat(300)]) expect(folderName(name)).toMatch(/^\w[\w.-]{0,79}$/);
  });

  test('the HOME of an agent is no one else’s, and holds nothing that the host writes for itself', () => {
    const [one, two] = [agentPlacesOf('/data', 'run', 'one'), agentPlacesOf('/data', 'run', 'two')];
    const places = [one.home, one.feedback, one.memory, two.home, commandHomeOf('/data', 'run')];
    for (const place of places) {
      expect(places.filter((other) => other === place || other.startsWith(`${place}/`))).toEqual([place]);
    }
  });
});
