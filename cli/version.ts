import { readFileSync } from 'node:fs';

/** Version of the installed package; this file stands one folder deeper when it is built. */
export function packageVersion(): string {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      const { version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version?: string };
      return version ?? 'unknown';
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return 'unknown';
}
