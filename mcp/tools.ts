import type { LoopsSwitch } from '#core/contract/server.ts';

import type { Tool } from '#mcp/tool.ts';
import { decideTools } from '#mcp/tools/decide.ts';
import { libraryReadingTools, validateDefinition } from '#mcp/tools/read-library.ts';
import { runReadingTools } from '#mcp/tools/read-runs.ts';
import { redoTools } from '#mcp/tools/redo.ts';
import { startTools } from '#mcp/tools/start.ts';
import { steerTools } from '#mcp/tools/steer.ts';

/** Every tool, for both doors (E-24). */
export const tools: readonly Tool[] = [
  ...runReadingTools,
  ...libraryReadingTools,
  validateDefinition,
  ...startTools,
  ...steerTools,
  ...redoTools,
  ...decideTools,
];

/** Where loops are switched off, what would start or spend is not offered (E-27). */
export function offeredTools(loops: LoopsSwitch): readonly Tool[] {
  return loops === 'on' ? tools : tools.filter(({ goesOn }) => !goesOn);
}
