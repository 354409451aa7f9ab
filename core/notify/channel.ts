import { z } from 'zod';

/** Ways out of the house: three that the settings name, and `callback`, which a run brings along. */
export const Channel = z.enum(['webhook', 'slack', 'email', 'callback']);
export type Channel = z.infer<typeof Channel>;

/**
 * Whom a run calls when it ends. `secret` names what the call is signed with, and is never the value: `env:NAME`, a
 * variable of the control worker, or `secret:NAME`, a stored secret. The worker's own settings sign for nobody.
 */
export const Callback = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be a url that begins with https:// or http://' }),
  secret: z
    .string()
    .regex(
      /^(env|secret):(?!SETPOINT_)[A-Za-z_]\w{0,127}$/,
      'must name where the secret is, as env:NAME or secret:NAME, and none of SETPOINT_…',
    )
    .optional(),
});
export type Callback = z.infer<typeof Callback>;
