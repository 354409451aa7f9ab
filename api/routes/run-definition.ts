import type { StartRun } from '#core/contract/http.ts';
import type { RunDefinition } from '#core/contract/steer.ts';
import { present } from '#core/definition/present.ts';

/** What of a request is kept, for edits to begin with: an object as the text of its JSON. */
export function runDefinition(request: StartRun): RunDefinition {
  const { source, definition, file, dialect, overrides, project, labels } = request;
  const text = source ?? `${JSON.stringify(definition, null, 2)}\n`;
  return { source: text, ...present({ file, dialect, overrides, project, labels }) };
}
