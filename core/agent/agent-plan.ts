import { z } from 'zod';

/** Which agent works and how. `name: auto` is resolved by the host to the first one installed and signed in. */
export const AgentPlan = z.object({
  name: z.string(),
  model: z.string().optional(),
  effort: z.string().optional(),
  /** Further arguments of the CLI, as written, after ours. */
  args: z.array(z.string()).optional(),
  session: z.enum(['fresh', 'resume']),
  fallback: z.array(z.string()),
  custom: z
    .object({
      command: z.array(z.string()).min(1),
      prompt: z.enum(['stdin', 'argument', 'file']),
      output: z.enum(['text', 'json']),
    })
    .optional(),
  /** H2: ends the agent once it showed no progress (output, tool use) for so long; absent = never. */
  quietSeconds: z.number().positive().optional(),
  scripted: z.object({ passes: z.array(z.string()).min(1) }).optional(),
});
export type AgentPlan = z.infer<typeof AgentPlan>;
