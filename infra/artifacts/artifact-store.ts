import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, closeSync, mkdirSync, openSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Fault } from '#core/contract/fault.ts';
import { createRedactor, type Redactor } from '#core/text/redact.ts';
import type { Secret } from '#core/text/secret-forms.ts';
import { storeFault, withStoreFaults } from '#infra/artifacts/store-fault.ts';
import { errorCode } from '#infra/process/error-code.ts';

/** A stored content. `ref` is how it is named across a boundary: `sha256:<hex>`. */
export interface StoredArtifact {
  ref: string;
  sha256: string;
  bytes: number;
}

export interface ArtifactWriter {
  /** Appends bytes; redaction happens here (H4). Throws Fault `store/disk-full` or `store/unavailable`. */
  write(bytes: Uint8Array): void;
  /** Moves the content to its place by hash. Writing after it is a mistake of the caller. */
  finish(): Promise<StoredArtifact>;
  /** Throws away what was written. */
  discard(): void;
}

/** First byte and number of bytes; `length` absent means to the end. */
export interface ByteRange {
  start: number;
  length?: number;
}

/** Content by its SHA-256, written once, never changed. All methods throw only faults of the area `store`. */
export interface ArtifactStore {
  /** A streaming writer: memory does not grow with the content. */
  openArtifact(options?: { secrets?: readonly Secret[] }): ArtifactWriter;
  putText(text: string, options?: { secrets?: readonly Secret[] }): Promise<StoredArtifact>;
  /** Stores a finished file under its hash by a link, so that its path stays readable. Nothing is redacted here. */
  adopt(path: string, content: { sha256: string; bytes: number }): Promise<StoredArtifact>;
  /** The content as a stream. Throws Fault `store/artifact-missing`. */
  read(sha256: string, range?: ByteRange): Promise<Readable>;
  readText(sha256: string): Promise<string>;
  /** Removes half-written contents that a crash left, when nothing was written to them for `idleMs`; returns how many. */
  removeAbandoned(idleMs: number, now: number): Promise<number>;
  /** Asked before work that costs money: throws Fault `store/disk-full` when less than 16 MiB are free. */
  requireSpace(): Promise<void>;
  /** Size in bytes; undefined when the store does not have it. */
  size(sha256: string): Promise<number | undefined>;
}

/** A store in a folder; several processes of a machine may share it. */
export function openArtifactStore(root: string): ArtifactStore {
  const incoming = join(root, 'incoming');
  const openArtifact: ArtifactStore['openArtifact'] = (options = {}) =>
    openWriter({ root, incoming, redactor: createRedactor(options.secrets ?? []) });
  return {
    openArtifact,
    async putText(text, options) {
      const known = options === undefined ? await alreadyThere(root, text) : undefined;
      if (known !== undefined) return known;
      const writer = openArtifact(options);
      writer.write(Buffer.from(text, 'utf8'));
      return writer.finish();
    },
    adopt: (path, content) =>
      withStoreFaults('Storing a finished output', async () => {
        const target = placeOf(root, content.sha256);
        await mkdir(dirname(target), { recursive: true });
        await linkOnce(path, target);
        return stored(content.sha256, content.bytes);
      }),
    read: (sha256, range) =>
      withStoreFaults(`Reading the artifact ${sha256}`, async () => {
        const path = await existing(root, sha256);
        if (range === undefined) return createReadStream(path);
        const end = range.length === undefined ? Infinity : range.start + range.length - 1;
        return createReadStream(path, { start: range.start, end });
      }),
    readText: (sha256) =>
      withStoreFaults(`Reading the artifact ${sha256}`, async () => readFile(await existing(root, sha256), 'utf8')),
    removeAbandoned: (idleMs, now) =>
      withStoreFaults('Removing abandoned artifacts', () => removeIdle(incoming, now - idleMs)),
    requireSpace: () => withStoreFaults('Looking for free space', () => requireSpace(root)),
    size: (sha256) => withStoreFaults(`Looking for the artifact ${sha256}`, () => sizeOf(placeOf(root, sha256))),
  };
}

const leastFreeBytes = 16 * 1024 * 1024;

async function requireSpace(root: string): Promise<void> {
  await mkdir(root, { recursive: true });
  const { bavail, bsize } = await statfs(root);
  if (bavail * bsize >= leastFreeBytes) return;
  throw new Fault(
    'store/disk-full',
    `The disk is full: less than ${leastFreeBytes / 1024 / 1024} MiB are free for ${root}. Free space, or move the data folder; the run goes on by itself.`,
  );
}

/** The same text is often stored again, an empty one most often: one look instead of a write. */
async function alreadyThere(root: string, text: string): Promise<StoredArtifact | undefined> {
  const sha256 = createHash('sha256').update(text).digest('hex');
  const bytes = Buffer.byteLength(text);
  return (await sizeOf(placeOf(root, sha256))) === bytes ? stored(sha256, bytes) : undefined;
}

interface WriterPlace {
  root: string;
  incoming: string;
  redactor: Redactor;
}

function openWriter({ root, incoming, redactor }: WriterPlace): ArtifactWriter {
  const what = 'Writing an artifact';
  const path = join(incoming, randomUUID());
  const file = faulting(what, () => {
    mkdirSync(incoming, { recursive: true });
    return openSync(path, 'wx', 0o600);
  });
  const hash = createHash('sha256');
  let bytes = 0;
  const append = (content: Uint8Array) => {
    writeWhole(file, content);
    hash.update(content);
    bytes += content.length;
  };
  return {
    write: (content) => faulting(what, () => append(redactor.push(content))),
    finish: () =>
      withStoreFaults(what, async () => {
        append(redactor.end());
        closeSync(file);
        const sha256 = hash.digest('hex');
        const target = placeOf(root, sha256);
        await mkdir(dirname(target), { recursive: true });
        await rename(path, target);
        return stored(sha256, bytes);
      }),
    discard: () =>
      faulting(what, () => {
        closeSync(file);
        unlinkSync(path);
      }),
  };
}

/** Writes all bytes; the system may take fewer at a time. */
export function writeWhole(file: number, content: Uint8Array): void {
  for (let at = 0; at < content.length;) at += writeSync(file, content, at);
}

function faulting<T>(what: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw storeFault(error, what);
  }
}

/** The same content may be stored twice at once: whoever comes second finds it in place. */
async function linkOnce(path: string, target: string): Promise<void> {
  try {
    await link(path, target);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    if (errorCode(error) !== 'EXDEV' && errorCode(error) !== 'EPERM') throw error;
    await copyInto(path, target);
  }
}

/** File systems without links, or two of them: a copy beside the target, then an atomic rename. */
async function copyInto(path: string, target: string): Promise<void> {
  const beside = `${target}.${randomUUID()}`;
  const output = await open(beside, 'wx', 0o600);
  try {
    for await (const chunk of createReadStream(path)) await output.write(Buffer.from(chunk));
    await output.close();
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

async function removeIdle(incoming: string, before: number): Promise<number> {
  await mkdir(incoming, { recursive: true });
  const names = await readdir(incoming);
  const idle = await Promise.all(
    names.map(async (name) => {
      const path = join(incoming, name);
      // A writer may finish, and move its file away, between the listing and this look.
      const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
      if (modified === undefined || modified >= before) return false;
      await rm(path, { force: true });
      return true;
    }),
  );
  return idle.filter(Boolean).length;
}

async function existing(root: string, sha256: string): Promise<string> {
  const path = placeOf(root, sha256);
  if ((await sizeOf(path)) !== undefined) return path;
  throw new Fault(
    'store/artifact-missing',
    `The artifact ${sha256} is not in the store. It was removed, or the data folder is another one.`,
  );
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function placeOf(root: string, sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) {
    throw new Fault(
      'store/artifact-missing',
      `"${sha256.slice(0, 80)}" is not the name of an artifact: 64 hexadecimal digits are.`,
    );
  }
  return join(root, sha256.slice(0, 2), sha256.slice(2));
}

function stored(sha256: string, bytes: number): StoredArtifact {
  return { ref: `sha256:${sha256}`, sha256, bytes };
}
