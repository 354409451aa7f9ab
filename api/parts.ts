import type { ArtifactStore } from '#infra/artifacts/artifact-store.ts';
import type { Logger } from '#infra/log.ts';
import type { EventStream } from '#infra/postgres/event-stream.ts';
import type { HostStore } from '#infra/postgres/host-store.ts';
import type { Messaging } from '#infra/temporal/run-messages.ts';

/** What the API is made of. */
export interface ApiParts extends Messaging {
  hosts: HostStore;
  stream: EventStream;
  artifacts: ArtifactStore;
  /** Where hosts of this machine keep the outputs of what runs. */
  dataFolder: string;
  token: string;
  log: Logger;
}
