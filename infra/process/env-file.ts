import { parse } from 'dotenv';
import { isLoaderVariable } from '#infra/sandbox/bwrap.ts';

/** The time that dotenv takes grows with the square of white space in a row; a file of people has none of that. */
const longestWhite = /\s{100}/;

/** Is there so much white space in a row that reading the text would hold the host up? */
export function isHollow(text: string): boolean {
  return longestWhite.test(text);
}

export interface EnvFile {
  values: Record<string, string>;
  /** Names that such a file may not set, as they stand in it. */
  ignored: string[];
}

/**
 * Reads `NAME=value` lines (dotenv): quotes, comments, `export`, values of several lines; nothing is expanded. The file may be
 * an agent's to write, so it sets none of our names, none of the loader's, and neither PATH nor HOME: they decide what the
 * sandbox shows of the host.
 */
export function readEnvFile(text: string): EnvFile {
  const found = Object.entries(parse(text));
  const isOpen = ([name]: [string, string]) => !isReserved(name);
  return {
    values: Object.fromEntries(found.filter(isOpen)),
    ignored: found.filter((entry) => !isOpen(entry)).map(([name]) => name),
  };
}

function isReserved(name: string): boolean {
  return name.startsWith('SETPOINT_') || name === 'PATH' || name === 'HOME' || isLoaderVariable(name);
}
