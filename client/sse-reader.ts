/** One frame of a server-sent event stream. `id` absent: a snapshot, a ping or an error, never a cursor (E9). */
export interface SseFrame {
  id?: string;
  event: string;
  data: string;
}

/**
 * Frames of an event stream, in order, whatever the chunks are cut into: inside a character, a line or a line end.
 * A frame that the stream's end cuts off is dropped, as the standard says. `onBytes` hears every chunk, pings too.
 */
export async function* readSse(
  body: AsyncIterable<Uint8Array>,
  onBytes: () => void = () => undefined,
): AsyncGenerator<SseFrame> {
  const decoder = new TextDecoder();
  const frame = frameBuilder();
  let rest = '';
  for await (const chunk of body) {
    onBytes();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const done = frame.line(line);
      if (done !== undefined) yield done;
    }
  }
}

function frameBuilder(): { line: (line: string) => SseFrame | undefined } {
  let id: string | undefined;
  let event = 'message';
  let data: string[] = [];
  const finish = (): SseFrame | undefined => {
    const frame = data.length === 0 ? undefined : { event, data: data.join('\n'), ...(id === undefined ? {} : { id }) };
    // The standard keeps the last id for the next frames; here each frame speaks for itself, so that a ping has none.
    id = undefined;
    event = 'message';
    data = [];
    return frame;
  };
  return {
    line: (line) => {
      if (line === '') return finish();
      const colon = line.indexOf(':');
      const field = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'data') data.push(value);
      else if (field === 'event') event = value;
      else if (field === 'id') id = value;
      return undefined;
    },
  };
}
