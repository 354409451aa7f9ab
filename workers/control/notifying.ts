import { outboxRows } from '#core/notify/outbox-rows.ts';
import { type Config, hostEnvironment } from '#infra/config.ts';
import { callbackSecrets } from '#infra/notify/callback-secrets.ts';
import { openChannels, send } from '#infra/notify/channels.ts';
import type { Database } from '#infra/postgres/database.ts';
import type { Telling } from '#infra/postgres/event-store.ts';
import { createOutboxStore } from '#infra/postgres/outbox-store.ts';
import { createSecretStore } from '#infra/postgres/secret-store.ts';
import { readSecretsKey } from '#infra/secrets/secrets-key.ts';
import type { Notifying } from '#workers/control/notify.ts';

/** What is told of recorded events, by the settings. */
export function tellingOf({ notify }: Pick<Config, 'notify'>): Telling {
  const audience = { channels: openChannels(notify), types: notify.types };
  return (batch) => outboxRows(audience, batch);
}

/** What drains the outbox, by the settings. */
export function openNotifying(settings: Config, database: Database): Notifying {
  const secrets = createSecretStore(database, () => readSecretsKey(settings));
  const secretOf = callbackSecrets(hostEnvironment(), secrets);
  return {
    outbox: createOutboxStore(database, { baseUrl: settings.url ?? `http://127.0.0.1:${String(settings.port)}` }),
    send: (delivery) => send(settings.notify, secretOf, delivery),
  };
}
