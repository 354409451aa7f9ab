import { RunShown } from '#core/contract/http.ts';
import type { ProblemCode } from '#core/contract/problem.ts';
import { runShown } from '#api/openapi/examples.ts';

const shown = { content: { 'application/json': { schema: RunShown, example: runShown } } };

/** What a call answers that puts a message to a run. */
export const steered = {
  200: { description: 'Applied: the state of the run', ...shown },
  202: { description: 'Stored, and no worker answered yet; it is sent again until one does', ...shown },
};

/** And what it refuses. */
export const steerRefusals: readonly ProblemCode[] = ['run/not-found', 'run/refused', 'run/message-conflict'];

/** Of one that lets the run go on, and so spend. */
export const goOnRefusals: readonly ProblemCode[] = [...steerRefusals, 'server/loops-off'];
