import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Principal } from '#core/contract/principal.ts';
import type { LoopsSwitch } from '#core/contract/server.ts';
import { StackFault } from '#core/contract/stack.ts';
import { artifactFolder } from '#infra/artifacts/artifact-folder.ts';
import { type ArtifactStore, openArtifactStore } from '#infra/artifacts/artifact-store.ts';
import type { Config } from '#infra/config.ts';
import { createLogger, type Logger } from '#infra/log.ts';
import { type Database, openDatabase } from '#infra/postgres/database.ts';
import { createDefinitionStore, type DefinitionStore } from '#infra/postgres/definition-store.ts';
import { type EventStream, openEventStream } from '#infra/postgres/event-stream.ts';
import { createHostStore, type HostStore } from '#infra/postgres/host-store.ts';
import { createMessageStore } from '#infra/postgres/message-store.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createPersonStore, type PersonStore } from '#infra/postgres/person-store.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { createSecretStore, type SecretStore } from '#infra/postgres/secret-store.ts';
import { createSourceStore, type SourceStore } from '#infra/postgres/source-store.ts';
import { createSteeringStore, type SteeringStore } from '#infra/postgres/steering-store.ts';
import { createTaskStore, type TaskStore } from '#infra/postgres/task-store.ts';
import type { SecretsKey } from '#infra/secrets/sealed.ts';
import { derivedKey } from '#infra/secrets/derived-key.ts';
import { readSecretsKey } from '#infra/secrets/secrets-key.ts';
import { connectEngine } from '#infra/temporal/client.ts';
import type { Messaging } from '#infra/temporal/run-messages.ts';

/** What is kept beside runs. */
export interface Library {
  definitions: DefinitionStore;
  secrets: SecretStore;
  people: PersonStore;
  sources: SourceStore;
}

/** What the API is made of. */
export interface ApiParts extends Messaging, Library {
  hosts: HostStore;
  steering: SteeringStore;
  tasks: TaskStore;
  stream: EventStream;
  artifacts: ArtifactStore;
  /** Where hosts of this machine keep the outputs of what runs. */
  dataFolder: string;
  token: string;
  /** Whose token `token` is. */
  owner: Principal;
  loops: LoopsSwitch;
  /** Under which confirmations of agents are signed (E-24). Faults: `secret/no-key`. */
  confirmationKey: () => Buffer;
  log: Logger;
}

export interface OpenParts {
  parts: ApiParts;
  close: () => Promise<void>;
}

/**
 * The parts as the settings name them; the database is brought up to date first.
 * Faults: `stack/settings-invalid`, `store/unavailable`.
 */
export async function openParts(config: Config): Promise<OpenParts> {
  const databaseUrl = required(config.databaseUrl, 'SETPOINT_DATABASE_URL');
  const address = required(config.temporalAddress, 'SETPOINT_TEMPORAL_ADDRESS');
  const token = config.token ?? (await readToken(join(config.home, 'token')));
  const artifacts = openArtifactStore(artifactFolder(config.artifacts));
  await migrate(databaseUrl);
  const database = openDatabase(databaseUrl);
  const stream = openEventStream(databaseUrl);
  const engine = connectEngine({ address, namespace: config.temporalNamespace });
  return {
    parts: {
      runs: createRunStore(database),
      messages: createMessageStore(database),
      hosts: createHostStore(database),
      steering: createSteeringStore(database),
      tasks: createTaskStore(database),
      ...openLibrary(database, () => readSecretsKey(config)),
      owner: { name: config.user, teams: 'all', admin: true },
      dataFolder: config.home,
      loops: config.loops,
      confirmationKey: () => derivedKey(readSecretsKey(config), 'confirmations'),
      log: createLogger('api', config.logLevel),
      engine,
      stream,
      artifacts,
      token,
    },
    close: async () => {
      await Promise.all([stream.close(), engine.close(), database.close()]);
    },
  };
}

export function openLibrary(database: Database, key: () => SecretsKey): Library {
  return {
    definitions: createDefinitionStore(database),
    secrets: createSecretStore(database, key),
    people: createPersonStore(database),
    sources: createSourceStore(database),
  };
}

function required(value: string | undefined, name: string): string {
  if (value !== undefined) return value;
  throw new StackFault('stack/settings-invalid', `The API needs ${name}. Set it, or start everything by: setpoint up`);
}

async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const message = `The API needs its bearer token: set SETPOINT_TOKEN, or write one into ${path} (mode 600).`;
    throw new StackFault('stack/settings-invalid', message, { cause: error });
  }
}
