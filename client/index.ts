// Generated from docs/openapi.json by scripts/generate-client.mjs: change the routes, then npm run generate.

/** What `setpoint/client` exports: the client, its errors, and the shapes of the API. */
export type { FeedPatience, WatchOptions } from '#client/event-feed.ts';
export type { CallOptions, Http, SetpointServer } from '#client/http.ts';
export { SetpointProblem, SetpointUnreachable } from '#client/problem.ts';
export type { components, operations, paths, ArtifactRef, AttemptResult, CheckPlan, Cleanup, CleanupShown, Decide, DecisionShown, DefinitionList, DefinitionListed, DefinitionShown, DefinitionVersions, DeliveryPlan, EditRun, EventPage, Evidence, Finding, ForkRun, Issue, LimitsPlan, LoopAnswers, LoopPlan, Person, PersonList, PersonPut, Plan, PlanShown, Principal, Problem, PushBackRun, PutDefinition, PutPerson, PutSecret, PutSource, RaiseRun, RetryRun, RunDefinitionShown, RunEvent, RunList, RunListed, RunShown, RunStarted, RunSummary, SecretList, SecretListed, Source, SourceList, StartRun, Steer, StepPlan, Stop, StoredEvent, TaskDecided, TaskList, TaskListed, TaskShown, Verdict, WorkspacePlan } from '#client/schema.ts';
export { createSetpointClient, type SetpointClient } from '#client/setpoint-client.ts';
