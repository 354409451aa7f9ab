import { StackFault } from '#core/contract/stack.ts';

/** The folder of `SETPOINT_ARTIFACTS`. Faults: `stack/settings-invalid` for a store that this version does not have. */
export function artifactFolder(setting: string): string {
  if (setting.startsWith('file:')) return setting.slice('file:'.length);
  const message = `SETPOINT_ARTIFACTS is ${setting}, and this version keeps artifacts in folders only. Use file:/a/folder.`;
  throw new StackFault('stack/settings-invalid', message);
}
