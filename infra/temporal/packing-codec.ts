import type { Payload, PayloadCodec } from '@temporalio/common';
import { promisify } from 'node:util';
import { gunzip, gzip, gzipSync } from 'node:zlib';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Below this nothing is packed: it would gain little, and the engine's own tools could not show it. */
export const packedFromBytes = 32 * 1024;

const packedAs = 'binary/gzip';
const encodingOf = { packed: 'encoding', original: 'setpoint-encoding' } as const;
const text = { to: new TextEncoder(), from: new TextDecoder() };

/**
 * Packs what travels through the engine and is large: plans with long texts, and the states of runs with many steps. The
 * engine carries 2 MiB in one piece; JSON like this takes a fifth of its size or less. What was stored unpacked is read
 * as it is. Every client and worker needs it.
 */
const packingCodec: PayloadCodec = {
  encode: (payloads) => Promise.all(payloads.map(packed)),
  decode: (payloads) => Promise.all(payloads.map(unpacked)),
};

async function packed(payload: Payload): Promise<Payload> {
  const { data, metadata } = payload;
  const original = metadata?.[encodingOf.packed];
  if (data == null || original == null || data.length < packedFromBytes) return payload;
  const small = await pack(data);
  if (small.length >= data.length) return payload;
  const told = { [encodingOf.packed]: text.to.encode(packedAs), [encodingOf.original]: original };
  return { ...payload, data: small, metadata: { ...metadata, ...told } };
}

async function unpacked(payload: Payload): Promise<Payload> {
  const { data, metadata } = payload;
  const original = metadata?.[encodingOf.original];
  if (data == null || original == null || text.from.decode(metadata?.[encodingOf.packed]) !== packedAs) return payload;
  const { [encodingOf.original]: _original, ...rest } = metadata ?? {};
  return { ...payload, data: await unpack(data), metadata: { ...rest, [encodingOf.packed]: original } };
}

/** What clients and workers are given. */
export const dataConverter = { payloadCodecs: [packingCodec] };

/** Bytes of a JSON text as it travels. */
export function packedBytes(json: string): number {
  return json.length < packedFromBytes ? json.length : gzipSync(json).length;
}
