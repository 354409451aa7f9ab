import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A committed history: one workflow execution as Temporal's own tools write it. */
export interface HistoryFile {
  /** Of the file: the scenario, and which of its executions. */
  name: string;
  text: string;
}

/** In order of their names. */
export function historyFiles(folder: string): HistoryFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.toSorted().map((name) => ({ name: name.slice(0, -5), text: readFileSync(join(folder, name), 'utf8') }));
}

/** The file of the nth execution (from 1) of a scenario. */
export function historyName(scenario: string, execution: number): string {
  return `${scenario}.${String(execution).padStart(2, '0')}`;
}
