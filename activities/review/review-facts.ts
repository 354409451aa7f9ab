import { resolve } from 'node:path';
import type { EarlierReview, ReviewedChange, ReviewFacts } from '#core/check/review-brief.ts';
import type { ReviewInput } from '#core/contract/activities.ts';
import { excerpt } from '#core/text/excerpt.ts';
import { normaliseText } from '#core/text/normalise.ts';
import { head } from '#core/text/tail.ts';
import { renderedText } from '#activities/attempt/render.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import { readTail } from '#activities/texts.ts';
import { changedPaths, diff } from '#infra/git/diff.ts';

/** How much of each part a brief holds: the reviewer can read the rest in its checkout. */
const most = { characters: 24_000, paths: 200, earlier: 3 };

/** What a reviewer is told, with every text rendered and cut (B5). Faults: `template/*`, `workspace/*`, `store/*`. */
export async function factsOf(deps: HostDeps, input: ReviewInput, signal: AbortSignal): Promise<ReviewFacts> {
  const { criterion } = input.check;
  const change = await changeOf(input);
  return {
    criterion: excerpt(normaliseText(await renderedText(deps, criterion, input.scope)), most.characters),
    goal: excerpt(normaliseText(await renderedText(deps, input.goal, input.scope)), most.characters),
    ...(change === undefined ? {} : { change }),
    checked: input.checked,
    earlier: await earlierOf(deps, input, signal),
  };
}

async function changeOf({ workspace, snapshot }: ReviewInput): Promise<ReviewedChange | undefined> {
  if (workspace.base === undefined || snapshot === undefined) return undefined;
  const [base, { commit }] = [workspace.base.commit, snapshot];
  const comparison = { repo: resolve(workspace.plan.repo), base, commit };
  const changed = await changedPaths(comparison);
  const { text, truncated } = await diff({ ...comparison, maxBytes: most.characters * 4 });
  const whole = normaliseText(text);
  const shown = head(whole, most.characters);
  const cut = truncated || shown.length < whole.length ? '\n[… cut here …]' : '';
  return {
    base,
    commit,
    paths: changed.slice(0, most.paths).map(({ path, change }) => `${change} ${normaliseText(path)}`),
    count: changed.length,
    diff: `${shown.trimEnd()}${cut}`,
  };
}

/** Its own verdicts on the last passes; a review that could not run said nothing of the work. */
async function earlierOf(
  deps: HostDeps,
  { runId, step, pass, check }: ReviewInput,
  signal: AbortSignal,
): Promise<EarlierReview[]> {
  const given = await persist(() => deps.verdicts.ofCheck({ runId, step }, check.name), signal);
  const before = given.filter((one) => one.pass < pass && one.verdict.kind !== 'error').slice(-most.earlier);
  return Promise.all(
    before.map(async ({ pass: of, verdict: { kind, evidence } }) => ({
      pass: of,
      kind,
      summary: evidence.summary,
      findings: evidence.feedback === undefined ? '' : await readTail(deps.artifacts, evidence.feedback),
    })),
  );
}
