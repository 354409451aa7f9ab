import { expect, test } from 'vitest';
import fc from 'fast-check';

import { readSse, type SseFrame } from '#client/sse-reader.ts';

async function framesOf(chunks: readonly Uint8Array[]): Promise<SseFrame[]> {
  const source = async function* (): AsyncGenerator<Uint8Array> {
    yield* chunks;
  };
  const frames: SseFrame[] = [];
  for await (const frame of readSse(source())) frames.push(frame);
  return frames;
}

const text = new TextEncoder();

test('a frame is its id, its event and its data lines (E9)', async () => {
  expect(await framesOf([text.encode('id: 7\nevent: note\ndata: a\ndata: b\n\n')])).toEqual([
    { id: '7', event: 'note', data: 'a\nb' },
  ]);
});

test('a ping and a snapshot have no id, also after a frame that has one (E9)', async () => {
  expect(await framesOf([text.encode('id: 1\ndata: x\n\n: ping\n\ndata: snapshot\n\n')])).toEqual([
    { id: '1', event: 'message', data: 'x' },
    { event: 'message', data: 'snapshot' },
  ]);
});

test('a frame that the end of the stream cuts off is dropped', async () => {
  expect(await framesOf([text.encode('id: 1\ndata: whole\n\nid: 2\ndata: cut')])).toEqual([
    { id: '1', event: 'message', data: 'whole' },
  ]);
});

test('frames are the same wherever the chunks are cut, inside characters and line ends too', async () => {
  const bytes = text.encode('id: 1\r\ndata: grün ↺\r\n\r\nid: 2\ndata: {"a":"😀"}\n\n');
  const whole = await framesOf([bytes]);
  expect(whole.map((frame) => frame.data)).toEqual(['grün ↺', '{"a":"😀"}']);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length })), async (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect(await framesOf(chunks)).toEqual(whole);
    }),
  );
});
