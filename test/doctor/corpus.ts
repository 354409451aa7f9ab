import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { examineText } from '#dialects/examine-text.ts';

/** A file of the corpus, with what the doctor is to say about it and what it says. */
export interface Sample {
  name: string;
  text: string;
  /** Ids of rules, one for each finding. */
  expected: readonly string[];
  found: readonly string[];
}

/**
 * Every file of a folder beside this one. What is expected stands in its first line (`# doctor: check/negated`), or for
 * JSON, which has no comments, line by line in `<file>.expected`; a file without either is fine.
 */
export function samplesOf(folder: string): Sample[] {
  const at = fileURLToPath(new URL(`./${folder}/`, import.meta.url));
  const names = readdirSync(at).toSorted();
  return names
    .filter((name) => !name.endsWith('.expected'))
    .map((name) => {
      const text = readFileSync(`${at}${name}`, 'utf8');
      const beside = names.includes(`${name}.expected`) ? readFileSync(`${at}${name}.expected`, 'utf8') : undefined;
      return { name: `${folder}/${name}`, text, expected: expectedOf(text, beside), found: foundIn(name, text) };
    });
}

function expectedOf(text: string, beside: string | undefined): string[] {
  const listed = beside?.split('\n') ?? /^# doctor: (.*)$/m.exec(text)?.[1]?.split(',') ?? [];
  return listed.map((rule) => rule.trim()).filter((rule) => rule !== '');
}

function foundIn(name: string, text: string): string[] {
  const examined = examineText({ text, file: name, unknownCalls: 'warning' });
  if (examined.kind === 'plan') return examined.findings.map(({ rule }) => rule);
  throw new TypeError(`${name} is no definition: ${examined.issues.map(({ message }) => message).join('; ')}`);
}

/** Counted by finding: what is expected and found, expected and not found, found and not expected. */
export interface Score {
  right: number;
  missed: string[];
  wrong: string[];
}

export function scoreOf(samples: readonly Sample[]): Score {
  const score: Score = { right: 0, missed: [], wrong: [] };
  for (const { name, expected, found } of samples) {
    const left = [...found];
    for (const rule of expected) {
      const at = left.indexOf(rule);
      if (at < 0) score.missed.push(`${name}: ${rule}`);
      else {
        left.splice(at, 1);
        score.right += 1;
      }
    }
    score.wrong.push(...left.map((rule) => `${name}: ${rule}`));
  }
  return score;
}

export function recallOf({ right, missed }: Score): number {
  return right / (right + missed.length);
}

export function precisionOf({ right, wrong }: Score): number {
  return right / (right + wrong.length);
}

/** The figures in words, as the guide shows them. */
export function figuresOf({ fine, notFine, score }: { fine: number; notFine: number; score: Score }): string {
  const { right, missed, wrong } = score;
  return [
    `| files that are fine | files that are not | found as expected | missed | found wrongly | recall | precision |`,
    `| --- | --- | --- | --- | --- | --- | --- |`,
    `| ${fine} | ${notFine} | ${right} | ${missed.length} | ${wrong.length} | ${recallOf(score).toFixed(2)} | ${precisionOf(score).toFixed(2)} |`,
  ].join('\n');
}
