import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The processes of ours: program and arguments by role. Each is told by environment what it works with. */
export const Programs = z.object({
  api: z.array(z.string()).min(1),
  control: z.array(z.string()).min(1),
  host: z.array(z.string()).min(1),
});
export type Programs = z.infer<typeof Programs>;

const entry = (path: string) => [process.execPath, fileURLToPath(new URL(path, import.meta.url))];

/** As built, seen from `dist/workers/supervisor/`. */
export const ownPrograms: Programs = {
  api: entry('../../api/main.js'),
  control: entry('../control.js'),
  host: entry('../host.js'),
};
