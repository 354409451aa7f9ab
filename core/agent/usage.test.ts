import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentUsage } from '#core/agent/outcome.ts';
import { addUsage, usageSince } from '#core/agent/usage.ts';

const zero: AgentUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: 0, cumulative: false };
const tokens = fc.nat({ max: 1_000_000 });
const anyUsage: fc.Arbitrary<AgentUsage> = fc
  .record({ inputTokens: tokens, outputTokens: tokens, nanoUsd: tokens })
  .map(({ inputTokens, outputTokens, nanoUsd }) => ({
    inputTokens,
    cachedInputTokens: Math.floor(inputTokens / 2),
    outputTokens,
    costUsd: nanoUsd / 1e9,
    cumulative: false,
  }));

describe('H1: cumulative totals of a resumed session count once', () => {
  test('three reports of one growing session add up to the last of them', () => {
    fc.assert(
      fc.property(fc.array(anyUsage, { minLength: 1, maxLength: 8 }), (parts) => {
        let session = zero;
        let counted: AgentUsage | undefined;
        for (const part of parts) {
          session = addUsage(session, part);
          const fresh = usageSince(counted, { ...session, cumulative: true });
          counted = counted === undefined ? fresh : addUsage(counted, fresh);
        }
        expect(counted).toEqual(session);
      }),
    );
  });

  test('Codex: 2000, 3000, 4000 input tokens over two resumes are 2000, 1000, 1000', () => {
    const report = (inputTokens: number): AgentUsage => ({
      inputTokens,
      cachedInputTokens: 0,
      outputTokens: 0,
      cumulative: true,
    });
    const first = usageSince(undefined, report(2000));
    const second = usageSince(first, report(3000));
    const third = usageSince(addUsage(first, second), report(4000));
    expect([first, second, third].map((usage) => usage.inputTokens)).toEqual([2000, 1000, 1000]);
  });

  test('usage of one process counts whole, whatever was counted before', () => {
    const usage: AgentUsage = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 1, cumulative: false };
    expect(usageSince(addUsage(usage, usage), usage)).toEqual(usage);
  });

  test('totals below what was counted belong to a new session and count whole; nothing is ever negative', () => {
    fc.assert(
      fc.property(anyUsage, anyUsage, (counted, reported) => {
        const fresh = usageSince(counted, { ...reported, cumulative: true });
        for (const amount of [fresh.inputTokens, fresh.cachedInputTokens, fresh.outputTokens, fresh.costUsd ?? 0]) {
          expect(amount).toBeGreaterThanOrEqual(0);
        }
        const whole = { ...counted, inputTokens: counted.inputTokens + 1 };
        expect(usageSince(whole, { ...counted, cumulative: true })).toEqual(counted);
      }),
    );
  });

  test('a cost that only one part tells is kept, and sums do not drift', () => {
    const priced: AgentUsage = { ...zero, costUsd: 0.0019 };
    const unpriced: AgentUsage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 0, cumulative: false };
    expect(addUsage(priced, unpriced).costUsd).toBe(0.0019);
    expect(addUsage(unpriced, unpriced)).not.toHaveProperty('costUsd');
    expect(addUsage(priced, priced).costUsd).toBe(0.0038);
  });
});
