import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { present } from '#core/definition/present.ts';
import type { AttemptSeen } from '#infra/postgres/event-store.ts';
import { liveOutputPath } from '#infra/process/output-log.ts';
import { openBell } from '#api/bell.ts';
import { byteRange, type ByteRange } from '#api/http/byte-range.ts';
import { eventSource, frame, keepalive, keepaliveMs } from '#api/http/event-source.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { output, outputStream } from '#api/openapi/examples.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';
import { parseQuery, wantsStream } from '#api/routes/events.ts';
import { findRun } from '#api/routes/find-run.ts';
import { RunPath, wholeNumber } from '#api/routes/query.ts';

const outputRoute = createRoute({
  method: 'get',
  path: '/v1/runs/{runId}/output',
  operationId: 'readOutput',
  tags: ['Record'],
  summary: 'The output of an attempt, also while it runs: text with byte ranges, or a stream that follows it',
  request: {
    params: RunPath,
    query: z.object({
      step: z.string().optional().describe('Any step, if absent'),
      pass: wholeNumber(1).optional().describe('The latest pass, if absent'),
      attempt: wholeNumber(1).optional().describe('The latest attempt, if absent'),
      from: wholeNumber(0).default(0).describe('Of a stream: the byte to begin at'),
    }),
  },
  responses: {
    200: {
      description: 'The output of the latest attempt that fits',
      content: {
        'text/plain': { schema: z.string(), example: output },
        'text/event-stream': { schema: z.string(), example: outputStream },
      },
    },
    206: {
      description: 'The range of it',
      content: { 'text/plain': { schema: z.string(), example: output.slice(0, 20) } },
    },
    ...refusalsOf('run/not-found', 'output/not-found', 'http/range-not-satisfiable'),
  },
});

/** Bytes that may still grow, or are gone from this machine and in the store. */
interface Output {
  size: number;
  read(range?: ByteRange): Promise<Readable>;
}

export function routeOutput(app: OpenAPIHono, parts: ApiParts): void {
  app.openAPIRegistry.registerPath(outputRoute);
  app.get('/v1/runs/:runId/output', async (c) => {
    const { runId } = RunPath.parse(c.req.param());
    const { from, ...query } = parseQuery(outputRoute.request.query, c.req.query());
    const attempt = await findAttempt(parts, runId, query);
    if (wantsStream(c.req.header('accept'))) {
      return eventSource(parts.log, (signal) => outputFrames(parts, { runId, attempt, from }, signal));
    }
    const output = await outputOf(parts, runId, attempt);
    const range = byteRange(c.req.header('range'), output.size);
    if (range === 'outside') throw outside(output.size);
    return textOf(output, range);
  });
}

async function findAttempt(
  parts: ApiParts,
  runId: string,
  query: { step?: string | undefined; pass?: number | undefined; attempt?: number | undefined },
): Promise<AttemptSeen> {
  await findRun(parts.runs, runId);
  const found = await parts.runs.latestAttempt(runId, present(query));
  if (found !== undefined) return found;
  throw new ApiProblem('output/not-found', {
    detail: 'No attempt that began fits this step and pass.',
    remedy: `See its steps and passes: setpoint show ${runId}.`,
  });
}

/** What the process wrote, as far as it is on this machine; else the recorded output from the store. */
async function outputOf({ dataFolder, artifacts }: ApiParts, runId: string, attempt: AttemptSeen): Promise<Output> {
  const path = liveOutputPath(dataFolder, { ...attempt, runId });
  const size = await sizeOf(path);
  if (size !== undefined) {
    return {
      size,
      read: async (range) =>
        createReadStream(path, range && { start: range.start, end: range.start + range.length - 1 }),
    };
  }
  if (attempt.type !== 'attempt.finished') return { size: 0, read: async () => Readable.from([]) };
  const { sha256, bytes } = attempt.result.log ?? attempt.result.output;
  return { size: bytes, read: (range) => artifacts.read(sha256, range) };
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function outside(size: number): ApiProblem {
  return new ApiProblem('http/range-not-satisfiable', {
    detail: `The output has ${size} bytes so far, so the range holds nothing.`,
    remedy: 'Ask again later, or for an earlier range.',
  });
}

async function textOf(output: Output, range: ByteRange | 'whole'): Promise<Response> {
  const headers = new Headers({
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
  });
  const part = range === 'whole' ? { start: 0, length: output.size } : range;
  headers.set('content-length', String(part.length));
  if (range !== 'whole') {
    headers.set('content-range', `bytes ${part.start}-${part.start + part.length - 1}/${output.size}`);
  }
  const status = range === 'whole' ? 200 : 206;
  if (part.length === 0) return new Response('', { status, headers });
  // The size was taken before: what is written meanwhile is not part of this answer.
  return new Response(Readable.toWeb(await output.read(part)) as ReadableStream<Uint8Array>, { status, headers });
}

const lookMs = 200;
const chunkBytes = 65_536;

interface Followed {
  runId: string;
  attempt: AttemptSeen;
  from: number;
}

/** `{offset, text}` as it is written, and `{offset, ended: true}` once the attempt has ended and all was sent. */
async function* outputFrames(parts: ApiParts, followed: Followed, signal: AbortSignal): AsyncGenerator<string> {
  const { runId } = followed;
  const { step, pass, attempt } = followed.attempt;
  const bell = openBell(parts.stream, runId);
  const decoder = new TextDecoder();
  let offset = followed.from;
  let seen = followed.attempt;
  let quietMs = 0;
  try {
    yield keepalive;
    while (!signal.aborted) {
      const output = await outputOf(parts, runId, seen);
      const length = Math.min(output.size - offset, chunkBytes);
      if (length > 0) {
        const bytes = await wholeOf(await output.read({ start: offset, length }));
        yield frame({ offset, text: decoder.decode(bytes, { stream: true }) });
        offset += bytes.length;
        continue;
      }
      // What ends an attempt is recorded after its last output.
      if (seen.type !== 'attempt.started') {
        yield frame({ offset, ended: true });
        return;
      }
      const rang = await bell.wait(lookMs, signal);
      if (rang) seen = (await parts.runs.latestAttempt(runId, { step, pass, attempt })) ?? seen;
      quietMs = quietMs + lookMs < keepaliveMs ? quietMs + lookMs : 0;
      if (quietMs === 0) yield keepalive;
    }
  } finally {
    bell.close();
  }
}

async function wholeOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
