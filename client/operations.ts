// Generated from docs/openapi.json by scripts/generate-client.mjs: change the routes, then npm run generate.

import { answerOf, doneOf, textOf, type CallOptions, type Http } from '#client/http.ts';
import type { operations } from '#client/schema.ts';

/** Every call of the API by its operationId. Each throws `SetpointProblem` or `SetpointUnreachable`. */
export function createOperations(http: Http) {
  return {
    /** Cancel a run; it has ended when nothing of it is alive any more. */
    cancelRun: (runId: string, { body, ...options }: { body?: NonNullable<operations['cancelRun']['requestBody']>['content']['application/json'] } & CallOptions = {}) =>
      answerOf(http.POST('/v1/runs/{runId}/cancel', { ...options, params: { path: { runId } }, ...(body === undefined ? {} : { body }) })),
    /** Remove the worktree of a run that has ended; its events and artifacts stay. */
    cleanupRun: (runId: string, { body, ...options }: { body?: NonNullable<operations['cleanupRun']['requestBody']>['content']['application/json'] } & CallOptions = {}) =>
      answerOf(http.POST('/v1/runs/{runId}/cleanup', { ...options, params: { path: { runId } }, ...(body === undefined ? {} : { body }) })),
    /** Compile a definition; creates nothing. */
    compilePlan: ({ body, ...options }: { body: operations['compilePlan']['requestBody']['content']['application/json'] } & CallOptions) =>
      answerOf(http.POST('/v1/plans', { ...options, body })),
    /** Approve, reject or push back. */
    decideTask: (taskId: string, { body, ...options }: { body: operations['decideTask']['requestBody']['content']['application/json'] } & CallOptions) =>
      answerOf(http.POST('/v1/tasks/{taskId}/decisions', { ...options, params: { path: { taskId } }, body })),
    /** This description of the API. */
    describeApi: (options: CallOptions = {}) =>
      answerOf(http.GET('/v1/openapi.json', { ...options })),
    /** Edit the definition of a run: it counts from the next pass of each step; every issue is told at once. */
    editRun: (runId: string, { body, ...options }: { body: operations['editRun']['requestBody']['content']['application/json'] } & CallOptions) =>
      answerOf(http.POST('/v1/runs/{runId}/edit', { ...options, params: { path: { runId } }, body })),
    /** Start a new run that goes on after a pass of this one, from its snapshot. */
    forkRun: (runId: string, { body, ...options }: { body: operations['forkRun']['requestBody']['content']['application/json'] } & CallOptions) =>
      answerOf(http.POST('/v1/runs/{runId}/fork', { ...options, params: { path: { runId } }, body })),
    /** List the versions of a stored definition, newest first. */
    listDefinitionVersions: (name: string, { query = {}, ...options }: { query?: operations['listDefinitionVersions']['parameters']['query'] } & CallOptions = {}) =>
      answerOf(http.GET('/v1/definitions/{name}/versions', { ...options, params: { path: { name }, query } })),
    /** List stored definitions by name, each in its newest version. */
    listDefinitions: ({ query = {}, ...options }: { query?: operations['listDefinitions']['parameters']['query'] } & CallOptions = {}) =>
      answerOf(http.GET('/v1/definitions', { ...options, params: { query } })),
    /** The record of a run: a page, or with `Accept: text/event-stream` a stream that ends with the run. */
    listEvents: (runId: string, { query = {}, ...options }: { query?: operations['listEvents']['parameters']['query'] } & CallOptions = {}) =>
      answerOf(http.GET('/v1/runs/{runId}/events', { ...options, params: { path: { runId }, query } })),
    /** List people, by name. */
    listPeople: ({ query = {}, ...options }: { query?: operations['listPeople']['parameters']['query'] } & CallOptions = {}) =>
      answerOf(http.GET('/v1/people', { ...options, params: { query } })),
    /** List runs, newest first. */
    listRuns: ({ query = {}, ...options }: { query?: operations['listRuns']['parameters']['query'] } & CallOptions = {}) =>
      answerOf(http.GET('/v1/runs', { ...options, params: { query } })),
    /** List stored secrets, by name: names and dates only. */
    listSecrets: ({ query = {}, ...options }: { query?: operations['listSecrets']['parameters']['query'] } & CallOptions = {}) =>
      answerOf(http.GET('/v1/secrets', { ...options, params: { query } })),
    /** List labels that were ever switched; every other label is on. */
    listSources: ({ query = {}, ...options }: { query?: operations['listSources']['parameters']['query'] } & CallOptions = {}) =>
      answerOf(http.GET('/v1/sources', { ...options, params: { query } })),
    /** List questions to people, those of the oldest run first. */
    listTasks: ({ query = {}, ...options }: { query?: operations['listTasks']['parameters']['query'] } & CallOptions = {}) =>
      answerOf(http.GET('/v1/tasks', { ...options, params: { query } })),
    /** Pause a run: what is under way ends and is judged, nothing new begins. */
    pauseRun: (runId: string, { body, ...options }: { body?: NonNullable<operations['pauseRun']['requestBody']>['content']['application/json'] } & CallOptions = {}) =>
      answerOf(http.POST('/v1/runs/{runId}/pause', { ...options, params: { path: { runId } }, ...(body === undefined ? {} : { body }) })),
    /** Send a finished step of a running run back, with a remark; it and all after it are done again. */
    pushBackRun: (runId: string, { body, ...options }: { body: operations['pushBackRun']['requestBody']['content']['application/json'] } & CallOptions) =>
      answerOf(http.POST('/v1/runs/{runId}/push-back', { ...options, params: { path: { runId } }, body })),
    /** Store a definition; one that cannot be run is refused with every issue. */
    putDefinition: (name: string, { body, ...options }: { body: operations['putDefinition']['requestBody']['content']['application/json'] } & CallOptions) =>
      answerOf(http.PUT('/v1/definitions/{name}', { ...options, params: { path: { name } }, body })),
    /** Add a person, or change one (admins). */
    putPerson: (name: string, { body, ...options }: { body: operations['putPerson']['requestBody']['content']['application/json'] } & CallOptions) =>
      answerOf(http.PUT('/v1/people/{name}', { ...options, params: { path: { name } }, body })),
    /** Store a secret; its value is never shown again. */
    putSecret: (name: string, { body, ...options }: { body: operations['putSecret']['requestBody']['content']['application/json'] } & CallOptions) =>
      answerOf(http.PUT('/v1/secrets/{name}', { ...options, params: { path: { name } }, body })),
    /** Switch a label off or on: while it is off, its runs begin no new pass. */
    putSource: (label: string, { body, ...options }: { body: operations['putSource']['requestBody']['content']['application/json'] } & CallOptions) =>
      answerOf(http.PUT('/v1/sources/{label}', { ...options, params: { path: { label } }, body })),
    /** Raise limits of a run; one that is paused for such a limit goes on. */
    raiseRun: (runId: string, { body, ...options }: { body: operations['raiseRun']['requestBody']['content']['application/json'] } & CallOptions) =>
      answerOf(http.POST('/v1/runs/{runId}/raise', { ...options, params: { path: { runId } }, body })),
    /** The content of an artifact, with byte ranges. */
    readArtifact: (sha256: string, options: CallOptions = {}) =>
      textOf(http.GET('/v1/artifacts/{sha256}', { ...options, params: { path: { sha256 } }, parseAs: 'text' })),
    /** What the run changed: its base against its last snapshot, or against the last one of a pass. */
    readDiff: (runId: string, { query = {}, ...options }: { query?: operations['readDiff']['parameters']['query'] } & CallOptions = {}) =>
      textOf(http.GET('/v1/runs/{runId}/diff', { ...options, params: { path: { runId }, query }, parseAs: 'text' })),
    /** Runs by status and hosts by lease, as Prometheus reads them. */
    readMetrics: (options: CallOptions = {}) =>
      textOf(http.GET('/metrics', { ...options, parseAs: 'text' })),
    /** The output of an attempt, also while it runs: text with byte ranges, or a stream that follows it. */
    readOutput: (runId: string, { query = {}, ...options }: { query?: operations['readOutput']['parameters']['query'] } & CallOptions = {}) =>
      textOf(http.GET('/v1/runs/{runId}/output', { ...options, params: { path: { runId }, query }, parseAs: 'text' })),
    /** Remove a person (admins); the token ends at once. */
    removePerson: (name: string, options: CallOptions = {}) =>
      doneOf(http.DELETE('/v1/people/{name}', { ...options, params: { path: { name } } })),
    /** Remove a stored secret. */
    removeSecret: (name: string, { query = {}, ...options }: { query?: operations['removeSecret']['parameters']['query'] } & CallOptions = {}) =>
      doneOf(http.DELETE('/v1/secrets/{name}', { ...options, params: { path: { name }, query } })),
    /** Let a paused run go on; refused while what paused it holds. */
    resumeRun: (runId: string, { body, ...options }: { body?: NonNullable<operations['resumeRun']['requestBody']>['content']['application/json'] } & CallOptions = {}) =>
      answerOf(http.POST('/v1/runs/{runId}/resume', { ...options, params: { path: { runId } }, ...(body === undefined ? {} : { body }) })),
    /** Retry a run that ended or is paused, or steps of it; what is finished is kept. */
    retryRun: (runId: string, { body, ...options }: { body?: NonNullable<operations['retryRun']['requestBody']>['content']['application/json'] } & CallOptions = {}) =>
      answerOf(http.POST('/v1/runs/{runId}/retry', { ...options, params: { path: { runId } }, ...(body === undefined ? {} : { body }) })),
    /** Show a stored definition: the newest version, or the one that is named. */
    showDefinition: (name: string, { query = {}, ...options }: { query?: operations['showDefinition']['parameters']['query'] } & CallOptions = {}) =>
      answerOf(http.GET('/v1/definitions/{name}', { ...options, params: { path: { name }, query } })),
    /** Who the token belongs to. */
    showMe: (options: CallOptions = {}) =>
      answerOf(http.GET('/v1/me', { ...options })),
    /** Show a run; with `wait`, once it has ended or the time is over. */
    showRun: (runId: string, { query = {}, ...options }: { query?: operations['showRun']['parameters']['query'] } & CallOptions = {}) =>
      answerOf(http.GET('/v1/runs/{runId}', { ...options, params: { path: { runId }, query } })),
    /** The definition that the plan of a run comes from, with the edits that were made. */
    showRunDefinition: (runId: string, options: CallOptions = {}) =>
      answerOf(http.GET('/v1/runs/{runId}/definition', { ...options, params: { path: { runId } } })),
    /** Whether this deployment runs loops. */
    showServer: (options: CallOptions = {}) =>
      answerOf(http.GET('/v1/server', { ...options })),
    /** Show a task: what is asked and shown, who may decide, the answers so far. */
    showTask: (taskId: string, options: CallOptions = {}) =>
      answerOf(http.GET('/v1/tasks/{taskId}', { ...options, params: { path: { taskId } } })),
    /** Start a run. */
    startRun: ({ header = {}, body, ...options }: { header?: operations['startRun']['parameters']['header']; body: operations['startRun']['requestBody']['content']['application/json'] } & CallOptions) =>
      answerOf(http.POST('/v1/runs', { ...options, params: { header }, body })),
  };
}
