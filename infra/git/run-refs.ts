/** Names that our own refs of a run use; a step with such a name is escaped. */
const reserved = new Set(['base', 'delivered', 'stranded', 'attempts', 'left', 'forked']);

/** `refs/setpoint/<runId>`: outside the branch namespace, so that neither a push nor a person's `git branch` meets it (F2). */
export function runRef(runId: string, ...parts: readonly string[]): string {
  return ['refs/setpoint', escape(runId), ...parts].join('/');
}

/** The ref of a step's pass; `attempts/…` keeps each attempt of it alive. */
export function snapshotRefs(key: { runId: string; step: string; pass: number; attempt: number }): {
  pass: string;
  attempt: string;
} {
  const step = reserved.has(key.step) ? `%${key.step}` : escape(key.step);
  return {
    pass: runRef(key.runId, step, String(key.pass)),
    attempt: runRef(key.runId, 'attempts', step, String(key.pass), String(key.attempt)),
  };
}

/** Refs that hold what is not a snapshot of ours: a delivery, commits made by hand, work kept from a worktree. */
export function isKeptRef(runId: string, ref: string): boolean {
  return ['delivered', 'stranded', 'left'].some((name) => {
    const kept = runRef(runId, name);
    return ref === kept || ref.startsWith(`${kept}/`);
  });
}

/** Every byte that a ref's name may not hold, as `%xx`; `%` itself too, so that two names never meet. */
function escape(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  );
}
