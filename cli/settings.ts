import { isAbsolute, resolve } from 'node:path';

/** What the command line takes from the environment (docs/guide/distributed.md). */
export interface Environment {
  url?: string;
  token?: string;
  project?: string;
  home?: string;
  /** A command that opens a file and waits until it is closed. */
  editor?: string;
}

/** The global flags, as typed. */
export interface GlobalFlags {
  server?: string;
  project?: string;
  token?: string;
}

/** Flags over environment over defaults. `home` is absolute; `server` set means that nothing embedded is ever started. */
export interface Settings {
  server?: string;
  token?: string;
  project?: string;
  home: string;
}

/** The one place of the command line that reads the environment. An empty variable counts as not set. */
export function readEnvironment(): Environment {
  // oxlint-disable-next-line node/no-process-env -- the command line must not load infra, where all else is read
  const env = process.env;
  return {
    ...present('url', env['SETPOINT_URL']),
    ...present('token', env['SETPOINT_TOKEN']),
    ...present('project', env['SETPOINT_PROJECT']),
    ...present('home', env['SETPOINT_HOME']),
    ...present('editor', env['VISUAL']),
    ...(env['VISUAL'] ? {} : present('editor', env['EDITOR'])),
  };
}

/** `home` defaults to `.setpoint/` in `cwd`; a relative one is taken from `cwd`. */
export function settingsOf(flags: GlobalFlags, environment: Environment, cwd: string): Settings {
  const home = environment.home ?? '.setpoint';
  return {
    ...present('server', (flags.server ?? environment.url)?.replace(/\/+$/, '')),
    ...present('token', flags.token ?? environment.token),
    ...present('project', flags.project ?? environment.project),
    home: isAbsolute(home) ? home : resolve(cwd, home),
  };
}

function present<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  if (value === undefined || value === '') return {};
  return { [key]: value } as Partial<Record<K, string>>;
}
