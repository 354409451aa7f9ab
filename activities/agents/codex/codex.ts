import { join } from 'node:path';
import type { AgentAdapter, AgentInvocation, AgentRequest } from '#activities/agents/adapter.ts';
import { CodexEvents } from '#activities/agents/codex/codex-events.ts';
import { eventStreamParser } from '#activities/agents/stream/event-stream.ts';

export const codex: AgentAdapter = {
  name: 'codex',
  program: 'codex',
  invoke,
  parser: ({ now }) => eventStreamParser(new CodexEvents(), now),
  probe: {
    versionArguments: ['--version'],
    version: (stdout) => /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0],
    signedInBy: { variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'], files: ['.codex/auth.json'] },
    signInCommand: ['login', 'status'],
    install: 'npm install -g @openai/codex',
    signIn: 'codex login',
  },
  secretNames: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  reportsUsage: 'tokens',
  resumable: true,
  takesSessionId: false,
  endsAtTerminalEvent: false,
};

function invoke(request: AgentRequest): AgentInvocation {
  const { session } = request;
  // Options stand before `resume`; the prompt is always on stdin, where it cannot be taken for a subcommand.
  const tail = session?.kind === 'resume' ? ['resume', session.id, '-'] : ['-'];
  return {
    argv: [
      request.executable ?? 'codex',
      'exec',
      '--json',
      '--skip-git-repo-check',
      ...sandbox(request),
      '-C',
      request.workspace,
      // Codex's own key must not be visible to the commands that it runs.
      '-c',
      'shell_environment_policy.inherit="core"',
      ...(request.model === undefined ? [] : ['--model', request.model]),
      ...(request.effort === undefined ? [] : ['-c', `model_reasoning_effort=${JSON.stringify(request.effort)}`]),
      ...(request.args ?? []),
      ...tail,
    ],
    env: { HOME: request.home, CODEX_HOME: join(request.home, '.codex') },
    stdin: request.prompt,
    files: [],
    variableNames: ['OPENAI_BASE_URL'],
    signInFiles: ['.codex/auth.json', '.codex/config.toml'],
  };
}

/**
 * Contained, a writer runs without Codex's own sandbox: inside another one it cannot start, fails each tool call
 * and still exits 0. A reader keeps it off too, since only our read-only mount can hold it there (H3).
 */
function sandbox({ contained, mode }: AgentRequest): string[] {
  if (contained) return ['--dangerously-bypass-approvals-and-sandbox'];
  return ['--sandbox', mode === 'write' ? 'workspace-write' : 'read-only'];
}
