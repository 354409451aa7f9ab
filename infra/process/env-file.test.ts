import { expect, test } from 'vitest';
import { isHollow, readEnvFile } from '#infra/process/env-file.ts';

const most = 256 * 1024;
const filledWith = (part: string): string => part.repeat(Math.floor(most / part.length));

test('D-14: no file of variables holds the host up: what dotenv reads slowly is not read', () => {
  for (const part of ['\n', ' \n', '\r\n', `${'\n'.repeat(100)}x`]) expect(isHollow(filledWith(part))).toBe(true);
  const hostile = [`${'\n'.repeat(99)}x`, `${'\n'.repeat(99)}=`, "A='", 'A="\n', "A='\\'", 'A=\'"`\n', 'export '];
  for (const text of hostile.map(filledWith)) {
    expect(isHollow(text)).toBe(false);
    const begun = performance.now();
    readEnvFile(text);
    expect(performance.now() - begun).toBeLessThan(5000);
  }
});

test('a few empty lines are none of that', () => {
  expect(isHollow(`A=1\n${'\n'.repeat(20)}B=2\n`)).toBe(false);
});
