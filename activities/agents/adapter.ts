import type { AgentName } from '#core/agent/agent-name.ts';
import type { AgentExit, AgentReport, AgentUsage } from '#core/agent/outcome.ts';

/** One start of an agent. Paths are absolute. */
export interface AgentRequest {
  /** `read`: a reviewer or a read-only step, held by the agent's own flags beside the read-only mount (H3). */
  mode: 'write' | 'read';
  prompt: string;
  model?: string;
  /** The agent's own word for it: `low`, `medium`, `high` … */
  effort?: string;
  /** Further arguments of the CLI, as the plan writes them: after ours, before the prompt. */
  args?: readonly string[];
  session?: AgentSession;
  workspace: string;
  /** The agent's HOME, one directory a run. Not under a temporary directory: Codex then loses its sandbox helper. */
  home: string;
  /** Our sandbox is around the process, so the agent's own permission mode is switched off. */
  contained: boolean;
  /** The program as `locateAgent` found it; the agent's usual name when absent. */
  executable?: string;
  /** Commands that an agent with a permission mode may run although it is not contained (the run's checks). */
  commands?: string[];
  custom?: CustomAgent;
  scripted?: { passes: string[] };
  /** From 1. */
  pass: number;
}

/** `start`: an id of ours, which not every CLI can take. `resume`: the id that the last report gave. */
export type AgentSession = { kind: 'start'; id: string } | { kind: 'resume'; id: string };

export interface CustomAgent {
  command: string[];
  prompt: 'stdin' | 'argument' | 'file';
  output: 'text' | 'json';
}

/** How to start the process. The caller adds the non-interactive environment (A13) and the allow-list (H4). */
export interface AgentInvocation {
  argv: [string, ...string[]];
  env: Record<string, string>;
  /** Absent: give /dev/null. Present: write it and close. */
  stdin?: string;
  /** Written before the start; paths are absolute and inside `home`. */
  files: { path: string; content: string }[];
  /** Host variables without a secret (an endpoint's address): passed when set. */
  variableNames: string[];
  /** Files of the host user's home that are copied to the same place in `home` when they exist and the copy does not. */
  signInFiles: string[];
}

/** What the stream showed, for heartbeats and the hang watch (H2). */
export type Progress =
  | { kind: 'session'; sessionId: string }
  | { kind: 'tool'; name: string; state: 'started' | 'ended' | 'refused' }
  | { kind: 'text'; text: string }
  /** Totals so far of this process (of the session when `cumulative`). */
  | { kind: 'usage'; usage: AgentUsage }
  | { kind: 'notice'; text: string }
  /** The terminal event. A CLI with `endsAtTerminalEvent` may be ended now. */
  | { kind: 'end' };

export interface StreamParser {
  /** Decoded stdout, in pieces of any size. */
  push(chunk: string): Progress[];
  /** Once, after the process ended. `stderr` may be its tail. */
  end(exit: AgentExit, stderr: string): AgentReport;
}

export interface AgentProbe {
  versionArguments: string[];
  /** Undefined when the output names no version. */
  version(stdout: string): string | undefined;
  /** A login is assumed when one of these host variables is set or one of the files (in the user's home) exists. */
  signedInBy: { variables: string[]; files: string[] };
  /** A command whose exit 0 means signed in and any other exit means not. */
  signInCommand?: string[];
  /** What to type to install it, and to sign in. */
  install: string;
  signIn: string;
}

export interface AgentAdapter {
  name: AgentName;
  /** The program's usual name on PATH. */
  program: string;
  /** Throws `agent/prompt-too-large` (A11) and `agent/bad-request` before anything is started. */
  invoke(request: AgentRequest): AgentInvocation;
  /** `now` gives epoch milliseconds; it turns "resets 11:30pm (Europe/Berlin)" into an instant. */
  parser(options: ParserOptions): StreamParser;
  /** Absent for agents that are no program of their own. */
  probe?: AgentProbe;
  /**
   * Host variables with a secret that the agent signs in with: passed to it when set, and redacted in whatever any
   * process of the host says (H4).
   */
  secretNames: readonly string[];
  reportsUsage: 'tokens' | 'cost' | 'none';
  resumable: boolean;
  /** Its sessions go on only in the folder in which they began. */
  sessionsStay?: true;
  /** True: `session.kind: 'start'` sets the id. False: the id comes from the report. */
  takesSessionId: boolean;
  /** The process may linger after its terminal event: end it then. */
  endsAtTerminalEvent: boolean;
  /**
   * What stderr shows once the CLI has tried a refusing provider several times and would go on for minutes. It is ended
   * there, and its last words tell the provider's error, so that the wait is the law's and holds no slot (E6).
   */
  triesInVain?: RegExp;
}

export interface ParserOptions {
  now: () => number;
  /** What a `custom` agent prints; other agents ignore it. */
  output?: 'text' | 'json';
}
