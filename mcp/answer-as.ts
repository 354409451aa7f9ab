import type { z } from 'zod';

import { ToolProblem } from '#mcp/tool-problem.ts';

/** An answer in the shape of `schema`; another one means that the server is of another version. */
export function answerAs<Shape extends z.ZodType>(answer: unknown, schema: Shape): z.output<Shape> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new ToolProblem(
    'unexpected-answer',
    `The server's answer is not what this version expects${where === '' ? '' : ` (at ${where})`}.`,
    { remedy: 'Use the same version of setpoint on both sides.', cause: parsed.error },
  );
}
