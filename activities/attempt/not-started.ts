import type { Ran } from '#activities/attempt/ran.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { digestOf, putText } from '#activities/texts.ts';

/** An attempt whose process found no place to start in: it failed, and what is wrong reaches the next pass. */
export async function notStarted({ artifacts }: Pick<HostDeps, 'artifacts'>, reason: string): Promise<Ran> {
  const said = await putText(artifacts, `${reason}\n`, []);
  return {
    end: { kind: 'failed', reason },
    output: said,
    feedback: said,
    digest: digestOf(reason),
    spend: { usd: 0, estimated: false, inputTokens: 0, outputTokens: 0 },
    findings: [],
    durationMs: 0,
  };
}
