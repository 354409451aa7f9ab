import { isInTeam, type Principal } from '#core/contract/principal.ts';

/** Who may decide a task (D5): `who` holds names and `team:NAME`; empty = everyone who may use the project. */
export interface TaskPolicy {
  who: readonly string[];
  notAuthor: boolean;
  /** Who started the run; absent where it is not known. */
  createdBy?: string;
}

export type Allowed = 'yes' | 'not-asked' | 'author';

/** May the principal decide? `author`: whoever started the run may not, in whichever team. Asked by the API (D5). */
export function mayDecideTask(principal: Principal, { who, notAuthor, createdBy }: TaskPolicy): Allowed {
  if (notAuthor && createdBy === principal.name) return 'author';
  const asked = who.length === 0 || principal.teams === 'all' || who.some((one) => isMeant(principal, one));
  return asked ? 'yes' : 'not-asked';
}

/** The entries of `who` that mean the principal; undefined for one who is in every team. */
export function entriesOf({ name, teams }: Principal): string[] | undefined {
  return teams === 'all' ? undefined : [name, ...teams.map((team) => `${teamPrefix}${team}`)];
}

const teamPrefix = 'team:';

function isMeant(principal: Principal, entry: string): boolean {
  if (!entry.startsWith(teamPrefix)) return entry === principal.name;
  return isInTeam(principal, entry.slice(teamPrefix.length));
}
