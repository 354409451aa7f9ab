import type { z } from 'zod';
import { CheckPlan } from '#core/check/check-plan.ts';
import { Evidence, Verdict } from '#core/check/verdict.ts';
import { ArtifactRef } from '#core/contract/artifact.ts';
import { Cleanup, CleanupShown } from '#core/contract/cleanup.ts';
import {
  EventPage,
  PlanShown,
  Problem,
  RunList,
  RunListed,
  RunShown,
  RunStarted,
  StartRun,
} from '#core/contract/http.ts';
import {
  DefinitionList,
  DefinitionListed,
  DefinitionShown,
  DefinitionVersions,
  Person,
  PersonList,
  PersonPut,
  PutDefinition,
  PutPerson,
  PutSecret,
  PutSource,
  SecretList,
  SecretListed,
  Source,
  SourceList,
} from '#core/contract/library.ts';
import { Principal } from '#core/contract/principal.ts';
import { EditRun, ForkRun, PushBackRun, RaiseRun, RetryRun, RunDefinitionShown, Steer } from '#core/contract/steer.ts';
import { Finding, LoopAnswers } from '#core/doctor/finding.ts';
import { Decide, DecisionShown, TaskDecided, TaskList, TaskListed, TaskShown } from '#core/contract/tasks.ts';
import { Issue } from '#core/issue/issue.ts';
import { DeliveryPlan, LimitsPlan, LoopPlan, Plan, StepPlan, WorkspacePlan } from '#core/plan/plan.ts';
import { AttemptResult } from '#core/run/attempt-result.ts';
import { RunEvent } from '#core/run/event.ts';
import { Stop } from '#core/run/stop.ts';
import { RunSummary } from '#core/run/summary.ts';

/**
 * The shapes that have a name in the OpenAPI document, and so in the generated client. A shape is referred to wherever
 * it stands; one that is not listed is written out in place.
 */
export const components: Readonly<Record<string, z.ZodType>> = {
  ArtifactRef,
  AttemptResult,
  CheckPlan,
  Cleanup,
  CleanupShown,
  Decide,
  DecisionShown,
  DefinitionList,
  DefinitionListed,
  DefinitionShown,
  DefinitionVersions,
  DeliveryPlan,
  EditRun,
  EventPage,
  Evidence,
  Finding,
  ForkRun,
  Issue,
  LimitsPlan,
  LoopAnswers,
  LoopPlan,
  Person,
  PersonList,
  PersonPut,
  Plan,
  PlanShown,
  Principal,
  Problem,
  PushBackRun,
  PutDefinition,
  PutPerson,
  PutSecret,
  PutSource,
  RaiseRun,
  RetryRun,
  RunDefinitionShown,
  RunEvent,
  RunList,
  RunListed,
  RunShown,
  RunStarted,
  RunSummary,
  SecretList,
  SecretListed,
  Source,
  SourceList,
  StartRun,
  Steer,
  StepPlan,
  Stop,
  StoredEvent: EventPage.shape.events.element,
  TaskDecided,
  TaskList,
  TaskListed,
  TaskShown,
  Verdict,
  WorkspacePlan,
};
