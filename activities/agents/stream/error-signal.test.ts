import { describe, expect, test } from 'vitest';
import type { AgentError } from '#core/agent/outcome.ts';
import type { AgentName } from '#core/agent/agent-name.ts';
import { agents } from '#activities/agents/registry.ts';

const now = (): number => Date.parse('2026-11-30T12:00:00Z');

function errorOf(name: AgentName, run: { stdout?: string; stderr?: string; exitCode: number }): AgentError | undefined {
  const parser = agents[name].parser({ now });
  parser.push(run.stdout ?? '');
  return parser.end({ exitCode: run.exitCode, endedBy: 'itself' }, run.stderr ?? '').error;
}

const limitText = "You've hit your limit · resets 11:30pm (Europe/Berlin)";

describe('E6: quota comes only from the provider’s error signal', () => {
  test('R019: exit 0 and subtype success with is_error is a quota error', () => {
    const stdout =
      '{"type":"result","subtype":"success","is_error":true,"result":"API Error: Rate limit reached","num_turns":0}\n';
    expect(errorOf('claude', { stdout, exitCode: 0 })).toEqual({
      class: 'quota',
      message: 'API Error: Rate limit reached',
    });
  });

  test.each(['claude', 'codex', 'gemini', 'amp', 'custom'] as const)(
    'R049: %s failing with the limit waits to that instant',
    (name) => {
      for (const run of [{ stdout: `${limitText}\n` }, { stderr: `${limitText}\n` }]) {
        expect(errorOf(name, { ...run, exitCode: 1 })).toEqual({
          class: 'quota',
          message: limitText,
          resetAt: '2026-11-30T22:30:00.000Z',
        });
      }
    },
  );

  test.each(['claude', 'amp', 'custom', 'scripted'] as const)(
    'R049: %s that talks about a rate limit and exits 0 has no error',
    (name) => {
      const text = 'I fixed the rate limit handler; try again in 5 minutes works';
      const stdout =
        name === 'claude'
          ? `${JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: text })}\n`
          : text;
      expect(errorOf(name, { stdout, exitCode: 0 })).toBeUndefined();
    },
  );

  test('R049: a limit without a time has none invented', () => {
    expect(errorOf('custom', { stdout: 'limit reached', exitCode: 1 })).toEqual({
      class: 'quota',
      message: 'limit reached',
    });
  });

  test('a harness that fails while its ordinary output speaks of limits is not parked', () => {
    const stdout = 'FAIL rate limit test\nexpected usage limit reached to be shown, 429\n2 failed';
    expect(errorOf('custom', { stdout, exitCode: 1 })).toBeUndefined();
  });

  test('what a tool printed inside a good event stream is no error', () => {
    const events = [
      { type: 'thread.started', thread_id: 't' },
      {
        type: 'item.completed',
        item: { type: 'command_execution', aggregated_output: '429 Too Many Requests', exit_code: 1 },
      },
      { type: 'turn.completed', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } },
    ];
    const stdout = events.map((event) => JSON.stringify(event)).join('\n');
    expect(errorOf('codex', { stdout, stderr: 'usage limit reached', exitCode: 0 })).toBeUndefined();
  });

  test('an empty account told as a bad request is quota', () => {
    const stdout = JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: true,
      terminal_reason: 'api_error',
      api_error_status: 400,
      result: 'API Error: 400 Your credit balance is too low',
    });
    expect(errorOf('claude', { stdout, exitCode: 1 })?.class).toBe('quota');
  });
});

describe('the message is for people', () => {
  test('of a provider’s JSON body its own message is shown, colours are not', () => {
    const stdout = `{"type":"turn.failed","error":{"message":${JSON.stringify('\u001B[31m{"error":{"type":"invalid_request_error","message":"no such tool"}}')}}}`;
    expect(errorOf('codex', { stdout, exitCode: 1 })).toEqual({
      class: 'bad_request',
      message: 'invalid_request_error: no such tool',
    });
  });

  test('a crash keeps the CLI’s last words without stack frames', () => {
    const stderr = 'TypeError: cannot read x\n    at run (file.js:1:2)\n    at main (file.js:3:4)\n';
    expect(errorOf('pi', { stderr, exitCode: 1 })).toEqual({ class: 'crash', message: 'TypeError: cannot read x' });
  });

  test('a long message is cut between characters, never in the middle of one', () => {
    const stdout = JSON.stringify({ type: 'turn.failed', error: { message: `${'x'.repeat(1_999)}😀` } });
    expect(errorOf('codex', { stdout, exitCode: 1 })?.message).toBe('x'.repeat(1_999));
  });
});
