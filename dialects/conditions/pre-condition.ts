import type { StepDefinition } from '#core/definition/definition.ts';
import { conditionOf, scriptShape } from '#dialects/conditions/script.ts';
import type { Field, Reading } from '#dialects/source/reading.ts';
import { mapping } from '#dialects/source/reading.ts';
import { word } from '#dialects/source/scalars.ts';

const action = word(['continue', 'skip', 'stopWorkflow']);
type Action = 'continue' | 'skip' | 'stopWorkflow';

const preMapping = mapping({ ...scriptShape, onPass: action, onFail: action });

/** `when` is absent for a condition that decides nothing. */
interface PreCondition {
  when?: NonNullable<StepDefinition['when']>;
}

/** C-11: asked before the prompt. `onPass` is `continue` by default, `onFail` is `skip`. */
export const preCondition: Field<PreCondition> = (node, path, reading) => {
  const read = preMapping(node, path, reading);
  if (read === undefined) return undefined;
  const { onPass = 'continue', onFail = 'skip' } = read;
  const condition = conditionOf(read, node, { path, reading });
  if (condition === undefined || !decides(onPass, onFail, { path, reading })) return {};
  // Either leads on and the other does not: the condition is asked so that "met" leads on.
  const isTurned = onPass !== 'continue';
  const otherwise = isTurned ? onPass : onFail;
  return {
    when: {
      condition: isTurned ? { ...condition, negate: true } : condition,
      onUnmet: otherwise === 'skip' ? 'skip' : 'stop',
      // C-13: what could not be judged is neither met nor unmet; nothing is prompted on a guess.
      onError: 'fail',
    },
  };
};

function decides(onPass: Action, onFail: Action, { path, reading }: { path: string; reading: Reading }): boolean {
  if (onPass === 'continue' && onFail === 'continue') {
    const message = 'whatever `preCondition` finds, the prompt is asked, so the script is not run; remove it';
    reading.warn(path, 'dialect/no-effect', message);
    return false;
  }
  if (onPass === 'continue' || onFail === 'continue') return true;
  const message =
    'whatever `preCondition` finds, the prompt is never asked; let one of `onPass` and `onFail` be `continue`';
  reading.report(path, 'definition/conflict', message);
  return false;
}
