import { z } from 'zod';

/** A full object name, in SHA-1 or SHA-256 repositories. */
export const ObjectId = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/);
export type ObjectId = z.infer<typeof ObjectId>;

/** What a snapshot had to correct or keep so that no work is lost (F5, F6). None of them fails the snapshot. */
export const Finding = z.discriminatedUnion('kind', [
  /** Folders that hold a repository of their own; their files were recorded as plain files. */
  z.object({ kind: z.literal('nested_repository'), paths: z.array(z.string()), detail: z.string() }),
  /** Commits that were made by hand; each tip is kept under `refs/setpoint/<runId>/stranded/`. */
  z.object({
    kind: z.literal('stranded_commits'),
    commits: z.array(ObjectId),
    refs: z.array(z.string()),
    detail: z.string(),
  }),
  /** `.git` of the workspace was not ours any more; it was moved to `movedTo` (if there was one) and replaced. */
  z.object({ kind: z.literal('pointer_replaced'), movedTo: z.string().optional(), detail: z.string() }),
  /** Submodules that were moved or filled; the snapshot keeps the commit that the base names. */
  z.object({ kind: z.literal('submodule_kept'), paths: z.array(z.string()), detail: z.string() }),
  /** Attributes with which git refuses some files; they were recorded without any conversion. */
  z.object({ kind: z.literal('attributes_ignored'), detail: z.string() }),
]);
export type Finding = z.infer<typeof Finding>;

/** The tree and HEAD of a workspace: its part of the fingerprint of a pass (C8). */
export const Fingerprint = z.object({ tree: ObjectId, head: ObjectId });
export type Fingerprint = z.infer<typeof Fingerprint>;

/** A commit outside the branch namespace that holds everything a workspace held, ignored files apart (F2). */
export const Snapshot = z.object({
  commit: ObjectId,
  tree: ObjectId,
  parent: ObjectId,
  /** Number of paths that differ from the snapshot before. */
  changedPaths: z.int().nonnegative(),
  findings: z.array(Finding),
  fingerprint: Fingerprint,
});
export type Snapshot = z.infer<typeof Snapshot>;

export const PathChange = z.object({ path: z.string(), change: z.enum(['added', 'modified', 'removed']) });
export type PathChange = z.infer<typeof PathChange>;

/** What a workspace holds now, against its last snapshot. Lists are cut at 200 paths, `count` is exact. */
export const TreeState = z.object({
  fingerprint: Fingerprint,
  changed: z.array(PathChange),
  count: z.int().nonnegative(),
});
export type TreeState = z.infer<typeof TreeState>;

/** What a roll-back undid (B12). `headMoved`: HEAD was set back too. Lists are cut at 200 paths, `count` is exact. */
export const Rollback = z.object({
  tree: ObjectId,
  undone: z.array(PathChange),
  count: z.int().nonnegative(),
  headMoved: z.boolean(),
});
export type Rollback = z.infer<typeof Rollback>;
