import type { LoopDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import { afterFailure, withPlaceholders } from '#dialects/conditions/placeholders.ts';
import { conditionOf, scriptShape } from '#dialects/conditions/script.ts';
import type { At } from '#dialects/native/at.ts';
import { hasKey } from '#dialects/native/parts.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Field, ShapeOf } from '#dialects/source/reading.ts';
import { below, mapping } from '#dialects/source/reading.ts';
import { flag, integer, text, word } from '#dialects/source/scalars.ts';

const actions = { continue: 'continue', retry: 'again', stopWorkflow: 'stop' } as const;
const action = word(['continue', 'retry', 'stopWorkflow']);

const shape = {
  ...scriptShape,
  maxRetries: integer(-1),
  retryPrompt: text,
  passRetryPrompt: text,
  resumeSessionOnRetry: flag,
  onPass: action,
  onFail: action,
} as const;

type EndRead = ShapeOf<typeof shape>;
const endMapping = mapping(shape);

/** Where the seed is silent (docs/guide/coming-from-conditions.md). */
const retries = 3;

interface Actions {
  onPass: keyof typeof actions;
  onFail: keyof typeof actions;
}

/** What the step around it adds. */
interface Asked {
  prompt: string;
  settings: { retryPrompt?: string; passRetryPrompt?: string };
}

interface EndCondition {
  session: 'fresh' | 'resume';
  /** The loop of its step; undefined when the condition could not be read. */
  loopOf: (asked: Asked) => LoopDefinition | undefined;
}

/** C-02: asked after each pass of the prompt. `onPass` is `continue` by default, `onFail` is `retry` (C-04). */
export const endCondition: Field<EndCondition> = (node, path, reading) => {
  const read = endMapping(node, path, reading);
  if (read === undefined) return undefined;
  const condition = conditionOf(read, node, { path, reading });
  const { onPass = 'continue', onFail = 'retry', maxRetries = retries, resumeSessionOnRetry = true } = read;
  warnWithoutEffect(node, { onPass, onFail }, { path, reading });
  return {
    session: resumeSessionOnRetry ? 'resume' : 'fresh',
    loopOf: (asked) =>
      condition === undefined
        ? undefined
        : {
            // A prompt that crashed failed by itself: there is nothing to compare.
            on: 'pass',
            limit: maxRetries === -1 ? null : maxRetries,
            repeat: { mode: 'until', condition, onError: 'unmet', met: actions[onPass], unmet: actions[onFail] },
            onExhausted: 'fail',
            onExhaustedMet: 'succeed',
            ...present({ prompts: promptsOf(read, { onPass, onFail }, asked) }),
          },
  };
};

/** C-05, C-06. After a pass, when nothing is written for it, the step's own prompt is asked. */
function promptsOf(
  read: EndRead,
  { onPass, onFail }: Actions,
  { prompt, settings }: Asked,
): LoopDefinition['prompts'] | undefined {
  const afterFail = read.retryPrompt ?? settings.retryPrompt;
  const afterPass = read.passRetryPrompt ?? settings.passRetryPrompt;
  const written = present({
    fail: afterFail === undefined ? afterFailure(prompt) : withPlaceholders(afterFail),
    pass: afterPass === undefined ? undefined : withPlaceholders(afterPass),
  });
  const prompts = present({
    fail: onFail === 'retry' ? written.fail : undefined,
    pass: onPass === 'retry' ? written.pass : undefined,
  });
  return Object.keys(prompts).length === 0 ? undefined : prompts;
}

function warnWithoutEffect(node: SourceNode, { onPass, onFail }: Actions, { path, reading }: At): void {
  const isRetried = onPass === 'retry' || onFail === 'retry';
  const needs: [string, boolean, string][] = [
    ['retryPrompt', onFail === 'retry', '`onFail: retry`'],
    ['passRetryPrompt', onPass === 'retry', '`onPass: retry`'],
    ['maxRetries', isRetried, '`onPass: retry` or `onFail: retry`'],
    ['resumeSessionOnRetry', isRetried, '`onPass: retry` or `onFail: retry`'],
  ];
  for (const [key, holds, remedy] of needs) {
    if (holds || !hasKey(node, key)) continue;
    const message = `\`${key}\` changes nothing, because nothing is retried there; remove it, or write ${remedy}`;
    reading.warn(below(path, key), 'dialect/no-effect', message);
  }
}
