import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { TaskJournal } from '#activities/host-deps.ts';

const Entry = z.object({ token: z.base64(), containmentId: z.string() });

/** A task that a host had under way when it died. */
export interface LeftTask {
  token: Uint8Array;
  containmentId: string;
}

export interface HostJournal extends TaskJournal {
  /** What is written now: of a fresh process, what its predecessor left. */
  left(): LeftTask[];
  /** Removes what `left` gave. */
  forget(): void;
  /** The containments of what this process has under way. */
  current(): string[];
}

/**
 * What this host is running, one small file a task (decision 15). A file is whole or not there; after a kill -9 the
 * successor reads what was under way, ends it and gives the tasks back.
 */
export function openJournal(folder: string): HostJournal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files = () => readdirSync(folder).filter((name) => name.endsWith('.json'));
  const found = files();
  const under = new Map<string, string>();
  return {
    enter({ token, containmentId }) {
      const path = join(folder, `${randomUUID()}.json`);
      const entry = { token: Buffer.from(token).toString('base64'), containmentId };
      writeFileSync(`${path}.new`, JSON.stringify(entry), { mode: 0o600 });
      renameSync(`${path}.new`, path);
      under.set(path, containmentId);
      return () => {
        under.delete(path);
        rmSync(path, { force: true });
      };
    },
    left: () => found.flatMap((name) => entryIn(readFileSync(join(folder, name), 'utf8'))),
    current: () => [...under.values()],
    forget() {
      for (const name of found) rmSync(join(folder, name), { force: true });
    },
  };
}

/** An entry that is no entry was cut short by a power failure, which left nothing running: it must not keep us from starting. */
function entryIn(text: string): LeftTask[] {
  try {
    const { token, containmentId } = Entry.parse(JSON.parse(text));
    return [{ token: Buffer.from(token, 'base64'), containmentId }];
  } catch {
    return [];
  }
}
