import { z } from 'zod';

import { ArtifactRef } from '#core/contract/artifact.ts';
import { RunListed } from '#core/contract/http.ts';
import { GivenId } from '#core/contract/library.ts';
import { DecisionKind } from '#core/task/question.ts';
import { TaskStatus } from '#core/task/task-record.ts';

/** Shapes of tasks in the HTTP API (docs/guide/people.md). Times are ISO 8601. */

/** A task as lists show it, in its newest revision. */
export const TaskListed = z.object({
  taskId: z.string(),
  runId: z.string(),
  runName: z.string(),
  project: z.string(),
  /** `@limits` where the question is about a limit of the run. */
  step: z.string(),
  pass: z.number().int(),
  /** Counts openings from 1; a decision names the one that was shown (D6). */
  revision: z.number().int(),
  state: TaskStatus,
  /** The question, one line of at most 200 characters. */
  asked: z.string(),
  /** Names and `team:NAME`; empty = everyone who may use the project. */
  who: z.array(z.string()),
  notAuthor: z.boolean(),
  /** How many people must approve, and how many have. */
  quorum: z.number().int(),
  approvals: z.number().int(),
  reminders: z.number().int(),
  openedAt: z.string(),
  updatedAt: z.string(),
  expiresAt: z.string().optional(),
});
export type TaskListed = z.infer<typeof TaskListed>;

export const TaskList = z.object({ tasks: z.array(TaskListed), cursor: z.string().optional() });
export type TaskList = z.infer<typeof TaskList>;

/** A content of the artifact store with where it is read. */
const Linked = z.object({ content: ArtifactRef, url: z.string() });

/** A decision as it was given. */
export const DecisionShown = z.object({
  decision: DecisionKind,
  by: z.string(),
  at: z.string(),
  /** One line, at most 1,000 characters; `text` is the whole with the form. */
  comment: z.string(),
  text: Linked,
  form: z.record(z.string(), z.unknown()).optional(),
  to: z.string().optional(),
  /** False while others are still to answer. */
  final: z.boolean(),
});
export type DecisionShown = z.infer<typeof DecisionShown>;

/** `GET /v1/tasks/{id}`: what was frozen when it opened (D1), and the answers so far. */
export const TaskShown = TaskListed.extend({
  /** At most 8 KiB of the question; `whole` where it is longer. */
  ask: z.object({ text: z.string(), whole: Linked.optional() }),
  shown: z.array(Linked.extend({ name: z.string() })),
  /** JSON Schema of `form` in a decision. */
  form: z.record(z.string(), z.unknown()).optional(),
  /** JSON Schema of `form` in a push back; absent = `form` holds for that, too. */
  pushBackForm: z.record(z.string(), z.unknown()).optional(),
  /** Where a push back may go; the first is the default. Empty = there is no way back. */
  backTo: z.array(z.string()),
  /** The snapshot that is shown; absent with `worktree: off`. */
  commit: z.string().optional(),
  decisions: z.array(DecisionShown),
  /** Why it closed without a decision. */
  closed: z.string().optional(),
  /** Whether whoever asks may decide it; `author` and `not-asked` say why not (D5). */
  mayDecide: z.enum(['yes', 'author', 'not-asked']),
});
export type TaskShown = z.infer<typeof TaskShown>;

/** A comment longer than this is a document of its own. In characters. */
const longestMessage = 64 * 1024;

/** `POST /v1/tasks/{id}/decisions`. `complete` is another word for `approve`. */
export const Decide = z.strictObject({
  decision: z.enum([...DecisionKind.options, 'complete']),
  /** What is told to the next pass. */
  message: z.string().max(longestMessage).optional(),
  /** A push back's target, when it is not the first of `backTo`. */
  to: z.string().max(200).optional(),
  /**
   * Held against the task's schema; required where that requires something and the task is approved, or pushed back with a
   * schema of its own.
   */
  form: z.record(z.string(), z.unknown()).optional(),
  /** The same one again is the same decision (D2); made up when absent. */
  decisionId: GivenId.optional(),
  /** The revision that was shown to whoever decides (D6); the present one when absent. */
  revision: z.number().int().min(1).optional(),
});
export type Decide = z.infer<typeof Decide>;

/** What a decision led to; of one that no worker has answered yet, the task and the run as they were. */
export const TaskDecided = z.object({ decisionId: z.string(), task: TaskShown, run: RunListed });
export type TaskDecided = z.infer<typeof TaskDecided>;
