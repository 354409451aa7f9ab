import { existsSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { endRun, newRunFolder } from './run-folder.ts';

/**
 * Once for a vitest run: names the folder in which the first test that needs a server starts it, and ends those servers
 * afterwards. A container is started here, because the engine's clean-up ends it with the process that asked for it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = newRunFolder();
  project.provide('setpointRunFolder', folder);
  const container = await postgresContainer();
  project.provide('setpointDatabaseUrl', container?.url);
  return async () => {
    await container?.stop();
    await endRun(folder);
  };
}

async function postgresContainer(): Promise<{ url: string; stop: () => Promise<void> } | undefined> {
  if (process.env['SETPOINT_TEST_DATABASE_URL'] !== undefined) return undefined;
  if (process.env['DOCKER_HOST'] === undefined && !existsSync('/var/run/docker.sock')) return undefined;
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  const answers = await getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
  if (!answers) return undefined;
  const asked = process.env['SETPOINT_TEST_POSTGRES_IMAGE'];
  const starting = new GenericContainer(asked ?? 'postgres:18-alpine')
    .withEnvironment({ POSTGRES_PASSWORD: 'test' })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=200'])
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .withStartupTimeout(60_000)
    .start();
  const container = await starting.catch((error: unknown) => {
    if (asked !== undefined) throw error;
    // An engine without a registry: the embedded binaries are as real.
    process.stderr.write(`no Postgres container (${String(error)}); the embedded binaries are used\n`);
    return undefined;
  });
  if (container === undefined) return undefined;
  const address = `${container.getHost()}:${container.getMappedPort(5432)}`;
  return {
    url: `postgres://postgres:test@${address}/postgres`,
    stop: async () => {
      await container.stop();
    },
  };
}
