import { readFileSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { LoopsSwitch } from '#core/contract/server.ts';
import { StackFault } from '#core/contract/stack.ts';
import {
  missingTogether,
  type NotifyConfig,
  type NotifySettings,
  notifySettings,
  toNotifyConfig,
} from '#infra/notify/settings.ts';

const text = z.string().min(1);

const SandboxChoice = z.enum(['auto', 'bwrap', 'docker', 'none']);
const LogLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);

/** The settings under their own names, from the environment or `config.yaml`; what is absent has no default here. */
const Settings = z.object({
  SETPOINT_HOME: text.optional(),
  SETPOINT_TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port')
    .optional(),
  SETPOINT_TEMPORAL_NAMESPACE: text.optional(),
  SETPOINT_TEMPORAL_CLI: text.optional(),
  SETPOINT_DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a url that begins with postgres://' })
    .optional(),
  SETPOINT_ARTIFACTS: z
    .string()
    .regex(/^(file:|s3:\/\/)./, 'must begin with file: or s3://')
    .optional(),
  SETPOINT_PORT: z.coerce.number('must be a port number').int().min(1).max(65_535).optional(),
  SETPOINT_HOST_ID: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
    .optional(),
  SETPOINT_SANDBOX: SandboxChoice.optional(),
  SETPOINT_GITHUB_API: z.url('must be a url').optional(),
  SETPOINT_GITHUB_TOKEN: text.optional(),
  SETPOINT_LOG: LogLevel.optional(),
  SETPOINT_LOOPS: LoopsSwitch.optional(),
  SETPOINT_URL: z.url('must be a url').optional(),
  SETPOINT_PROJECT: text.optional(),
  SETPOINT_TOKEN: text.optional(),
  SETPOINT_USER: z
    .string()
    .regex(/^[\w.@-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes, underscores or @')
    .optional(),
  SETPOINT_SECRETS_KEY: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in base64, as of: openssl rand -base64 32')
    .optional(),
  ...notifySettings,
});
type Settings = z.infer<typeof Settings>;
type SettingName = keyof Settings;
const settingNames = Object.keys(Settings.shape) as SettingName[];

const CheckedSettings = Settings.superRefine((values, context) => {
  for (const { name, message } of missingTogether(values)) context.addIssue({ code: 'custom', path: [name], message });
});

export interface Config {
  /** Absolute; the data of the embedded stack. */
  home: string;
  /** Of a Temporal that is not ours; the embedded one when absent. */
  temporalAddress: string | undefined;
  temporalNamespace: string;
  /** Path of a Temporal CLI. */
  temporalCli: string | undefined;
  databaseUrl: string | undefined;
  /** `file:/absolute/folder` or `s3://bucket/prefix`. */
  artifacts: string;
  port: number;
  hostId: string;
  sandbox: z.infer<typeof SandboxChoice>;
  githubApi: string;
  githubToken: string | undefined;
  logLevel: z.infer<typeof LogLevel>;
  /** `off`: the API starts nothing and lets nothing go on; what there is stays readable (E-27). */
  loops: LoopsSwitch;
  /** Of the server that clients call, when it is not the embedded one. */
  url: string | undefined;
  project: string;
  token: string | undefined;
  /** Whose token the server's own is; the account of the process by default. */
  user: string;
  /** 32 bytes in base64, under which stored secrets are sealed; the file `secrets.key` of the home when absent. */
  secretsKey: string | undefined;
  notify: NotifyConfig;
  /** Programs given by `SETPOINT_AGENT_<NAME>`, by the agent's name in lower case. */
  agents: Readonly<Record<string, string>>;
  /** What is fetched once for a user: `$XDG_CACHE_HOME/setpoint` or `~/.cache/setpoint`. */
  cacheFolder: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;
export type SettingSource = 'environment' | 'file' | 'default';

/** One line of `setpoint status --config`; secrets are masked. */
export interface DescribedSetting {
  name: string;
  value: string;
  source: SettingSource;
}

/**
 * Reads the settings of an environment and of `config.yaml` in its home; the environment wins. An empty variable counts as
 * absent. Faults: `stack/settings-invalid`, which names every wrong setting at once.
 */
export function loadConfig(environment: Environment, cwd: string): Config {
  return toConfig(readSettings(environment, cwd), environment);
}

/** Every setting with its value (secrets masked) and where it comes from. Faults as `loadConfig`. */
export function describeConfig(environment: Environment, cwd: string): DescribedSetting[] {
  const read = readSettings(environment, cwd);
  const settings = toConfig(read, environment);
  const SETPOINT_NOTIFY_EVENTS = settings.notify.types.join(', ');
  const effective = { ...read.values, ...settingsOf(settings), SETPOINT_NOTIFY_EVENTS };
  return settingNames.map((name) => ({
    name,
    value: mask(name, effective[name]),
    source: read.sources[name] ?? 'default',
  }));
}

let cached: Config | undefined;

/** The settings of this process, read once. Faults as `loadConfig`. */
export function config(): Config {
  cached ??= loadConfig(process.env, process.cwd());
  return cached;
}

/** The environment of this process, for children that a person would expect to see it (agents' own settings, PATH). */
export function hostEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

interface ReadSettings {
  home: string;
  values: Settings;
  sources: Partial<Record<SettingName, SettingSource>>;
}

function readSettings(environment: Environment, cwd: string): ReadSettings {
  const home = resolve(cwd, environment['SETPOINT_HOME'] || '.setpoint');
  const file = join(home, 'config.yaml');
  const fromFile = readConfigFile(file);
  const raw: Record<string, unknown> = {};
  const sources: ReadSettings['sources'] = {};
  for (const name of settingNames) {
    const given = environment[name] || undefined;
    const value = given ?? fromFile[name];
    if (value === undefined || value === null) continue;
    // YAML makes a number of `SETPOINT_HOST_ID: 12`; in the environment it is a text.
    raw[name] = typeof value === 'number' ? String(value) : value;
    sources[name] = given === undefined ? 'file' : 'environment';
  }
  const parsed = CheckedSettings.safeParse(raw);
  if (parsed.success) return { home, values: parsed.data, sources };
  const issues = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]) as SettingName;
    return `${name} (${sources[name] === 'file' ? file : 'environment'}): ${issue.message}`;
  });
  throw new StackFault('stack/settings-invalid', `Wrong settings. ${issues.join('. ')}. Correct or unset them.`);
}

function readConfigFile(path: string): Record<string, unknown> {
  const content = readIfThere(path);
  if (content === undefined) return {};
  const found = parseYaml(path, content);
  const unknown = Object.keys(found).filter(
    (key) => key === 'SETPOINT_HOME' || !settingNames.some((name) => name === key),
  );
  if (unknown.length === 0) return found;
  const known = settingNames.filter((name) => name !== 'SETPOINT_HOME').join(', ');
  throw new StackFault(
    'stack/settings-invalid',
    `${path} sets ${unknown.join(', ')}, which a settings file cannot. It may set: ${known}.`,
  );
}

function parseYaml(path: string, content: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(parse(content) ?? {});
  } catch (error) {
    const message = `${path} is not a YAML map of settings, such as "SETPOINT_PORT: 4747".`;
    throw new StackFault('stack/settings-invalid', message, { cause: error });
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new StackFault('stack/settings-invalid', `${path} cannot be read: ${String(error)}`, { cause: error });
  }
}

function toConfig({ home, values }: ReadSettings, environment: Environment): Config {
  return {
    home,
    temporalAddress: values.SETPOINT_TEMPORAL_ADDRESS,
    temporalNamespace: values.SETPOINT_TEMPORAL_NAMESPACE ?? 'default',
    temporalCli: values.SETPOINT_TEMPORAL_CLI,
    databaseUrl: values.SETPOINT_DATABASE_URL,
    artifacts: values.SETPOINT_ARTIFACTS ?? `file:${join(home, 'artifacts')}`,
    port: values.SETPOINT_PORT ?? 4747,
    hostId:
      values.SETPOINT_HOST_ID ??
      hostname()
        .replaceAll(/[^\w.-]/g, '-')
        .slice(0, 64),
    sandbox: values.SETPOINT_SANDBOX ?? 'auto',
    githubApi: values.SETPOINT_GITHUB_API ?? 'https://api.github.com',
    githubToken: values.SETPOINT_GITHUB_TOKEN,
    logLevel: values.SETPOINT_LOG ?? 'info',
    loops: values.SETPOINT_LOOPS ?? 'on',
    url: values.SETPOINT_URL,
    project: values.SETPOINT_PROJECT ?? 'default',
    token: values.SETPOINT_TOKEN,
    user: values.SETPOINT_USER ?? accountName(),
    secretsKey: values.SETPOINT_SECRETS_KEY,
    notify: toNotifyConfig(values),
    agents: agentPrograms(environment),
    cacheFolder: join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'setpoint'),
  };
}

/** A container may run under a number that no account has. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user-${process.getuid?.() ?? 0}`;
  }
}

function agentPrograms(environment: Environment): Record<string, string> {
  const prefix = 'SETPOINT_AGENT_';
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith(prefix) && value ? [[name.slice(prefix.length).toLowerCase(), value]] : [],
    ),
  );
}

/** Those of notifications are told as they were given. */
function settingsOf(config: Config): Record<Exclude<SettingName, keyof NotifySettings>, string | undefined> {
  return {
    SETPOINT_HOME: config.home,
    SETPOINT_TEMPORAL_ADDRESS: config.temporalAddress,
    SETPOINT_TEMPORAL_NAMESPACE: config.temporalNamespace,
    SETPOINT_TEMPORAL_CLI: config.temporalCli,
    SETPOINT_DATABASE_URL: config.databaseUrl,
    SETPOINT_ARTIFACTS: config.artifacts,
    SETPOINT_PORT: String(config.port),
    SETPOINT_HOST_ID: config.hostId,
    SETPOINT_SANDBOX: config.sandbox,
    SETPOINT_GITHUB_API: config.githubApi,
    SETPOINT_GITHUB_TOKEN: config.githubToken,
    SETPOINT_LOG: config.logLevel,
    SETPOINT_LOOPS: config.loops,
    SETPOINT_URL: config.url,
    SETPOINT_PROJECT: config.project,
    SETPOINT_TOKEN: config.token,
    SETPOINT_USER: config.user,
    SETPOINT_SECRETS_KEY: config.secretsKey,
  };
}

const secretMask = '********';

function mask(name: SettingName, value: string | undefined): string {
  if (value === undefined) return '';
  if (name.endsWith('_TOKEN') || name.endsWith('_KEY') || name.endsWith('_SECRET')) return secretMask;
  // Whoever knows the address of a webhook can write to its room.
  if (name === 'SETPOINT_NOTIFY_WEBHOOK' || name === 'SETPOINT_NOTIFY_SLACK') {
    return `${new URL(value).origin}/${secretMask}`;
  }
  const hasPassword = name !== 'SETPOINT_HOME' && URL.canParse(value) && new URL(value).password !== '';
  if (!hasPassword) return value;
  const url = new URL(value);
  url.password = secretMask;
  return url.href;
}
