import type { Logger } from '#infra/log.ts';

/** One message of an event stream. Only stored events carry an id (E9). */
export function frame(data: unknown, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A comment: it keeps the connection alive and moves no cursor. */
export const keepalive = ': still here\n\n';
export const keepaliveMs = 15_000;

/** Yields messages; hears by its signal that the client has gone. */
export type Frames = (signal: AbortSignal) => AsyncGenerator<string>;

/**
 * A response that sends what `frames` yields, as fast as the client takes it. A failure is logged and ends the stream
 * early: a client that has not seen the end comes back with its cursor.
 */
export function eventSource(log: Logger, frames: Frames): Response {
  const gone = new AbortController();
  const source = frames(gone.signal);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await source.next().catch((error: unknown) => {
        log.warn({ err: error }, 'an event stream was ended early');
        return { done: true, value: undefined } as const;
      });
      if (gone.signal.aborted) return;
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
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
