import type { Program } from '#core/doctor/shell/program.ts';

/** Programs that read what is piped to them and exit with 0 whatever it says. */
const filters: ReadonlySet<string> = new Set([
  'tee',
  'tail',
  'head',
  'cat',
  'sed',
  'sort',
  'uniq',
  'tr',
  'cut',
  'wc',
  'nl',
  'column',
  'fold',
  'less',
  'more',
  'ts',
  'rev',
  'tac',
  'strings',
]);

export function isFilter(program: Program | undefined): boolean {
  return program !== undefined && filters.has(program.name);
}
