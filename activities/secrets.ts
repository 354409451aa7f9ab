import type { Secret } from '#core/text/secret-forms.ts';

/** The host's variables of these names that are set, as secrets: passed on and redacted (H4). */
export function hostSecrets(environment: Readonly<Record<string, string>>, names: readonly string[]): Secret[] {
  return names.flatMap((name) => {
    const value = environment[name];
    return value === undefined || value === '' ? [] : [{ name, value }];
  });
}
