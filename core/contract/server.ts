import { z } from 'zod';

/** Whether a deployment runs loops (E-27): `off` refuses whatever would start one or let one spend more. */
export const LoopsSwitch = z.enum(['on', 'off']);
export type LoopsSwitch = z.infer<typeof LoopsSwitch>;

/** `GET /v1/server`: what a client has to know before it offers anything. */
export const ServerShown = z.object({ loops: LoopsSwitch });
export type ServerShown = z.infer<typeof ServerShown>;
