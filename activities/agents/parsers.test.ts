import { describe, expect, test } from 'vitest';
import { agentNames, type AgentName } from '#core/agent/agent-name.ts';
import { attemptOutcome } from '#core/agent/attempt-outcome.ts';
import type { AgentExit } from '#core/agent/outcome.ts';
import type { Progress } from '#activities/agents/adapter.ts';
import { agents } from '#activities/agents/registry.ts';

const now = (): number => Date.parse('2026-11-30T12:00:00Z');
const ok: AgentExit = { exitCode: 0, endedBy: 'itself' };

function lines(...events: unknown[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

function progressOf(name: AgentName, stdout: string): Progress[] {
  return agents[name].parser({ now }).push(stdout);
}

const streaming = agentNames.filter((name) => !['amp', 'goose', 'aider', 'custom', 'scripted'].includes(name));

describe('every event parser', () => {
  test.each(streaming)('%s bears garbage, foreign JSON, a cut last line and odd fields', (name) => {
    const parser = agents[name].parser({ now });
    parser.push('not json\n[1,2]\n"text"\nnull\n{"type":7}\n{"type":"result","stats":"x","data":[1]}\n');
    parser.push('{"type":"assistant","message":{"content":"text","usage":{"input_tokens":-5}}}\n');
    parser.push('{"type":"message_end","message":{"role":"assistant","usage":{"input":1e999}}}\n{"type":"cut');
    const report = parser.end({ exitCode: 1, endedBy: 'itself' }, '');
    expect(attemptOutcome('write', { exitCode: 1, endedBy: 'itself' }, report).kind).not.toBe('ok');
    const { inputTokens = 0 } = report.usage ?? {};
    expect(inputTokens).toBeGreaterThanOrEqual(0);
  });

  test.each(streaming)('%s with no output at all is never ok at exit 0', (name) => {
    const report = agents[name].parser({ now }).end(ok, '');
    expect(report.terminalEvent).toBe('missing');
    expect(attemptOutcome('write', ok, report).kind).toBe('inconsistent_exit');
  });
});

describe('H2: progress is what the stream showed', () => {
  test('Codex: session, tools, text, usage, end', () => {
    const stdout = lines(
      { type: 'thread.started', thread_id: 't1' },
      { type: 'item.started', item: { type: 'command_execution' } },
      { type: 'item.completed', item: { type: 'command_execution' } },
      { type: 'item.completed', item: { type: 'agent_message', text: 'done' } },
      { type: 'turn.completed', usage: { input_tokens: 5, cached_input_tokens: 2, output_tokens: 1 } },
    );
    expect(progressOf('codex', stdout)).toEqual([
      { kind: 'session', sessionId: 't1' },
      { kind: 'tool', name: 'command_execution', state: 'started' },
      { kind: 'tool', name: 'command_execution', state: 'ended' },
      { kind: 'text', text: 'done' },
      { kind: 'usage', usage: { inputTokens: 5, cachedInputTokens: 2, outputTokens: 1, cumulative: true } },
      { kind: 'end' },
    ]);
  });

  test('H1: Claude’s usage grows with each message and counts a message told twice once', () => {
    const message = (id: string, part: object): unknown => ({
      type: 'assistant',
      session_id: 's',
      message: { id, content: [part], usage: { input_tokens: 100, output_tokens: 10 } },
    });
    const usages = progressOf(
      'claude',
      lines(
        message('m1', { type: 'text', text: 'a' }),
        message('m1', { type: 'tool_use', id: 't', name: 'Bash' }),
        message('m2', { type: 'text', text: 'b' }),
      ),
    ).flatMap((progress) => (progress.kind === 'usage' ? [progress.usage.inputTokens] : []));
    expect(usages).toEqual([100, 100, 200]);
  });

  test('a text harness shows each piece of output', () => {
    expect(progressOf('amp', 'working')).toEqual([{ kind: 'text', text: 'working' }]);
  });
});

describe('A12: a permission stop', () => {
  const denied = { tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'npm test' } };
  const use = (id: string): unknown => ({
    type: 'assistant',
    message: { id: `m${id}`, content: [{ type: 'tool_use', id, name: 'Bash' }] },
  });
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'done', permission_denials: [denied] };

  test('Claude’s last tool call was refused: it stopped for want of the permission', () => {
    const parser = agents.claude.parser({ now });
    parser.push(lines(use('t1'), result));
    const report = parser.end(ok, '');
    expect(attemptOutcome('write', ok, report)).toEqual({ kind: 'permission_stop', denials: ['Bash: npm test'] });
    expect(attemptOutcome('read', ok, report)).toEqual({ kind: 'ok' });
  });

  test('it found another way afterwards: the refusal is recorded and the work is judged', () => {
    const parser = agents.claude.parser({ now });
    parser.push(lines(use('t1'), use('t2'), result));
    const report = parser.end(ok, '');
    expect(report).toMatchObject({ denials: ['Bash: npm test'], permissionStop: false });
    expect(attemptOutcome('write', ok, report)).toEqual({ kind: 'ok' });
  });
});

describe('E4: a lost session', () => {
  test('Claude tells it in a result event under stream-json', () => {
    const parser = agents.claude.parser({ now });
    const message = 'No conversation found with session ID: 11111111-2222-3333-4444-555555555555';
    parser.push(
      lines({ type: 'result', subtype: 'error_during_execution', is_error: true, errors: [message], modelUsage: {} }),
    );
    const exit: AgentExit = { exitCode: 1, endedBy: 'itself' };
    expect(attemptOutcome('write', exit, parser.end(exit, message))).toEqual({ kind: 'session_lost', message });
  });
});

describe('Cursor (shapes as documented; it cannot be installed everywhere)', () => {
  const done = lines(
    { type: 'system', subtype: 'init', session_id: 'chat-1', model: 'auto' },
    { type: 'tool_call', subtype: 'started', call_id: 'c', tool_call: { writeToolCall: { args: {} } } },
    {
      type: 'tool_call',
      subtype: 'completed',
      call_id: 'c',
      tool_call: { writeToolCall: { result: { success: {} } } },
    },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'Done.' }] }, session_id: 'chat-1' },
    { type: 'result', subtype: 'success', is_error: false, duration_ms: 5, result: 'Done.', session_id: 'chat-1' },
  );

  test('its result event is the end, although the process may never exit', () => {
    expect(agents.cursor.endsAtTerminalEvent).toBe(true);
    const parser = agents.cursor.parser({ now });
    expect(parser.push(done).at(-1)).toEqual({ kind: 'end' });
    const exit: AgentExit = { exitCode: null, signal: 'SIGKILL', endedBy: 'terminal_event' };
    const report = parser.end(exit, '');
    expect(report).toEqual({
      sessionId: 'chat-1',
      finalText: 'Done.',
      terminalEvent: 'seen',
      denials: [],
      permissionStop: false,
    });
    expect(attemptOutcome('write', exit, report)).toEqual({ kind: 'ok' });
  });

  test('a failure is plain words on stderr', () => {
    const exit: AgentExit = { exitCode: 1, endedBy: 'itself' };
    const report = agents.cursor
      .parser({ now })
      .end(exit, "Error: Authentication required. Please run 'agent login' first");
    expect(report.error?.class).toBe('auth');
  });
});

describe('E6: a CLI that tries again by itself', () => {
  test('Gemini ended while a rate limit refused it: the provider is the cause, with its reset, whatever was said before', () => {
    const parser = agents.gemini.parser({ now });
    parser.push(lines({ type: 'init', session_id: 's' }, { type: 'message', role: 'assistant', content: 'I look.' }));
    const words =
      'Attempt 3 failed with status 429. Retrying with backoff... _ApiError: Please try again in 40s.\n  status: 429\n}\n';
    const exit: AgentExit = { exitCode: null, signal: 'SIGKILL', endedBy: 'terminal_event' };
    const outcome = attemptOutcome('write', exit, parser.end(exit, words));
    expect(outcome).toMatchObject({ kind: 'provider_error', class: 'quota', retryAfterSeconds: 40 });
  });
});

describe('A5: custom and text harnesses', () => {
  test('V-07: the recorded output of text is the stdout; of more than 256 Ki characters the tail', () => {
    const parser = agents.custom.parser({ now });
    parser.push('head');
    parser.push('x'.repeat(300_000));
    parser.push('tail');
    const { finalText = '', terminalEvent } = parser.end(ok, '');
    expect(terminalEvent).toBe('none_expected');
    expect(finalText).toHaveLength(256 * 1024);
    expect(finalText.endsWith('tail')).toBe(true);
  });

  test.each([
    ['one object a line, the last counts', '{"text":"a"}\nnoise\n{"result":"b","session_id":"s"}\n'],
    ['one document over several lines', '{\n  "result": "b",\n  "session_id": "s"\n}\n'],
  ])('json: %s', (_how, stdout) => {
    const parser = agents.custom.parser({ now, output: 'json' });
    parser.push(stdout);
    expect(parser.end(ok, '')).toMatchObject({ finalText: 'b', sessionId: 's', terminalEvent: 'seen' });
  });

  test('json: an error in the object is no success at exit 0, and neither is output without an object', () => {
    const failing = agents.custom.parser({ now, output: 'json' });
    failing.push('{"is_error":true,"result":"could not"}');
    expect(attemptOutcome('write', ok, failing.end(ok, '')).kind).toBe('inconsistent_exit');
    const silent = agents.custom.parser({ now, output: 'json' });
    silent.push('all fine\n');
    expect(attemptOutcome('write', ok, silent.end(ok, '')).kind).toBe('inconsistent_exit');
  });
});
