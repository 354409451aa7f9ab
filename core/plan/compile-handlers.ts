import type { HandlersDefinition } from '#core/definition/definition.ts';
import { errorAt } from '#core/issue/issue.ts';
import { compileStep } from '#core/plan/compile-step.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import type { Handlers } from '#core/plan/plan.ts';

/** The ids under which handlers run: no step of a definition may have one of them. */
export const handlerIds = {
  success: 'on-success',
  failure: 'on-failure',
  cancel: 'on-cancel',
  exit: 'on-exit',
} as const satisfies Record<keyof Handlers, string>;

/** What runs once the end of the run is known (D-14): steps by themselves, which nothing waits for. */
export function compileHandlers(compiling: Compiling, handlers: HandlersDefinition): Handlers {
  const compiled: Handlers = {};
  for (const key of ['success', 'failure', 'cancel', 'exit'] as const) {
    const written = handlers[key];
    if (written === undefined) continue;
    const id = handlerIds[key];
    if (compiling.indexes.has(id)) {
      const message = `\`${id}\` is the id of the handler \`${key}\`; rename the step`;
      compiling.issues.push(errorAt(`steps.${id}`, 'step/duplicate-id', message));
    }
    if (written.after.length > 0 || written.loop !== undefined) {
      const message = 'a handler runs once, when the run has ended: it has neither `after` nor `loop`; remove them';
      compiling.issues.push(errorAt(`steps.${id}`, 'definition/conflict', message));
    }
    if (written.work.kind === 'person' || written.work.kind === 'call') {
      const message = 'a handler is a `run` or an `agent` step: nobody waits for a run that has ended';
      compiling.issues.push(errorAt(`steps.${id}`, 'definition/conflict', message));
    }
    compiled[key] = compileStep(compiling, { ...written, id });
  }
  return compiled;
}
