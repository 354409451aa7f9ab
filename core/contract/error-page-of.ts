/** Of the API and its clients, which have no area of their own. */
const httpCodes: readonly string[] = ['internal', 'unexpected-answer'];

/**
 * The page of a code, without its ending: `docs/errors/<area>/<kebab>`. A code without an area is one of a run:
 * `no_progress` is `docs/errors/run/no-progress`.
 */
export function errorPageOf(code: string): string {
  const kebab = code.replaceAll('_', '-');
  if (kebab.includes('/')) return `docs/errors/${kebab}`;
  return `docs/errors/${httpCodes.includes(code) ? 'http' : 'run'}/${kebab}`;
}
