import type { PersonPlan, Plan, StepPlan } from '#core/plan/plan.ts';

/**
 * What an edit of a run may not change (E3, E-17): its workspace, its steps' identity and order, who works and with which
 * memory, where the result goes, and whose agreement is needed. One sentence each, with what to do; empty = the edit is allowed.
 */
export function editIssues(plan: Plan, edited: Plan): string[] {
  const issues: string[] = [];
  const fixed = (what: string, before: unknown, after: unknown): void => {
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    issues.push(`\`${what}\` cannot change while the run goes on; leave it as it was, or start a new run.`);
  };
  fixed('project', plan.project, edited.project);
  fixed('labels', plan.labels, edited.labels);
  fixed('inputs', plan.inputs, edited.inputs);
  fixed('workspace', plan.workspace, edited.workspace);
  fixed('baseline', plan.baseline, edited.baseline);
  fixed('deliver', plan.deliver, edited.deliver);
  fixed('artifacts', plan.artifacts, edited.artifacts);
  fixed('keepBetweenRuns', plan.keepBetweenRuns, edited.keepBetweenRuns);
  fixed('callback', plan.callback, edited.callback);
  fixed('handlers', plan.handlers, edited.handlers);
  fixed('outputs', plan.outputs, edited.outputs);
  const ids = (of: Plan): string[] => of.steps.map(({ id }) => id);
  fixed('steps (their names and number)', ids(plan), ids(edited));
  for (const step of plan.steps) {
    const after = edited.steps.find(({ id }) => id === step.id);
    if (after === undefined) continue;
    issues.push(...stepIssues(step, after));
    if (asksAfter(plan, step.id)) issues.push(...skipIssues(step, after));
  }
  return issues;
}

function stepIssues(step: StepPlan, edited: StepPlan): string[] {
  const path = `steps.${step.id}`;
  if (step.work.kind !== edited.work.kind) {
    return [`\`${path}\` was a step of kind \`${step.work.kind}\` and stays one.`];
  }
  const fixed: [string, unknown, unknown][] = [
    ['after', step.after, edited.after],
    ['readOnly', step.readOnly, edited.readOnly],
    ['secrets', step.secrets, edited.secrets],
  ];
  if (step.work.kind === 'agent' && edited.work.kind === 'agent') {
    const identity = ({ name, session, fallback, custom, scripted }: typeof step.work.agent) =>
      ({ name, session, fallback, custom, scripted }) as const;
    fixed.push(['agent', identity(step.work.agent), identity(edited.work.agent)]);
  }
  if (step.work.kind === 'call' && edited.work.kind === 'call') {
    fixed.push(['call', step.work.definition, edited.work.definition]);
  }
  if (step.work.kind === 'person') fixed.push(['when', asked(step), asked(edited)]);
  const loosened =
    step.work.kind === 'person' && edited.work.kind === 'person' ? loosenedKeys(step.work, edited.work) : [];
  // A rejection that lets the run go on is none.
  const goesOn = step.work.kind === 'person' && edited.continueOnError && !step.continueOnError;
  const issues = fixed.flatMap(([key, before, after]) => {
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    return [`\`${path}.${key}\` cannot change while the run goes on; leave it as it was, or start a new run.`];
  });
  return [
    ...issues,
    ...loosened.map((key) => loosening(`${path}.person.${key}`)),
    ...(goesOn ? [loosening(`${path}.continueOnError`)] : []),
  ];
}

/** What stands before a step; how often it is asked is for the build to say that compiled the plan. */
function asked({ when }: StepPlan): object | undefined {
  return when === undefined ? undefined : { ...when, once: undefined };
}

/** Is a person asked somewhere after the step? */
function asksAfter(plan: Plan, id: string): boolean {
  const after = new Set([id]);
  // Steps are in the order of their dependencies: one pass reaches them all.
  return plan.steps.some((step) => {
    if (!step.after.some((before) => after.has(before))) return false;
    after.add(step.id);
    return step.work.kind === 'person';
  });
}

/** A8, D5: a step that is skipped can take the question after it along, so that nobody is asked. */
function skipIssues(step: StepPlan, edited: StepPlan): string[] {
  if (edited.skipsDependents !== true) return [];
  if (step.skipsDependents !== true) return [loosening(`steps.${step.id}.skipsDependents`)];
  const isSame = step.work.kind === 'person' || JSON.stringify(asked(step)) === JSON.stringify(asked(edited));
  return isSame ? [] : [loosening(`steps.${step.id}.when`)];
}

function loosening(path: string): string {
  return `\`${path}\` can ask for more while the run goes on, never for less: whoever edits a run could else agree to it alone. Leave it as it was, or start a new run.`;
}

/** D5: who decides, and how many, is the policy under which the run was started. */
function loosenedKeys(before: PersonPlan, edited: PersonPlan): string[] {
  const asked = [...before.who, ...(before.escalate?.to ?? [])];
  const isWidened = (who: readonly string[]): boolean =>
    before.who.length > 0 && who.some((one) => !asked.includes(one));
  const loosened: [string, boolean][] = [
    ['who', isWidened(edited.who) || (before.who.length > 0 && edited.who.length === 0)],
    ['escalate', isWidened(edited.escalate?.to ?? [])],
    ['quorum', edited.quorum < before.quorum],
    ['notAuthor', before.notAuthor && !edited.notAuthor],
    ['time', skipsSooner(before.time, edited.time)],
  ];
  return loosened.flatMap(([key, isLoosened]) => (isLoosened ? [key] : []));
}

/** A question that is skipped when its time is over needs nobody's agreement then. */
function skipsSooner(before: PersonPlan['time'], edited: PersonPlan['time']): boolean {
  if (edited?.onExpiry !== 'skip') return false;
  return before?.onExpiry !== 'skip' || edited.limitSeconds < before.limitSeconds;
}
