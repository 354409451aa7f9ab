import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StackRole } from '#core/contract/stack.ts';
import { config } from '#infra/config.ts';
import { readyFile } from '#infra/stack/home-layout.ts';

/**
 * Tells the supervisor that this process does its work now: writes its pid to `$SETPOINT_HOME/run/<role>.ready`, whole or
 * not at all. For the roles that have no address to ask (`control`, `host`); without a supervisor it harms nothing.
 */
export function announceReady(role: StackRole, home: string = config().home): void {
  const path = readyFile(home, role);
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  renameSync(draft, path);
}
