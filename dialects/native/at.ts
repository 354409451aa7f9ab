import type { Reading } from '#dialects/source/reading.ts';

/** The place that is being read, and where its issues go. */
export interface At {
  path: string;
  reading: Reading;
}
