import type { RunListed } from '#core/contract/http.ts';
import type {
  EditRun,
  ForkRun,
  PushBackRun,
  RaiseRun,
  RetryRun,
  RunDefinitionShown,
  Steer,
} from '#core/contract/steer.ts';

import { callsOf, readAs, type ServerCalls } from '#cli/client/server-calls.ts';
import type { ServerAddress } from '#cli/stack/server-address.ts';

/** The run after a message to it. `pending`: the message is stored, and no worker has answered yet. */
export interface Steered {
  listed: RunListed;
  pending: boolean;
}

type Body<T> = Omit<T, 'messageId'>;

/** What people do to runs (docs/guide/steering.md), each under a message id of its own. Throws `ServerUnreachable` or `ApiProblem`. */
export interface SteerClient {
  cancel(runId: string, body: Body<Steer>): Promise<Steered>;
  pause(runId: string, body: Body<Steer>): Promise<Steered>;
  resume(runId: string, body: Body<Steer>): Promise<Steered>;
  retry(runId: string, body: Body<RetryRun>): Promise<Steered>;
  raise(runId: string, body: Body<RaiseRun>): Promise<Steered>;
  edit(runId: string, body: Body<EditRun>): Promise<Steered>;
  pushBack(runId: string, body: Body<PushBackRun>): Promise<Steered>;
  /** The new run. */
  fork(runId: string, body: Body<ForkRun>): Promise<RunListed>;
  /** The text that the run's plan comes from. */
  definition(runId: string): Promise<RunDefinitionShown>;
}

const loadShapes = () => import('#cli/client/shapes.ts');

export function createSteerClient(server: ServerAddress): SteerClient {
  const calls = callsOf(server);
  const { http, told } = calls;
  const to = <T>(runId: string, body: T) => ({
    params: { path: { runId } },
    body: { messageId: crypto.randomUUID(), ...body },
  });
  const run = (call: Answering) => steered(calls, call);
  return {
    cancel: (runId, body) => run(http.POST('/v1/runs/{runId}/cancel', to(runId, body))),
    pause: (runId, body) => run(http.POST('/v1/runs/{runId}/pause', to(runId, body))),
    resume: (runId, body) => run(http.POST('/v1/runs/{runId}/resume', to(runId, body))),
    retry: (runId, body) => run(http.POST('/v1/runs/{runId}/retry', to(runId, body))),
    raise: (runId, body) => run(http.POST('/v1/runs/{runId}/raise', to(runId, body))),
    edit: (runId, body) => run(http.POST('/v1/runs/{runId}/edit', to(runId, body))),
    pushBack: (runId, body) => run(http.POST('/v1/runs/{runId}/push-back', to(runId, body))),
    fork: async (runId, body) => (await run(http.POST('/v1/runs/{runId}/fork', to(runId, body)))).listed,
    definition: async (runId) => {
      const params = { path: { runId } };
      const { data } = await told(http.GET('/v1/runs/{runId}/definition', { params }));
      return readAs(data, (await import('#core/contract/steer.ts')).RunDefinitionShown);
    },
  };
}

type Answering = Promise<{ data?: unknown; response: Response }>;

/** The shapes are loaded while the server works. */
async function steered({ told }: ServerCalls, call: Answering): Promise<Steered> {
  const [{ data, response }, shapes] = await Promise.all([told(call), loadShapes()]);
  return { listed: readAs(data, shapes.RunListed), pending: response.status === 202 };
}
