import { PlanShown, type StartRun } from '#core/contract/http.ts';
import { present } from '#core/definition/present.ts';
import type { Plan } from '#core/plan/plan.ts';

import { answerAs } from '#mcp/answer-as.ts';
import { planTold } from '#mcp/run-told.ts';
import type { Session } from '#mcp/session.ts';

/** A definition as tools are given it. */
export interface GivenDefinition extends Pick<
  StartRun,
  'source' | 'definition' | 'name' | 'version' | 'file' | 'dialect' | 'project' | 'inputs' | 'labels' | 'priority'
> {
  repo?: string | undefined;
  agent?: string | undefined;
  deliver?: NonNullable<StartRun['overrides']>['deliver'];
}

/** The request that means it: with the project and the folder of the session where it names none. */
export function startRequest(session: Session, given: GivenDefinition): StartRun {
  const { repo = session.repo, agent, deliver, project = session.project, ...rest } = given;
  return { ...present(rest), ...present({ project }), overrides: present({ repo, agent, deliver }) };
}

/** Compiled by the server, which creates nothing of it. */
export async function compiledPlan(session: Session, request: StartRun): Promise<{ plan: Plan; found: object }> {
  const answer = await session.client.compilePlan({ body: request });
  const { plan } = answerAs(answer, PlanShown);
  // Whatever else the server says about it: warnings, and what its doctor finds.
  const { plan: _plan, ...found } = answer;
  return { plan, found };
}

/** The plan in plain words with what is found about it. */
export async function planned(session: Session, given: GivenDefinition): Promise<object> {
  const { plan, found } = await compiledPlan(session, startRequest(session, given));
  return { ...planTold(plan), ...found };
}
