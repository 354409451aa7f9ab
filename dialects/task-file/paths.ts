import type { SourceNode } from '#dialects/source/node.ts';
import { valueAt } from '#dialects/source/node.ts';

/** The original's words for what the long form says. */
const words: readonly (readonly [string, string])[] = [
  ['steps.work.prompt', 'goal'],
  ['steps.work.time', 'limits.timeoutSeconds'],
  ['steps.work.loop', 'limits.maxIterations'],
  ['limits.passes', 'limits.maxIterations'],
  ['limits.noProgress', 'limits.maxNoProgress'],
  ['limits.feedback', 'limits.maxOutputChars'],
  ['workspace.base', 'worktree.base'],
  ['workspace.worktree', 'worktree.enabled'],
  ['workspace', 'worktree'],
  ['deliver.title', 'delivery.commitMessage'],
  ['deliver.body', 'delivery.commitMessage'],
  ['deliver.branch', 'delivery.branchPrefix'],
  ['deliver', 'delivery.mode'],
];

const gateWords: Readonly<Record<string, string>> = {
  run: 'command',
  'review.criterion': 'prompt',
  'review.agent': 'provider',
  name: 'name',
};

/** Where the document says what the long form says at a path. */
export function inDocument(root: SourceNode): (path: string) => string {
  return (path) => {
    const [, index, key = ''] = /^steps\.work\.checks\.(\d+)(?:\.(.+))?$/.exec(path) ?? [];
    if (index !== undefined) {
      const word = Object.hasOwn(gateWords, key) ? gateWords[key] : undefined;
      return word === undefined ? `verification.${index}` : `verification.${index}.${word}`;
    }
    if (path.startsWith('steps.work.agent')) return valueAt(root, 'agent') === undefined ? 'codex' : 'agent';
    const word = words.find(([own]) => path === own || path.startsWith(`${own}.`));
    return word?.[1] ?? (path.startsWith('steps') ? '' : path);
  };
}
