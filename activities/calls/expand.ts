import type { ExpandInput } from '#core/contract/activities.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import { Fault } from '#core/contract/fault.ts';
import { itemsOf, listLimits } from '#core/run/list-items.ts';
import { normaliseText } from '#core/text/normalise.ts';
import { renderedText } from '#activities/attempt/render.ts';
import type { CallDeps } from '#activities/calls/call-deps.ts';
import type { ArtifactStore } from '#infra/artifacts/artifact-store.ts';

/** A list with its quotes and line ends; what is longer has too much in it anyway. */
const mostBytes = 4 * listLimits.characters;

/** The items of a call's list, one child run each. Faults: `call/bad-list`, `template/unresolved`, `store/*`. */
export async function expand(deps: Pick<CallDeps, 'artifacts'>, input: ExpandInput): Promise<string[]> {
  const found = itemsOf(await renderedText(deps, input.list, input.scope, wholeOutput), input.split);
  if (found.kind === 'items') return found.items;
  throw badList(`The list of step ${input.step} cannot be used: ${found.reason}.`);
}

/** Of a list the end alone, as prompts get it, would be another list. */
async function wholeOutput(artifacts: ArtifactStore, { sha256, bytes }: ArtifactRef): Promise<string> {
  if (bytes > mostBytes) throw badList(`The output with the list has ${bytes} bytes; ${mostBytes} at most.`);
  return normaliseText(await artifacts.readText(sha256));
}

function badList(message: string): Fault {
  return new Fault('call/bad-list', `${message} Give a JSON array, or one item a line.`);
}
