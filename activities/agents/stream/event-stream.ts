import type { AgentExit, AgentReport, AgentUsage } from '#core/agent/outcome.ts';
import type { Progress, StreamParser } from '#activities/agents/adapter.ts';
import { agentError, type ErrorSignal } from '#activities/agents/stream/error-signal.ts';
import { LineSplitter } from '#activities/agents/stream/lines.ts';
import { present } from '#activities/agents/stream/present.ts';
import { head } from '#core/text/tail.ts';

/** What one CLI's events came to. */
export interface StreamSummary {
  sessionId: string | undefined;
  finalText: string | undefined;
  usage: AgentUsage | undefined;
  terminal: boolean;
  error: ErrorSignal | undefined;
  denials: string[];
  permissionStop: boolean;
}

/** Knows one CLI's events. It never throws: an event that it does not know is no event. */
export interface EventReader {
  read(event: Record<string, unknown>): Progress[];
  summary(): StreamSummary;
  /** What the CLI says outside its events when it fails (a usage error, a lost session). `text` is its last words. */
  lastWords(text: string, exit: AgentExit): ErrorSignal | undefined;
}

const maxStrayCharacters = 256 * 1024;
const lastWordsLines = 12;
const stackFrame = /^\s+at /;

/** A parser of one JSON object a line. Lines that are none are kept apart: they may be a CLI's last words. */
export function eventStreamParser(reader: EventReader, now: () => number): StreamParser {
  const splitter = new LineSplitter();
  let stray = '';
  const take = (line: string): Progress[] => {
    const event = jsonObject(line);
    if (event !== undefined) return reader.read(event);
    if (stray.length < maxStrayCharacters && line.trim() !== '') stray += `${line}\n`;
    return [];
  };
  return {
    push: (chunk) => splitter.push(chunk).flatMap(take),
    end: (exit, stderr) => {
      splitter.end().forEach(take);
      const document = jsonObject(stray);
      if (document !== undefined) reader.read(document);
      const words = document === undefined ? `${stray}\n${stderr}` : stderr;
      return reportOf(reader, exit, { words, now: now() });
    },
  };
}

function reportOf(reader: EventReader, exit: AgentExit, said: { words: string; now: number }): AgentReport {
  const summary = reader.summary();
  const signal = summary.error ?? (summary.terminal ? undefined : reader.lastWords(lastLines(said.words), exit));
  return present({
    sessionId: summary.sessionId,
    finalText: summary.finalText,
    usage: summary.usage,
    terminalEvent: summary.terminal ? ('seen' as const) : ('missing' as const),
    error: signal === undefined ? undefined : agentError(signal, said.now),
    denials: summary.denials,
    permissionStop: summary.permissionStop,
  });
}

function lastLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !stackFrame.test(line))
    .slice(-lastWordsLines)
    .join('\n');
}

export interface FailureWords {
  sessionLost?: RegExp;
  sessionExists?: RegExp;
  /** Deterministic refusals of the CLI to run as it was called. */
  badRequest?: RegExp;
  /** Lines that it always prints. */
  noise?: RegExp;
}

/** The last words of a CLI that ended by itself with a non-zero code; a lost session is believed at exit 0 too. */
export function failureSignal(text: string, exit: AgentExit, words: FailureWords): ErrorSignal | undefined {
  const { noise } = words;
  const lines =
    noise === undefined
      ? text
      : text
          .split('\n')
          .filter((line) => !noise.test(line))
          .join('\n');
  const message = lines.trim();
  if (message === '') return undefined;
  if (words.sessionLost?.test(message) === true) return { class: 'session_lost', message };
  if (exit.exitCode === null || exit.exitCode === 0) return undefined;
  if (words.sessionExists?.test(message) === true) return { class: 'session_exists', message };
  if (words.badRequest?.test(message) === true) return { class: 'bad_request', message };
  return { message };
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    // A cut or foreign line is expected in a CLI's output; it stays in the raw artifact.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function sessionProgress(sessionId: string | undefined): Progress[] {
  return sessionId === undefined ? [] : [{ kind: 'session', sessionId }];
}

const maxProgressCharacters = 2_000;

export function textProgress(text: string): Progress[] {
  return text === '' ? [] : [{ kind: 'text', text: head(text, maxProgressCharacters) }];
}
