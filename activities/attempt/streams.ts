import { present } from '#core/definition/present.ts';
import type { Ran } from '#activities/attempt/ran.ts';
import type { StoredArtifact, ArtifactStore, ArtifactWriter } from '#infra/artifacts/artifact-store.ts';
import type { OutputPlan } from '#core/plan/plan.ts';
import type { Secret } from '#core/text/secret-forms.ts';
import type { OutputChunk } from '#infra/process/contained-spec.ts';

/** What was kept of a process's streams: whole, secrets hidden, otherwise raw. */
export interface StreamsKept {
  stdout?: StoredArtifact;
  stderr?: StoredArtifact;
  /** Standard output without what is white at its end. */
  trimmed?: StoredArtifact;
}

export interface Streams {
  write: (chunk: OutputChunk) => void;
  finish(): Promise<StreamsKept>;
  discard(): void;
}

/** Keeps the streams apart that a step's `output` asks for (D-07); others cost nothing. Faults of each call: `store/*`. */
export function openStreams(store: ArtifactStore, output: OutputPlan | undefined, secrets: readonly Secret[]): Streams {
  const open = (wanted: boolean) => (wanted ? store.openArtifact({ secrets }) : undefined);
  const stdout = open(output?.artifact !== undefined);
  const stderr = open(output?.errorsArtifact !== undefined);
  const trimmed = open(output?.of === 'stdout');
  const writeTrimmed = trimmed === undefined ? undefined : trimming(trimmed);
  return {
    write({ stream, bytes }) {
      if (stream === 'stderr') return stderr?.write(bytes);
      stdout?.write(bytes);
      return writeTrimmed?.(bytes);
    },
    async finish() {
      const kept: StreamsKept = {};
      if (stdout !== undefined) kept.stdout = await stdout.finish();
      if (stderr !== undefined) kept.stderr = await stderr.finish();
      if (trimmed !== undefined) kept.trimmed = await trimmed.finish();
      return kept;
    },
    discard() {
      for (const writer of [stdout, stderr, trimmed]) writer?.discard();
    },
  };
}

/** What of them is written into the folder of artifacts, as the stage of the process keeps it. */
export function streamsOf({ stdout, stderr }: StreamsKept): Pick<Ran, 'streams'> {
  if (stdout === undefined && stderr === undefined) return {};
  return { streams: present({ stdout: stdout?.sha256, stderr: stderr?.sha256 }) };
}

/** A process can print nothing but white bytes without end: what is held back of them stays small. */
const mostHeld = 1024 * 1024;

/** Holds white bytes back until others follow them, or until they are more than any end of an output. */
export function trimming(writer: Pick<ArtifactWriter, 'write'>): (bytes: Uint8Array) => void {
  let white: Uint8Array[] = [];
  let held = 0;
  const release = (): void => {
    for (const part of white) writer.write(part);
    white = [];
    held = 0;
  };
  return (bytes) => {
    const end = bytes.findLastIndex((byte) => !isWhite(byte)) + 1;
    if (end > 0 || held > mostHeld) release();
    if (end > 0) writer.write(bytes.subarray(0, end));
    if (end === bytes.length) return;
    white.push(Uint8Array.from(bytes.subarray(end)));
    held += bytes.length - end;
  };
}

function isWhite(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
