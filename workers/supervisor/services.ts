import { mkdirSync, rmSync } from 'node:fs';
import { type Config, hostEnvironment } from '#infra/config.ts';
import type { Logger } from '#infra/log.ts';
import { withinLimit } from '#infra/process/time-limit.ts';
import type { ProcessSpec } from '#infra/stack/detached-process.ts';
import { readIfThere, readyFile, runFolder, temporalFolder } from '#infra/stack/home-layout.ts';
import { postgresReady, preparePostgres } from '#infra/stack/postgres-server.ts';
import type { ProcessIdentity } from '#infra/stack/process-identity.ts';
import { findTemporalCli } from '#infra/stack/temporal-cli.ts';
import { prepareTemporal, temporalReady } from '#infra/stack/temporal-server.ts';
import type { StackPlan } from '#workers/supervisor/stack-plan.ts';
import type { Service } from '#workers/supervisor/keep-running.ts';

export function temporalService(plan: StackPlan, config: Config, log: Logger): Service {
  const searchPath = hostEnvironment()['PATH'] ?? '';
  const { temporalCli: given, cacheFolder } = config;
  let cli: string | undefined;
  return {
    role: 'temporal',
    prepare: async () => {
      cli ??= await findTemporalCli({
        given,
        cacheFolder,
        searchPath,
        onTry: (line) => log.info({ role: 'temporal', progress: true }, line),
      });
      const { temporalNamespace: namespace, kept } = plan;
      return prepareTemporal({
        cli,
        folder: temporalFolder(plan.home),
        port: kept.ports.temporal,
        namespace,
        searchPath,
      });
    },
    ready: (_, signal) => temporalReady(plan.temporalAddress, plan.temporalNamespace, signal),
  };
}

export function postgresService(plan: StackPlan, onFolder: (folder: string) => void): Service {
  let folder: string | undefined;
  return {
    role: 'postgres',
    prepare: async () => {
      const { home, kept } = plan;
      const known = folder ?? kept.databaseFolder ?? undefined;
      const options = { home, folder: known, port: kept.ports.postgres, password: kept.databasePassword };
      const prepared = await preparePostgres(options);
      folder = prepared.folder;
      onFolder(folder);
      return prepared.spec;
    },
    ready: (_, signal) => postgresReady(plan.databaseUrl, signal),
  };
}

/**
 * Ready when `GET /healthz` answers 200 and the server takes our token: on a port that another stack was quicker to take,
 * that one's API answers, while ours cannot start.
 */
export function apiService(plan: StackPlan, program: readonly string[]): Service {
  return {
    role: 'api',
    prepare: async () => ownSpec(plan, program, { SETPOINT_TOKEN: plan.token }),
    ready: async (_, signal) => {
      while (!(await isOurs(plan, signal))) await nextLook(signal);
    },
  };
}

/** Ready when it has left its pid in the ready file. */
export function workerService(plan: StackPlan, role: 'control' | 'host', program: readonly string[]): Service {
  const path = readyFile(plan.home, role);
  return {
    role,
    prepare: async () => {
      mkdirSync(runFolder(plan.home), { recursive: true, mode: 0o700 });
      rmSync(path, { force: true });
      return ownSpec(plan, program, {});
    },
    ready: async ({ pid }: ProcessIdentity, signal) => {
      while (readIfThere(path)?.trim() !== String(pid)) await nextLook(signal);
    },
  };
}

/** What belongs to a client of some other server, or to one role only. */
const notInherited = ['SETPOINT_URL', 'SETPOINT_TOKEN'];

function ownSpec(plan: StackPlan, program: readonly string[], extra: Record<string, string>): ProcessSpec {
  const [command = process.execPath, ...args] = program;
  const inherited = Object.entries(hostEnvironment()).filter(([name]) => !notInherited.includes(name));
  return {
    command,
    args,
    cwd: plan.home,
    env: {
      ...Object.fromEntries(inherited),
      SETPOINT_HOME: plan.home,
      SETPOINT_TEMPORAL_ADDRESS: plan.temporalAddress,
      SETPOINT_TEMPORAL_NAMESPACE: plan.temporalNamespace,
      SETPOINT_DATABASE_URL: plan.databaseUrl,
      SETPOINT_PORT: String(plan.kept.ports.api),
      ...extra,
    },
  };
}

async function isOurs({ url, token }: StackPlan, signal: AbortSignal): Promise<boolean> {
  const healthy = await statusOf(new URL('/healthz', url), {}, signal);
  if (healthy !== 200) return false;
  const headers = { authorization: `Bearer ${token}` };
  // Without a database it answers this by a failure; only the door counts.
  const status = await statusOf(new URL('/v1/runs?limit=1', url), headers, signal);
  return status !== undefined && status !== 401;
}

/** Undefined when nothing answers within two seconds. */
async function statusOf(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number | undefined> {
  return withinLimit(signal, 2_000, (limited) =>
    fetch(url, { signal: limited, headers }).then(
      async (response) => {
        await response.body?.cancel();
        return response.status;
      },
      () => undefined,
    ),
  );
}

async function nextLook(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise((resolve) => setTimeout(resolve, 25));
}
