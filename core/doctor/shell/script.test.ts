import { expect, test } from 'vitest';

import { readShell } from '#core/doctor/shell/script.ts';

test('no command holds up whoever examines it, and none makes the reader throw', { timeout: 10_000 }, () => {
  for (const part of ['<<A ', '$(', '( ', '`', '{ ', '"', "'", '\\', '| ', '&& ', 'if ', '$((', '${a:-', '<(']) {
    for (const length of [16_000, 1_000_000]) readShell(part.repeat(Math.floor(length / part.length)));
  }
  expect(readShell(`echo ${'a'.repeat(16_000)}`)).toBeDefined();
  expect(readShell(`echo ${'a'.repeat(17_000)}`)).toBeUndefined();
});
