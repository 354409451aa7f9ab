import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Stack } from '#core/contract/stack.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
export const setpoint = join(root, 'bin', 'setpoint.js');

/** An embedded stack of its own in a fresh home. */
export interface BenchStack {
  home: string;
  stack(): Stack;
  call(path: string, body?: unknown): Promise<unknown>;
  cli(args: string[], cwd: string): Promise<void>;
  down(): Promise<void>;
}

export function freshFolder(): string {
  return mkdtempSync(join('/var/tmp', 'setpoint-bench-'));
}

export async function startBenchStack(sandbox: 'none' | 'bwrap'): Promise<BenchStack> {
  const home = join(freshFolder(), 'home');
  const env = { ...process.env, SETPOINT_HOME: home, SETPOINT_SANDBOX: sandbox };
  const cli = (args: string[], cwd: string) => runNode([setpoint, ...args], { cwd, env });
  await cli(['up', '--detach'], root);
  const stack = () => Stack.parse(JSON.parse(readFileSync(join(home, 'stack.json'), 'utf8')));
  const token = readFileSync(join(home, 'token'), 'utf8').trim();
  return {
    home,
    stack,
    cli,
    async call(path, body) {
      const response = await fetch(new URL(path, stack().url), {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new TypeError(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    },
    async down() {
      await cli(['down'], root);
      rmSync(join(home, '..'), { recursive: true, force: true });
    },
  };
}

export async function runNode(args: string[], options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<void> {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new TypeError(`${args.join(' ')} exited ${code}: ${said.slice(-2000)}`);
}
