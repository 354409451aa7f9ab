import { z } from 'zod';

/**
 * Who makes a request. The owner of a server (its own token) is in all teams and an admin; everybody else is a person
 * whom an admin added. `admin` may add and remove people.
 */
export const Principal = z.object({
  name: z.string(),
  teams: z.union([z.array(z.string()), z.literal('all')]),
  admin: z.boolean(),
});
export type Principal = z.infer<typeof Principal>;

/** True for members of the team; whoever is in all teams is in each. */
export function isInTeam({ teams }: Principal, team: string): boolean {
  return teams === 'all' || teams.includes(team);
}
