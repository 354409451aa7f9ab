import type { Collected, CollectInput } from '#core/contract/activities.ts';
import type { CallDeps } from '#activities/calls/call-deps.ts';
import { putText, readTail } from '#activities/texts.ts';

type Child = CollectInput['children'][number];

/** Of so many children that did not succeed the next pass hears how each ended, and of the first ones what they said. */
const told = { children: 50, outputs: 5, characters: 2_000 };

/** What the children of a call gave, and what those that did not succeed tell the next pass. Faults: `store/*`. */
export async function collect(deps: CallDeps, input: CollectInput): Promise<Collected> {
  const { children, list } = input;
  const [only] = children;
  const output = list || only === undefined ? await allOf(deps, children) : await outputOf(deps, only);
  const failed = children.filter(({ stop }) => stop !== 'succeeded');
  if (failed.length === 0) return { output };
  return { output, feedback: await putText(deps.artifacts, await feedbackOf(deps, failed), []) };
}

async function outputOf(deps: CallDeps, child: Child): Promise<Collected['output']> {
  return child.output ?? putText(deps.artifacts, `${endOf(child)}\n`, []);
}

async function allOf(deps: CallDeps, children: readonly Child[]): Promise<Collected['output']> {
  const all: object[] = [];
  // One after the other: a thousand outputs at once would all be in memory twice.
  for (const { item, runId, stop, output } of children) {
    const text = output === undefined ? '' : await readTail(deps.artifacts, output);
    all.push({ item, runId, stop, output: text });
  }
  return putText(deps.artifacts, `${JSON.stringify(all, undefined, 2)}\n`, []);
}

async function feedbackOf(deps: CallDeps, failed: readonly Child[]): Promise<string> {
  const parts: string[] = [];
  for (const [index, child] of failed.slice(0, told.children).entries()) {
    const row = await deps.messaging.runs.find(child.runId);
    const reason = row?.summary.stop?.reason;
    parts.push(reason === undefined ? endOf(child) : `${endOf(child)} ${reason}`);
    const said = index < told.outputs && child.output !== undefined ? await readTail(deps.artifacts, child.output) : '';
    if (said.trim() !== '') parts.push(`It said:\n${said.trim().slice(-told.characters)}\n`);
  }
  if (failed.length > told.children) parts.push(`${failed.length - told.children} more did not succeed.`);
  return `${parts.join('\n')}\n`;
}

function endOf({ item, runId, stop }: Child): string {
  const made = item === '' ? '' : ` for ${item.slice(0, 200)}`;
  return `The child run ${runId}${made} ended: ${stop}.`;
}
