import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { attemptOutcome } from '#core/agent/attempt-outcome.ts';
import { type AgentName, isAgentName } from '#core/agent/agent-name.ts';
import type { AgentExit, AgentReport } from '#core/agent/outcome.ts';
import { agents } from '#activities/agents/registry.ts';

const folder = new URL('./fixtures/', import.meta.url);
const files = readdirSync(folder);
/** What Codex wrote to its `-o` file; not a stream. */
const otherFiles = ['codex-last.txt', 'codex-schema-last.txt'];

interface Sample {
  name: string;
  agent: AgentName;
  exit: AgentExit;
  expected: string;
}

const samples = readFileSync(new URL('./expected-reports.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .filter((row) => !row.startsWith('#'))
  .map(sample);

function sample(row: string): Sample {
  const [name = '', exit = ''] = row.split(' | ');
  return { name, agent: agentOf(name), exit: exitOf(exit), expected: row };
}

/** `ob…` samples ran inside an outer sandbox and carry the agent's name after it. */
function agentOf(name: string): AgentName {
  const [first = '', second = ''] = name.split('-');
  const short = first.startsWith('ob') ? second : first;
  const full = { oc: 'opencode', kill: 'claude', term: 'claude' }[short] ?? short;
  if (!isAgentName(full)) throw new TypeError(`no agent in the sample's name: ${name}`);
  return full;
}

function exitOf(text: string): AgentExit {
  const [how = '', by] = text.split(' ');
  const code = Number(how);
  const endedBy = by === 'stall' ? 'stall' : 'itself';
  return Number.isNaN(code) ? { exitCode: null, signal: how, endedBy } : { exitCode: code, endedBy };
}

function read(name: string): string {
  return files.includes(name) ? readFileSync(new URL(name, folder), 'utf8') : '';
}

function parse({ name, agent, exit }: Sample, pieceLength: number): AgentReport {
  const parser = agents[agent].parser({ now: () => Date.parse('2026-11-30T12:00:00Z') });
  const stdout = read(`${name}.out`);
  for (let at = 0; at < stdout.length; at += pieceLength) parser.push(stdout.slice(at, at + pieceLength));
  return parser.end(exit, read(`${name}.err`));
}

function shown({ name, exit }: Sample, report: AgentReport): string {
  const outcome = attemptOutcome('write', exit, report);
  return [
    name,
    (exit.signal ?? String(exit.exitCode)) + (exit.endedBy === 'itself' ? '' : ` ${exit.endedBy}`),
    outcome.kind === 'provider_error' ? `${outcome.kind}:${outcome.class}` : outcome.kind,
    report.sessionId ?? '',
    report.finalText ?? '',
    usageText(report),
    report.terminalEvent,
    errorText(report),
    (report.permissionStop ? 'stop ' : '') + report.denials.join('; '),
  ]
    .join(' | ')
    .trimEnd();
}

function usageText({ usage }: AgentReport): string {
  if (usage === undefined) return '';
  const { inputTokens, cachedInputTokens, outputTokens, costUsd, cumulative } = usage;
  const amounts = [inputTokens, cachedInputTokens, outputTokens, costUsd ?? '-'].join(' ');
  return cumulative ? `${amounts} session` : amounts;
}

function errorText({ error }: AgentReport): string {
  if (error === undefined) return '';
  const line = (error.message.split('\n')[0] ?? '').slice(0, 70);
  return `${error.class}: ${line}${error.retryAfterSeconds === undefined ? '' : ` (retry after ${error.retryAfterSeconds}s)`}`;
}

describe('A12, H1, E6: every real output of a CLI gives the report and the outcome written out here', () => {
  test.each(samples)('$name', (one) => {
    expect(shown(one, parse(one, Number.MAX_SAFE_INTEGER))).toBe(one.expected);
  });

  test('the report is the same when the stream arrives in pieces of 7 characters', () => {
    expect(samples.map((one) => shown(one, parse(one, 7)))).toEqual(samples.map(({ expected }) => expected));
  });

  test('no sample is left out', () => {
    const streams = files
      .filter((file) => !otherFiles.includes(file))
      .map((file) => file.replace(/\.(?:out|err)$/, ''));
    expect(samples.map(({ name }) => name).toSorted()).toEqual([...new Set(streams)].toSorted());
    expect(files).toHaveLength(168);
  });
});

describe('A12: a process that died by a signal is never ok', () => {
  const killed = samples.filter(({ name }) => /SIGINT|SIGTERM|kill|term|int-/.test(name));

  test.each(killed)('$name is a crash, a failure or inconsistent; cancelled or timed out when it was ours', (one) => {
    const report = parse(one, 4096);
    const kind = (endedBy: AgentExit['endedBy']): string =>
      attemptOutcome('write', { ...one.exit, endedBy }, report).kind;
    expect(['crashed', 'failed', 'inconsistent_exit']).toContain(kind('itself'));
    expect(kind('cancel')).toBe('cancelled');
    expect(kind('time_limit')).toBe('timed_out');
    expect(kind('stall')).toBe('timed_out');
  });

  test('there are samples of it', () => {
    expect(killed.length).toBeGreaterThanOrEqual(18);
  });
});
