import type { Definition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { isNull, valueAt } from '#dialects/source/node.ts';
import type { Field, Reading } from '#dialects/source/reading.ts';
import { below, mapping, notYet, optional } from '#dialects/source/reading.ts';
import { text, word } from '#dialects/source/scalars.ts';
import { literally } from '#dialects/source/template-text.ts';

const deliveryMapping = mapping({
  mode: optional(word(['none', 'commit', 'pr'])),
  commitMessage: optional(text),
  title: optional(text),
  branchPrefix: optional(text),
  remote: optional(text),
  base: optional(text),
});

/** What only a pull request takes. */
const ofPullRequest = ['title', 'branchPrefix', 'remote', 'base'];

/** `{mode, …}`; without one nothing is delivered (T-13). */
export const delivery: Field<NonNullable<Definition['deliver']>> = (node, path, reading) => {
  const read = deliveryMapping(node, path, reading);
  if (read === undefined) return undefined;
  const { mode = 'none' } = read;
  switch (mode) {
    case 'none':
      warnUnused(node, { path, reading }, ['commitMessage', ...ofPullRequest]);
      return { mode };
    case 'commit':
      warnUnused(node, { path, reading }, ofPullRequest);
      return { mode, ...messageOf(read.commitMessage) };
    case 'pr': {
      refuse(node, { path, reading });
      const branch = `${literally(read.branchPrefix ?? 'loops')}/{{run.id}}`;
      return { mode, branch, ...present({ title: read.title === undefined ? undefined : literally(read.title) }) };
    }
  }
};

/** The first line of a commit's message, and the rest below it. */
function messageOf(message: string | undefined): { title?: string; body?: string } {
  if (message === undefined) return {};
  const [title = '', ...rest] = message.trim().split('\n');
  const body = rest.join('\n').trim();
  return { title: literally(title), ...(body === '' ? {} : { body: literally(body) }) };
}

function warnUnused(node: SourceNode, at: { path: string; reading: Reading }, keys: readonly string[]): void {
  for (const key of keys) {
    const written = valueAt(node, key);
    if (written === undefined || isNull(written)) continue;
    const message = `\`${key}\` has no effect with this \`mode\`; remove it`;
    at.reading.warn(below(at.path, key), 'dialect/no-effect', message);
  }
}

const later = {
  commitMessage: notYet('the commit has the title of the pull request as its message'),
  remote: notYet('name the remote `origin`'),
  base: notYet('the pull request is opened against the default branch of the repository'),
};

/** What the delivery of a pull request cannot be told yet. */
function refuse(node: SourceNode, { path, reading }: { path: string; reading: Reading }): void {
  for (const [key, field] of Object.entries(later)) {
    const written = valueAt(node, key);
    if (written === undefined || isNull(written)) continue;
    if (key === 'remote' && written.kind === 'scalar' && written.text === 'origin') continue;
    field(written, below(path, key), reading);
  }
}
