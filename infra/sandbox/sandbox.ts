/** What a contained command may touch. All paths are absolute. */
export interface SandboxRequest {
  /** The executable as found on the host (absolute), then its arguments. */
  argv: readonly [string, ...string[]];
  cwd: string;
  env: Readonly<Record<string, string>>;
  workspace: { path: string; access: 'write' | 'read' };
  /** More folders that may be written, such as the agent's home. They must exist. */
  writable: readonly string[];
  /** More folders or files that may be read. */
  readable: readonly string[];
  /** Files and folders that are seen, read-only, at another place, which exists (bwrap only). */
  provided?: readonly { from: string; at: string }[];
  /** False takes the network away (bwrap only). */
  network: boolean;
}

/** What the host spawns for a request. */
export interface SandboxLaunch {
  argv: readonly [string, ...string[]];
  cwd: string;
  /**
   * True when the command runs under a holder in a pid namespace of its own: a small shell that reports the command's
   * exit code on file descriptor 3 and waits there until the host has seen what is left (A10).
   */
  held: boolean;
}

export interface Sandbox {
  readonly kind: 'bwrap' | 'none';
  launch(request: SandboxRequest): SandboxLaunch;
}

/** No isolation at all: the command runs with the host's own rights, and read-only access is not enforced. */
export const noSandbox: Sandbox = {
  kind: 'none',
  launch: ({ argv, cwd }) => ({ argv, cwd, held: false }),
};
