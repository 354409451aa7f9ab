/** One message of an event stream. Only stored events carry an id (E9). */
export function frame(data: unknown, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A comment: it keeps the connection alive and moves no cursor. */
export const keepalive = ': still here\n\n';
export const keepaliveMs = 15_000;

/**
 * A response that sends what `frames` yields, as fast as the client takes it. `frames` hears by its signal that the client
 * has gone. A failure cuts the connection: the client comes back with its cursor.
 */
export function eventSource(frames: (signal: AbortSignal) => AsyncGenerator<string>): Response {
  const gone = new AbortController();
  const source = frames(gone.signal);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      gone.abort();
      await source.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  });
}
