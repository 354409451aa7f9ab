import type { ArtifactStore } from '#infra/artifacts/artifact-store.ts';
import type { Messaging } from '#infra/temporal/run-messages.ts';

/** What calls work with: the runs, the engine and the messages, and the texts. */
export interface CallDeps {
  messaging: Messaging;
  artifacts: ArtifactStore;
}
