import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Where this host keeps what belongs to a run. */
export const worktreeOf = (home: string, runId: string): string => join(home, 'worktrees', runId, 'work');

/** The checkouts of a run's readers, a folder a step. */
export const readersOf = (home: string, runId: string): string => join(home, 'worktrees', runId, 'readers');

/** A checkout of a snapshot for one reader: a read-only step, or a check of a step that wants a clean one. */
export function readerOf(home: string, reader: { runId: string; step: string; check?: string }): string {
  const place = join(readersOf(home, reader.runId), folderName(reader.step));
  return reader.check === undefined ? join(place, 'step') : join(place, 'checks', folderName(reader.check));
}

/** The places of one agent step. They belong together: a session outlives a pass, but not the step's HOME. */
export interface AgentPlaces {
  /** HOME of the step's agent: the only one of them that its sandbox can write. */
  home: string;
  /** What the host lays out to read: the agent's sandbox can read it, nothing else. */
  feedback: string;
  /** What the host remembers of the agent: in no sandbox. */
  memory: string;
}

export function agentPlacesOf(home: string, runId: string, step: string): AgentPlaces {
  const place = (kind: string) => join(home, 'agent-homes', runId, kind, folderName(step));
  return { home: place('agents'), feedback: place('feedback'), memory: place('memory') };
}

/** HOME of a run's set-up, commands, checks and conditions: what one installs there, the others find. */
export const commandHomeOf = (home: string, runId: string): string => join(home, 'agent-homes', runId, 'commands');

/** A run's folder of artifacts (D-06): outside its workspace, at the same path in every sandbox of the run. */
export const artifactsOf = (home: string, runId: string): string => join(home, 'run-artifacts', runId);

/** One folder name for any text; different texts have different names. */
export function folderName(text: string): string {
  if (/^\w[\w.-]{0,79}$/.test(text)) return text;
  const readable = text.replaceAll(/[^\w-]/g, '-').slice(0, 60);
  return `_${readable}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
