import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { Readable } from 'node:stream';
import { byteRange } from '#api/http/byte-range.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { output } from '#api/openapi/examples.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';
import { parseQuery } from '#api/routes/events.ts';

const ArtifactPath = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits') });

const contentLike = (example: string) => ({ 'application/octet-stream': { schema: z.string(), example } });

const artifactRoute = createRoute({
  method: 'get',
  path: '/v1/artifacts/{sha256}',
  operationId: 'readArtifact',
  tags: ['Record'],
  summary: 'The content of an artifact, with byte ranges',
  request: { params: ArtifactPath },
  responses: {
    200: { description: 'The content', content: contentLike(output) },
    206: { description: 'The range of it', content: contentLike(output.slice(0, 20)) },
    ...refusalsOf('store/artifact-missing', 'http/range-not-satisfiable'),
  },
});

/** What came out of an agent's work is only ever handed out as a file: no browser runs or sniffs it. */
const safe = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'accept-ranges': 'bytes',
  // The name is the content: it never changes.
  'cache-control': 'private, max-age=31536000, immutable',
};

const sniffedBytes = 4_096;

export function routeArtifacts(app: OpenAPIHono, { artifacts }: ApiParts): void {
  app.openAPIRegistry.registerPath(artifactRoute);
  app.get('/v1/artifacts/:sha256', async (c) => {
    const { sha256 } = parseQuery(ArtifactPath, c.req.param());
    const size = await artifacts.size(sha256);
    if (size === undefined) throw missing(sha256);
    const range = byteRange(c.req.header('range'), size);
    if (range === 'outside') {
      throw new ApiProblem('http/range-not-satisfiable', { detail: `The artifact has ${size} bytes.` });
    }
    const isText = await looksLikeText(await artifacts.read(sha256, { start: 0, length: sniffedBytes }));
    const part = range === 'whole' ? { start: 0, length: size } : range;
    const headers = new Headers({
      ...safe,
      'content-type': isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
      'content-disposition': `attachment; filename="${sha256.slice(0, 16)}.${isText ? 'txt' : 'bin'}"`,
      'content-length': String(part.length),
    });
    if (range !== 'whole') {
      headers.set('content-range', `bytes ${part.start}-${part.start + part.length - 1}/${size}`);
    }
    const content = part.length === 0 ? Readable.from([]) : await artifacts.read(sha256, part);
    const body = Readable.toWeb(content) as ReadableStream<Uint8Array>;
    return new Response(body, { status: range === 'whole' ? 200 : 206, headers });
  });
}

function missing(sha256: string): ApiProblem {
  return new ApiProblem('store/artifact-missing', {
    detail: `The artifact ${sha256} is not in the store.`,
    remedy: 'It was removed, or the data folder is another one.',
  });
}

/** No NUL in its beginning. */
async function looksLikeText(beginning: Readable): Promise<boolean> {
  let isText = true;
  for await (const chunk of beginning) isText &&= !(chunk as Buffer).includes(0);
  return isText;
}
