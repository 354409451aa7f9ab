import { Fault } from '#core/contract/fault.ts';
import type { Secret } from '#core/text/secret-forms.ts';
import { hostSecrets } from '#activities/secrets.ts';
import type { SecretStore } from '#infra/postgres/secret-store.ts';
import { checkedSecrets } from '#infra/process/environment.ts';

/**
 * The secrets of the runs that a host carries (H4). A name is a variable of the host, else a stored secret of the run's
 * project. Faults of every call: `secret/no-key`, `store/unavailable`.
 */
export interface RunSecrets {
  /**
   * What a step is granted. Faults: `secret/not-found` when one is nowhere, `schema/invalid` when a value is too short to
   * be hidden.
   */
  grant(runId: string, names: readonly string[]): Promise<readonly Secret[]>;
  /** Every secret that any step of the run will ask for is there, so that no work is paid for in vain. Faults as `grant`. */
  requireAll(runId: string): Promise<void>;
  /**
   * What any step of the run may have been granted, as far as it is there: hidden in all that the run says, since a step
   * can leave in the work what a later check prints. Asked of the store once a run.
   */
  known(runId: string): Promise<readonly Secret[]>;
}

interface Known {
  secrets: readonly Secret[];
  /** Those of the whole plan are among them. */
  isWhole: boolean;
}

/** Of so many runs the secrets stay in memory; of any other they are asked for again. */
const runsRemembered = 1_000;

export interface SecretSources {
  hostId: string;
  environment: Readonly<Record<string, string>>;
  store: Pick<SecretStore, 'ofRun' | 'namedByRun'>;
}

export function createRunSecrets({ hostId, environment, store }: SecretSources): RunSecrets {
  const runs = new Map<string, Known>();

  const resolve = async (runId: string, names: readonly string[]): Promise<Secret[]> => {
    const ofHost = hostSecrets(environment, names);
    const others = names.filter((name) => !ofHost.some((secret) => secret.name === name));
    return others.length === 0 ? ofHost : [...ofHost, ...(await store.ofRun(runId, others))];
  };

  /** A value that was replaced stays hidden: the work may still hold it. */
  const remember = (runId: string, found: readonly Secret[], isWhole: boolean): readonly Secret[] => {
    const before = runs.get(runId) ?? { secrets: [], isWhole: false };
    const isNew = (one: Secret) => !before.secrets.some(({ name, value }) => name === one.name && value === one.value);
    const secrets = [...before.secrets, ...found.filter(isNew)];
    runs.delete(runId);
    runs.set(runId, { secrets, isWhole: before.isWhole || isWhole });
    const [oldest] = runs.keys();
    if (runs.size > runsRemembered && oldest !== undefined) runs.delete(oldest);
    return secrets;
  };

  const grant: RunSecrets['grant'] = async (runId, names) => {
    if (names.length === 0) return [];
    const found = await resolve(runId, names);
    const missing = names.filter((name) => !found.some((secret) => secret.name === name));
    if (missing.length > 0) throw notFound(hostId, missing);
    const granted = checkedSecrets(found);
    remember(runId, granted, false);
    return granted;
  };

  return {
    grant,
    async requireAll(runId) {
      remember(runId, await grant(runId, await store.namedByRun(runId)), true);
    },
    async known(runId) {
      const before = runs.get(runId);
      if (before?.isWhole === true) return before.secrets;
      return remember(runId, await resolve(runId, await store.namedByRun(runId)), true);
    },
  };
}

function notFound(hostId: string, missing: readonly string[]): Fault {
  const [first = ''] = missing;
  const which = missing.length === 1 ? `The secret ${first} is` : `The secrets ${missing.join(', ')} are`;
  return new Fault(
    'secret/not-found',
    `${which} neither set on host ${hostId} nor stored for the project of this run. Store it: setpoint secrets set ${first}. Then retry the run.`,
  );
}
