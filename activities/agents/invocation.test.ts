import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentNames, type AgentName } from '#core/agent/agent-name.ts';
import { Fault } from '#core/contract/fault.ts';
import type { AgentInvocation, AgentRequest } from '#activities/agents/adapter.ts';
import { agents } from '#activities/agents/registry.ts';

const request: AgentRequest = {
  mode: 'write',
  prompt: 'Fix it. $& $$ {{x}} -- "quotes"',
  workspace: '/w',
  home: '/h',
  contained: true,
  pass: 1,
  custom: { command: ['my-agent', '--quiet'], prompt: 'stdin', output: 'text' },
  scripted: { passes: ['echo one', 'echo two'] },
};
const large = 'é'.repeat(40_000);

function invoke(name: AgentName, change: Partial<AgentRequest> = {}): AgentInvocation {
  return agents[name].invoke({ ...request, ...change });
}

function command(name: AgentName, change: Partial<AgentRequest> = {}): string {
  return invoke(name, change).argv.join(' ');
}

describe('A11: a prompt above 64 KiB never travels in argv or in the environment', () => {
  test.each(agentNames)('%s', (name) => {
    const invocation = invoke(name, { prompt: large });
    for (const word of [...invocation.argv, ...Object.values(invocation.env)]) {
      expect(Buffer.byteLength(word)).toBeLessThan(1024);
    }
    const carried = [invocation.stdin, ...invocation.files.map((file) => file.content)];
    expect(carried).toContain(large);
  });

  test.each(['copilot', 'cursor'] as const)(
    '%s takes a small prompt as an argument and is told to read the file of a large one',
    (name) => {
      expect(invoke(name).argv.at(-1)).toBe(request.prompt);
      expect(invoke(name).files).toEqual([]);
      const { argv, files } = invoke(name, { prompt: large });
      expect(argv.at(-1)).toContain('/h/prompts/pass-1.md');
      expect(files).toEqual([{ path: '/h/prompts/pass-1.md', content: large }]);
    },
  );

  test('a custom agent that takes it only as an argument is refused before it starts', () => {
    const custom = { command: ['my-agent'], prompt: 'argument', output: 'text' } as const;
    const refused = (): AgentInvocation =>
      invoke('custom', { prompt: large, custom: { ...custom, command: [...custom.command] } });
    expect(refused).toThrow(Fault);
    expect(refused).toThrow(/80000 bytes.*prompt: stdin/);
  });

  test('a prompt arrives as it is: nothing in it is expanded', () => {
    for (const name of agentNames) {
      const { argv, stdin, files } = invoke(name);
      expect([stdin, argv.at(-1), files[0]?.content]).toContain(request.prompt);
    }
  });
});

describe('H3, T-03: a reader is held by the agent’s own flags', () => {
  test.each([
    ['codex', '--sandbox read-only'],
    ['claude', '--permission-mode=plan'],
    ['opencode', '--agent plan'],
    ['pi', '--tools read,grep,find,ls'],
    ['cursor', '--mode plan'],
    ['gemini', '--approval-mode plan'],
    ['copilot', '--deny-tool=write --deny-tool=shell'],
    ['aider', '--dry-run --chat-mode ask'],
  ] as const)('%s: %s', (name, flags) => {
    expect(command(name, { mode: 'read', contained: false })).toContain(flags);
    expect(command(name, { mode: 'write', contained: false })).not.toContain(flags);
  });

  test('OpenCode’s plan agent would run any command, so all but reading git are denied', () => {
    const denied = { edit: 'deny', bash: { '*': 'deny', 'git diff*': 'allow' } };
    expect(JSON.parse(invoke('opencode', { mode: 'read' }).env['OPENCODE_PERMISSION'] ?? '')).toMatchObject(denied);
    expect(invoke('opencode').env).not.toHaveProperty('OPENCODE_PERMISSION');
  });

  test('Goose is held by its mode, and Amp by not being told to skip its questions', () => {
    expect(invoke('goose', { mode: 'read' }).env['GOOSE_MODE']).toBe('chat');
    expect(command('amp', { mode: 'read' })).not.toContain('--dangerously-allow-all');
  });
});

describe('T-03: inside our sandbox the agent’s own permission mode is off, outside it is on', () => {
  test.each([
    ['codex', '--dangerously-bypass-approvals-and-sandbox', '--sandbox workspace-write'],
    ['claude', '--permission-mode=bypassPermissions', '--permission-mode=acceptEdits'],
    ['opencode', '--auto', '--format json'],
    ['gemini', '--approval-mode yolo', '--approval-mode auto_edit'],
    ['copilot', '--allow-all-tools', '--allow-tool=write'],
    ['cursor', '--sandbox disabled', '--sandbox enabled'],
  ] as const)('%s: %s, else %s', (name, inside, outside) => {
    expect(command(name, { contained: true })).toContain(inside);
    expect(command(name, { contained: false })).toContain(outside);
    expect(command(name, { contained: false })).not.toContain(inside);
  });

  test('not contained, Claude and Copilot may still run the checks', () => {
    const checks = { contained: false, commands: ['npm test'] };
    expect(invoke('claude', checks).argv).toContain('--allowedTools=Bash(npm test)');
    expect(invoke('copilot', checks).argv).toContain('--allow-tool=shell(npm test)');
  });

  test('Claude is told of the sandbox only when there is one', () => {
    expect(invoke('claude').env['IS_SANDBOX']).toBe('1');
    expect(invoke('claude', { contained: false }).env).not.toHaveProperty('IS_SANDBOX');
  });
});

describe('T-02: further arguments stand after ours and before the prompt', () => {
  test.each([
    ['codex', ['--search', '-c', 'x=1'], '--search -c x=1 -'],
    ['claude', ['--max-turns=5'], '--max-turns=5'],
    ['opencode', ['--title', 'a b'], '--title a b'],
    ['pi', ['--no-extensions'], '--no-extensions'],
    ['cursor', ['--header', 'a'], `--header a -- ${request.prompt}`],
    ['gemini', ['--extensions', 'none'], '--extensions none'],
    ['copilot', ['--no-color'], `--no-color -p ${request.prompt}`],
    ['amp', ['--no-ide'], '--no-ide'],
    ['goose', ['--debug'], '--debug --instructions /h/prompts/pass-1.md'],
    ['aider', ['--no-gitignore'], '--no-gitignore --message-file /h/prompts/pass-1.md'],
  ] as const)('T-02: %s', (name, args, end) => {
    const argv = command(name, { args, model: 'm' });
    expect(argv.endsWith(end)).toBe(true);
    expect(argv.slice(0, -end.length)).not.toContain(args[0]);
  });

  test('T-02: a session that goes on has them, too, where Codex takes options', () => {
    const session = { kind: 'resume', id: 'a-b' } as const;
    expect(command('codex', { args: ['--search'], session })).toMatch(/ --search resume a-b -$/);
  });
});

describe('T-03: the command form of each provider', () => {
  test.each([
    ['codex', 'codex exec --json ', '--sandbox workspace-write -C /w', '--sandbox read-only -C /w'],
    ['opencode', 'opencode run --dir /w --format json', '', '--agent plan'],
    ['claude', 'claude -p --output-format=', '--permission-mode=acceptEdits', '--permission-mode=plan'],
    ['pi', 'pi --mode json', '', '--tools read,grep,find,ls'],
    ['cursor', 'cursor-agent --print --output-format stream-json', '--force --sandbox enabled', '--mode plan'],
  ] as const)('T-03: %s', (name, begin, write, read) => {
    const writer = command(name, { contained: false });
    const reader = command(name, { contained: false, mode: 'read' });
    for (const argv of [writer, reader]) expect(argv.startsWith(begin)).toBe(true);
    expect(writer).toContain(write);
    expect(writer).not.toContain(read);
    expect(reader).toContain(read);
  });

  test('T-03: OpenCode writes with --auto where our sandbox is around it, and a reviewer never does', () => {
    expect(command('opencode')).toContain('--auto');
    expect(command('opencode', { mode: 'read' })).not.toContain('--auto');
  });
});

describe('E4: sessions', () => {
  const id = '6f22438d-a280-4e63-9e0f-9c227a77afe3';
  test.each([
    ['claude', `--session-id=${id}`, `--resume=${id}`],
    ['pi', `--session-id ${id}`, `--session ${id}`],
    ['gemini', `--session-id ${id}`, `--resume ${id}`],
    ['copilot', `--session-id=${id}`, `--resume=${id}`],
  ] as const)('%s starts with our id and resumes it', (name, started, resumed) => {
    expect(agents[name].takesSessionId).toBe(true);
    expect(command(name, { session: { kind: 'start', id } })).toContain(started);
    expect(command(name, { session: { kind: 'resume', id } })).toContain(resumed);
  });

  test.each([
    ['codex', `resume ${id} -`],
    ['opencode', `--session ${id}`],
    ['cursor', `--resume=${id}`],
  ] as const)('%s makes its own id, so a start does not name one', (name, resumed) => {
    expect(agents[name].takesSessionId).toBe(false);
    expect(command(name, { session: { kind: 'start', id } })).not.toContain(id);
    expect(command(name, { session: { kind: 'resume', id } })).toContain(resumed);
  });

  test('Codex takes its options before `resume`', () => {
    const { argv } = invoke('codex', { session: { kind: 'resume', id }, model: 'm', effort: 'high' });
    expect(argv.slice(-3)).toEqual(['resume', id, '-']);
    expect(argv).toContain('model_reasoning_effort="high"');
  });
});

describe('where an agent lives', () => {
  test.each(agentNames)('%s has its home in the run’s home, and the program that was found', (name) => {
    const { env, argv, files, signInFiles } = invoke(name, { executable: '/opt/it' });
    expect(env['HOME']).toBe('/h');
    expect(argv[0]).toBe('/opt/it');
    for (const { path } of files) expect(path.startsWith('/h/')).toBe(true);
    for (const path of signInFiles) expect(path).toMatch(/^\.[^/]/);
  });

  test('nothing of the host’s environment is read: secrets are named, not given', () => {
    for (const name of agentNames) expect(JSON.stringify(invoke(name).env)).not.toContain('KEY');
    expect(agents.claude.secretNames).toContain('ANTHROPIC_API_KEY');
  });
});

describe('custom', () => {
  test.each([
    ['stdin', ['my-agent', '--quiet']],
    ['argument', ['my-agent', '--quiet', request.prompt]],
    ['file', ['my-agent', '--quiet', '/h/prompts/pass-1.md']],
  ] as const)('takes the prompt by %s', (prompt, argv) => {
    const custom = { command: ['my-agent', '--quiet'], prompt, output: 'text' as const };
    expect(invoke('custom', { custom }).argv).toEqual(argv);
  });

  test('without a command it is refused with the remedy', () => {
    expect(() => invoke('custom', { custom: { command: [], prompt: 'stdin', output: 'text' } })).toThrow(/Give it one/);
  });
});

describe('scripted', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'scripted-'));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  async function run(change: Partial<AgentRequest>): Promise<string> {
    const { argv, stdin, files } = invoke('scripted', { home, workspace: home, ...change });
    for (const { path, content } of files) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
    const [program, ...rest] = argv;
    // Most scripts leave their stdin unread: execa bears the broken pipe, as whoever starts an agent must.
    const { stdout } = await execa(program, rest, { cwd: home, input: stdin ?? '', stripFinalNewline: false });
    return stdout;
  }

  test('runs the shell of the pass, and the last one again for every later pass', async () => {
    const scripted = { passes: ['echo one', 'echo two'] };
    const outputs = await Promise.all([1, 2, 3, 9].map((pass) => run({ pass, scripted })));
    expect(outputs).toEqual(['one\n', 'two\n', 'two\n', 'two\n']);
  });

  test('has the prompt on stdin', async () => {
    expect(await run({ scripted: { passes: ['cat > prompt.txt; wc -c < prompt.txt'] } })).toContain(
      String(request.prompt.length),
    );
    expect(await readFile(join(home, 'prompt.txt'), 'utf8')).toBe(request.prompt);
  });

  test('A11: a script above 64 KiB is started from a file', async () => {
    expect(await run({ scripted: { passes: [`: ${'x'.repeat(200_000)}\necho done`] } })).toBe('done\n');
  });

  test('without passes it is refused with the remedy', () => {
    expect(() => invoke('scripted', { scripted: { passes: [] } })).toThrow(/Give it one/);
  });
});
