import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { WorkKey } from '#core/contract/work-key.ts';
import { createExcerpt, excerpt as excerptOf, type Excerpt } from '#core/text/excerpt.ts';
import { createTextNormaliser } from '#core/text/normalise.ts';
import { createRedactor } from '#core/text/redact.ts';
import type { Secret } from '#core/text/secret-forms.ts';
import { createTail, matchedTailCharacters } from '#core/text/tail.ts';
import { writeWhole, type ArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { storeFault } from '#infra/artifacts/store-fault.ts';
import type { OutputChunk } from '#infra/process/contained-spec.ts';

/** Which process of a run an output belongs to: an attempt's own, or that of one of its checks. */
export type OutputKey = WorkKey & { check?: string };

/** The file that a process's output goes to while it runs, under the data folder. */
export function liveOutputPath(dataFolder: string, key: OutputKey): string {
  const check = key.check === undefined ? '' : `-${segment(key.check)}`;
  const name = `${String(key.pass)}-${String(key.attempt)}${check}.log`;
  return join(dataFolder, 'output', segment(key.runId), segment(key.step), name);
}

export interface OutputTexts {
  /** The redacted raw bytes, with at most 2 KiB of the excerpt. */
  artifact: ArtifactRef;
  /** A5, A9: normalised tails of the combined output and of each stream. */
  tail: { combined: string; stdout: string; stderr: string };
  /** C9, of the whole combined output. */
  excerpt: Excerpt;
}

export interface OutputLog {
  path: string;
  /** Appends a chunk; it is on the file when this returns. Throws a fault of the store. */
  write(chunk: OutputChunk): void;
  /** The normalised end of the combined output so far, whole lines only. */
  tailNow(): string;
  /** Ends the log: its content goes to the store, and `path` stays readable. */
  finish(store: ArtifactStore): Promise<OutputTexts>;
  /** Closes the file without storing it. */
  close(): void;
}

export interface OutputLogOptions {
  path: string;
  secrets?: readonly Secret[];
  /** How long the excerpt may be (C9). */
  excerptCharacters?: number | undefined;
}

/**
 * Opens a live log of both streams in order of arrival. What is written is redacted (H4) and otherwise raw (A9); the
 * texts are normalised. Memory is bounded, whatever the output's size. An older file at `path` is replaced.
 */
export function openOutputLog(options: OutputLogOptions): OutputLog {
  const file = openEmpty(options.path);
  const hash = createHash('sha256');
  const combined = createCombined(options.excerptCharacters);
  const streams = { stdout: createStream(options.secrets ?? []), stderr: createStream(options.secrets ?? []) };
  let bytes = 0;

  const append = (stream: OutputStream, content: Uint8Array) => {
    if (content.length === 0) return;
    try {
      writeWhole(file, content);
    } catch (error) {
      throw storeFault(error, 'Writing the output of a command');
    }
    hash.update(content);
    bytes += content.length;
    combined.push(stream.decode(content));
  };

  return {
    path: options.path,
    write: (chunk) => append(streams[chunk.stream], streams[chunk.stream].redact(chunk.bytes)),
    tailNow: () => combined.tail(),
    async finish(store) {
      for (const stream of [streams.stdout, streams.stderr]) {
        append(stream, stream.redactEnd());
        combined.push(stream.decodeEnd());
      }
      closeSync(file);
      const { sha256 } = await store.adopt(options.path, { sha256: hash.digest('hex'), bytes });
      const excerpt = combined.finish(options.path);
      return {
        artifact: { sha256, bytes, excerpt: smallExcerpt(excerpt.text) },
        tail: { combined: combined.tail(), stdout: streams.stdout.tail(), stderr: streams.stderr.tail() },
        excerpt,
      };
    },
    close: () => closeSync(file),
  };
}

interface OutputStream {
  redact(bytes: Uint8Array): Uint8Array;
  redactEnd(): Uint8Array;
  /** Decodes incrementally (A9) and keeps the stream's own tail. */
  decode(bytes: Uint8Array): string;
  decodeEnd(): string;
  tail(): string;
}

function createStream(secrets: readonly Secret[]): OutputStream {
  const redactor = createRedactor(secrets);
  const decoder = new TextDecoder('utf-8');
  const normaliser = createTextNormaliser();
  const kept = createTail(matchedTailCharacters);
  const keep = (text: string) => {
    kept.push(normaliser.push(text));
    return text;
  };
  return {
    redact: (bytes) => redactor.push(bytes),
    redactEnd: () => redactor.end(),
    decode: (bytes) => keep(decoder.decode(bytes, { stream: true })),
    decodeEnd() {
      const text = keep(decoder.decode());
      kept.push(normaliser.end());
      return text;
    },
    tail: () => kept.text(),
  };
}

function createCombined(excerptCharacters: number | undefined) {
  const normaliser = createTextNormaliser();
  const kept = createTail(matchedTailCharacters);
  const keeper = createExcerpt(excerptCharacters);
  const take = (text: string) => {
    kept.push(text);
    keeper.push(text);
  };
  return {
    push: (text: string) => take(normaliser.push(text)),
    tail: () => kept.text(),
    finish(path: string): Excerpt {
      take(normaliser.end());
      return keeper.finish(path);
    },
  };
}

/** What of a text fits into the 2 KiB of an `ArtifactRef`: characters can take up to three bytes each. */
export function smallExcerpt(text: string): string {
  const most = 2_048;
  const small = excerptOf(text, most);
  return Buffer.byteLength(small) <= most ? small : excerptOf(text, Math.floor(most / 3));
}

function openEmpty(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Removed, not truncated: the store may hold a link to what an earlier attempt wrote here.
    rmSync(path, { force: true });
    return openSync(path, 'ax', 0o600);
  } catch (error) {
    throw storeFault(error, 'Opening the log of a command');
  }
}

/** One folder name for any text: no separator and no dot name gets through. */
function segment(text: string): string {
  const encoded = encodeURIComponent(text).replaceAll('.', '%2E');
  return encoded === '' ? '%' : encoded.slice(0, 120);
}
