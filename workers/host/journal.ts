import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { policy } from '#core/contract/policy.ts';
import type { TaskJournal } from '#activities/host-deps.ts';
import { storeFault } from '#infra/artifacts/store-fault.ts';

const Entry = z.object({ token: z.base64(), containmentId: z.string() });

/** A task of a host that died. */
export interface LeftTask {
  token: Uint8Array;
  containmentId: string;
  /** False when its work had ended, but perhaps nobody had told the engine yet. */
  running: boolean;
}

export interface HostJournal extends TaskJournal {
  /** What was written when the journal was opened: what the predecessor left. */
  left(): LeftTask[];
  /** Removes what `left` gave. */
  forget(): void;
}

const running = '.json';
const ended = '.ended';
/**
 * How long the token of a task that has ended is kept: its answer is on its way to the engine, and who is killed before
 * it arrives must give the task back all the same. After that the heartbeat has run out, too.
 */
const keptSeconds: number = policy.attempt.heartbeat;

/**
 * What this host is running, one small file a task (decision 15). A file is whole or not there; after a kill -9 the
 * successor reads what was under way, ends it and gives the tasks back.
 */
export function openJournal(folder: string): HostJournal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = readdirSync(folder).filter((name) => name.endsWith(running) || name.endsWith(ended));
  return {
    enter({ token, containmentId }) {
      const path = join(folder, randomUUID());
      const entry = { token: Buffer.from(token).toString('base64'), containmentId };
      write(path, JSON.stringify(entry));
      return () => {
        renameSync(`${path}${running}`, `${path}${ended}`);
        setTimeout(() => rmSync(`${path}${ended}`, { force: true }), keptSeconds * 1000).unref();
      };
    },
    left: () => found.flatMap((name) => entryIn(join(folder, name))),
    forget() {
      for (const name of found) rmSync(join(folder, name), { force: true });
    },
  };
}

function write(path: string, text: string): void {
  try {
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, `${path}${running}`);
  } catch (error) {
    rmSync(`${path}.new`, { force: true });
    throw storeFault(error, `Writing what this host runs into ${dirname(path)}`);
  }
}

/** An entry that is no entry was cut short by a power failure, which left nothing running: it must not keep us from starting. */
function entryIn(path: string): LeftTask[] {
  try {
    const { token, containmentId } = Entry.parse(JSON.parse(readFileSync(path, 'utf8')));
    return [{ token: Buffer.from(token, 'base64'), containmentId, running: path.endsWith(running) }];
  } catch {
    return [];
  }
}
