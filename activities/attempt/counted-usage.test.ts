import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { countedUsage, rememberUsage } from '#activities/attempt/counted-usage.ts';

let memory = '';
beforeEach(() => {
  memory = mkdtempSync(join(tmpdir(), 'setpoint-counted-'));
});
afterEach(() => rmSync(memory, { recursive: true, force: true }));

const usage = { inputTokens: 10, cachedInputTokens: 2, outputTokens: 3, cumulative: true };

test('H1: the totals of a session are found again, those of another are not', async () => {
  await rememberUsage(memory, 'one', usage);
  expect(await countedUsage(memory, 'one')).toEqual(usage);
  expect(await countedUsage(memory, 'two')).toBeUndefined();
  expect(await countedUsage(memory, undefined)).toBeUndefined();
});

test.each(['', '{"inputTokens": 1', '{"inputTokens":"many"}', 'null'])(
  'H1: garbage (%j) counts as absent',
  async (text) => {
    await rememberUsage(memory, 'one', usage);
    for (const name of readdirSync(memory)) writeFileSync(join(memory, name), text);
    expect(await countedUsage(memory, 'one')).toBeUndefined();
  },
);
