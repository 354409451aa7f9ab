import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/setpoint.js', import.meta.url));

export interface TerminalEnded {
  /** 128 + the signal's number when a signal ended it. */
  code: number | null;
  /** All that the terminal showed. */
  screen: string;
}

/** `setpoint` at a pseudo terminal of 40 lines and 120 columns (`script` of util-linux). */
export interface PseudoTerminal {
  /** Settles when what was shown since the last call matches; rejects when the program ends without it. */
  shows(pattern: RegExp): Promise<void>;
  type(keys: string): void;
  ended: Promise<TerminalEnded>;
}

export const enter = '\r';
export const ctrlC = '\u0003';

export function atTerminal(
  argv: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): PseudoTerminal {
  const words = [process.execPath, program, ...argv].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const child = spawn('script', ['-qefc', `stty rows 40 cols 120; exec ${words.join(' ')}`, '/dev/null'], {
    cwd: options.cwd,
    env: { ...options.env, TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  let seen = 0;
  const listeners = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    for (const listener of listeners) listener();
  });
  const ended = new Promise<TerminalEnded>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, screen }));
  });
  const shows = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): boolean => {
        const found = pattern.exec(screen.slice(seen));
        if (found === null) return false;
        seen += found.index + found[0].length;
        listeners.delete(look);
        resolve();
        return true;
      };
      if (look()) return;
      listeners.add(look);
      ended.then((end) => reject(new TypeError(`it ended without ${pattern}: ${JSON.stringify(end)}`)), reject);
    });
  return { shows, ended, type: (keys) => void child.stdin.write(keys) };
}
