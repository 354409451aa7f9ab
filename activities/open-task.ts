import type { OpenTaskInput, TaskOpened } from '#core/contract/activities.ts';
import { excerpt } from '#core/text/excerpt.ts';
import { normaliseText } from '#core/text/normalise.ts';
import type { Secret } from '#core/text/secret-forms.ts';
import { renderedText } from '#activities/attempt/render.ts';
import { freeze } from '#activities/freeze-shown.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import { hiddenSecrets } from '#activities/secrets.ts';
import { asTask } from '#activities/task.ts';
import { putText } from '#activities/texts.ts';

/** How much of a question crosses a boundary (decision 5), in bytes. */
const inlineBytes = 8 * 1024;

/**
 * Renders a question and freezes what is shown beside it (D1): whatever happens to the workspace later, whoever decides sees
 * this. What is not there is shown as a note. Safe to run twice.
 */
export function openTask(deps: HostDeps, input: OpenTaskInput): Promise<TaskOpened> {
  return asTask(deps, `${input.runId}/${input.step}#${input.pass}.task`, async (task) => {
    // It is written to terminals, and outputs of programs may stand in it (A9).
    const text = normaliseText(await renderedText(deps, input.person.ask, input.scope));
    const where = { ...input, hidden: await hiddenIn(deps, input, task.signal) };
    const shown = await Promise.all(input.person.show.map((wanted) => freeze(deps, where, wanted)));
    return { ask: await askOf(deps, text), shown };
  });
}

/** What steps gave is stored without secrets already; a file of the workspace is not. */
async function hiddenIn(
  { environment, secrets }: HostDeps,
  { person, runId }: OpenTaskInput,
  signal: AbortSignal,
): Promise<readonly Secret[]> {
  if (person.show.every(({ kind }) => kind === 'output')) return [];
  return hiddenSecrets(environment, await persist(() => secrets.known(runId), signal));
}

async function askOf(deps: HostDeps, text: string): Promise<TaskOpened['ask']> {
  if (Buffer.byteLength(text) <= inlineBytes) return { text };
  // A character takes up to three bytes.
  const short = excerpt(text, inlineBytes);
  const fits = Buffer.byteLength(short) <= inlineBytes;
  return {
    text: fits ? short : excerpt(text, Math.floor(inlineBytes / 3)),
    whole: await putText(deps.artifacts, text, []),
  };
}
