import type { Verdict } from '#core/check/verdict.ts';
import { unreachable } from '#core/exhaustive.ts';
import { type WorkKey, workKeyText } from '#core/contract/work-key.ts';
import { type Backlog, type Backlogged, isAway, type Store } from '#infra/backlog/backlog.ts';
import type { AttemptStore, StoredAttempt } from '#infra/postgres/attempt-store.ts';
import type { RoundKey, VerdictStore } from '#infra/postgres/verdict-store.ts';

/** Puts what waits where it was meant to go. */
export function storeInto({ attempts, verdicts }: { attempts: AttemptStore; verdicts: VerdictStore }): Store {
  return async (entry) => {
    switch (entry.kind) {
      case 'ran':
        return attempts.putRan(entry.key, entry.hostId, entry.ran);
      case 'result':
        return attempts.putResult(entry.key, entry.hostId, entry.result);
      case 'verdict':
        return void (await verdicts.put(entry.round, entry.check, entry.verdict));
      default:
        return unreachable(entry);
    }
  };
}

/** Attempts whose stages wait for no database (decision 50): while it is away they are kept in the backlog. */
export function backloggedAttempts(attempts: AttemptStore, backlog: Backlog): AttemptStore {
  return {
    ...attempts,
    putRan: (key, hostId, ran) =>
      storeOrKeep(backlog, { kind: 'ran', key, hostId, ran }, () => attempts.putRan(key, hostId, ran)),
    putResult: (key, hostId, result) =>
      storeOrKeep(backlog, { kind: 'result', key, hostId, result }, () => attempts.putResult(key, hostId, result)),
    find: async (key) => keptAttempt(backlog, key) ?? attempts.find(key),
  };
}

/** Verdicts that wait for no database, as attempts do not. */
export function backloggedVerdicts(verdicts: VerdictStore, backlog: Backlog): VerdictStore {
  return {
    async put(round, check, verdict) {
      let first = keptVerdicts(backlog, round).get(check) ?? verdict;
      await storeOrKeep(backlog, { kind: 'verdict', round, check, verdict: first }, async () => {
        first = await verdicts.put(round, check, verdict);
      });
      return first;
    },
    async ofRound(round) {
      return new Map([...(await verdicts.ofRound(round)), ...keptVerdicts(backlog, round)]);
    },
    async ofCheck(step, check) {
      const kept = backlog.waiting().flatMap((entry) => (entry.kind === 'verdict' ? [entry] : []));
      const mine = kept.filter(({ round, check: name }) => {
        return round.runId === step.runId && round.step === step.step && name === check;
      });
      const told = await verdicts.ofCheck(step, check);
      return [...told, ...mine.map(({ round: { pass }, verdict }) => ({ pass, verdict }))];
    },
  };
}

/** While something waits, all else waits behind it: what came first is stored first, and no write waits for a time-out. */
async function storeOrKeep(backlog: Backlog, entry: Backlogged, store: () => Promise<void>): Promise<void> {
  if (backlog.waiting().length > 0) return backlog.add(entry);
  try {
    await store();
  } catch (error) {
    if (!isAway(error)) throw error;
    backlog.add(entry);
  }
}

function keptAttempt(backlog: Backlog, key: WorkKey): StoredAttempt | undefined {
  const isMeant = (entry: Backlogged) => entry.kind !== 'verdict' && workKeyText(entry.key) === workKeyText(key);
  const found = backlog.waiting().findLast(isMeant);
  if (found?.kind === 'result') {
    const { hostId, result } = found;
    return { stage: 'finished', hostId, ran: null, result, spend: result.spend };
  }
  if (found?.kind === 'ran') return { stage: 'ran', hostId: found.hostId, ran: found.ran, result: null, spend: null };
  return undefined;
}

/** By check; the first one that fell in a round stays. */
function keptVerdicts(backlog: Backlog, { runId, step, pass, round }: RoundKey): ReadonlyMap<string, Verdict> {
  const kept = new Map<string, Verdict>();
  for (const entry of backlog.waiting()) {
    if (entry.kind !== 'verdict' || kept.has(entry.check)) continue;
    const key = entry.round;
    const isSame = key.runId === runId && key.step === step && key.pass === pass && key.round === round;
    if (isSame) kept.set(entry.check, entry.verdict);
  }
  return kept;
}
