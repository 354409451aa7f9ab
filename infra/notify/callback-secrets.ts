import type { SecretOf } from '#infra/notify/channels.ts';
import type { SecretStore } from '#infra/postgres/secret-store.ts';

/** Finds what a callback is signed with: in the environment of this process, or among the secrets of the run's project. */
export function callbackSecrets(
  environment: Readonly<Record<string, string>>,
  secrets: Pick<SecretStore, 'ofRun'>,
): SecretOf {
  return async (reference, runId) => {
    const name = reference.slice(reference.indexOf(':') + 1);
    if (reference.startsWith('env:')) return environment[name];
    return (await secrets.ofRun(runId, [name]))[0]?.value;
  };
}
