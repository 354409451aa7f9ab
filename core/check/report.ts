import { z } from 'zod';

import type { Verdict } from '#core/check/verdict.ts';
import type { CheckPlanOf } from '#core/check/check-plan.ts';
import { WorkItem, worklistText } from '#core/check/work-item.ts';
import { oneLine } from '#core/text/quote.ts';

/** The agent's own report of a pass (B7): what it says it made, and what it says is left. */
export interface Report {
  /** Paths in the workspace, without a leading `./`. */
  artifacts: string[];
  /** Absent when the report holds none. */
  worklist?: WorkItem[];
}

export type ReportRead = { kind: 'report'; report: Report } | { kind: 'broken'; reason: string };

const Loop = z.object({ artifacts: z.array(z.string()).optional(), worklist: z.array(WorkItem).optional() });
const Wrapped = z.object({ loop: Loop });

/** Reads `{"loop": {"artifacts": […], "worklist": […]}}`, with or without the wrapper; other keys are the agent's own. */
export function readReport(text: string): ReportRead {
  const json = jsonOf(text);
  if (json === undefined) return { kind: 'broken', reason: 'it is no JSON' };
  const inner = isWrapped(json) ? Wrapped.safeParse(json) : Loop.safeParse(json);
  if (!inner.success) {
    const [issue] = inner.error.issues;
    const at = issue === undefined || issue.path.length === 0 ? '' : ` at \`${issue.path.join('.')}\``;
    return { kind: 'broken', reason: `it does not have the shape of a report${at}` };
  }
  const { artifacts = [], worklist } = 'loop' in inner.data ? inner.data.loop : inner.data;
  return {
    kind: 'report',
    report: {
      artifacts: artifacts.map(plainPath),
      ...(worklist === undefined ? {} : { worklist }),
    },
  };
}

/** `./docs/a.md` and `docs/a.md` are one path. */
export function plainPath(path: string): string {
  return path.trim().replace(/^(?:\.\/+)+/, '');
}

/** What an agent's report says of what its check wants, before anybody looked into the work. */
export interface ReportJudged {
  kind: Verdict['kind'];
  summary: string;
  /** For the next pass; empty when there is nothing to tell. */
  feedback: string;
}

/** B7: the verdict of a report; `holds` tells whether the judged work has the file that it wants. */
export function verdictOfReport(read: ReportRead, check: CheckPlanOf<'report'>, holds: boolean): ReportJudged {
  const { file, wants } = check;
  if (read.kind === 'broken') return told('missing', `${file} cannot be read: ${read.reason}`, reportShape);
  return wants.kind === 'artifact'
    ? ofArtifact(read.report, { file, path: plainPath(wants.path), holds })
    : ofWorklist(read.report, file);
}

/** What the agent is told that it should have written. */
export const reportShape =
  'A report is JSON of this shape: {"loop": {"artifacts": ["path"], "worklist": [{"task": "what is to be done", "done": false}]}}';

function ofArtifact(report: Report, wanted: { file: string; path: string; holds: boolean }): ReportJudged {
  const { file, path, holds } = wanted;
  if (!report.artifacts.includes(path)) {
    return told('missing', `${file} does not list ${path} among its artifacts`, reportShape);
  }
  if (!holds) return told('fail', `${file} lists ${path}, but the work does not hold it`);
  return told('pass', `${path} is listed, and is there`);
}

function ofWorklist({ worklist }: Report, file: string): ReportJudged {
  if (worklist === undefined) return told('missing', `${file} holds no worklist`, reportShape);
  const open = worklist.filter(({ done }) => !done);
  if (open.length === 0) return told('pass', `nothing of ${worklist.length} item(s) is open`);
  const first = oneLine(open[0]?.task ?? '', mostCharacters);
  const summary = `${open.length} of ${worklist.length} item(s) are open, first: ${first}`;
  return told('fail', summary, worklistText(worklist));
}

const mostCharacters = 200;

function told(kind: Verdict['kind'], summary: string, feedback = ''): ReportJudged {
  return { kind, summary, feedback };
}

function isWrapped(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'loop' in json;
}

function jsonOf(text: string): unknown {
  try {
    // A file that an editor saved may begin with a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
