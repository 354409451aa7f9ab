import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createOccupancy } from '#activities/occupancy.ts';

test('F7: the next task of a step begins when the one before it has been told to end and has ended', async () => {
  const occupancy = createOccupancy();
  const story: string[] = [];
  const first = await occupancy.take('run/step');
  const told = once(first.superseded, 'abort').then(() => {
    story.push('told');
    first.leave();
  });
  const second = await occupancy.take('run/step');
  story.push('next');
  await told;
  expect(story).toEqual(['told', 'next']);
  expect(second.superseded.aborted).toBe(false);
});

test('F7: three that come at once follow each other in order', async () => {
  const occupancy = createOccupancy();
  const story: number[] = [];
  const work = async (number: number) => {
    const place = await occupancy.take('run/step');
    story.push(number);
    if (!place.superseded.aborted && number < 3) await once(place.superseded, 'abort');
    place.leave();
  };
  await Promise.all([work(1), work(2), work(3)]);
  expect(story).toEqual([1, 2, 3]);
});

test('steps of their own disturb nobody, and a place that was left is free', async () => {
  const occupancy = createOccupancy();
  const one = await occupancy.take('run/one');
  const other = await occupancy.take('run/other');
  expect(one.superseded.aborted).toBe(false);
  other.leave();
  const again = await occupancy.take('run/other');
  expect([again.superseded.aborted, other.superseded.aborted]).toEqual([false, false]);
});

test('T-29: a run is held once its work has ended, and what comes meanwhile waits', async () => {
  const occupancy = createOccupancy();
  const story: string[] = [];
  const attempt = await occupancy.take('run/step');
  const other = await occupancy.take('other/step');
  await occupancy.take('run/@cleanup');
  const holding = occupancy.holdRun('run/@cleanup').then((release) => {
    story.push('held');
    return release;
  });
  const next = occupancy.take('run/step').then(() => story.push('next'));
  await occupancy.take('other/more');
  expect([attempt.superseded.aborted, other.superseded.aborted]).toEqual([false, false]);
  story.push('ended');
  attempt.leave();
  const release = await holding;
  story.push('released');
  release();
  await next;
  expect(story).toEqual(['ended', 'held', 'released', 'next']);
});
