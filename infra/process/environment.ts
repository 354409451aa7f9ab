import { Fault } from '#core/contract/fault.ts';
import { isLongEnoughForSecret, type Secret } from '#core/text/secret-forms.ts';

/** What may pass from the host's environment to an agent, command or check (H4). Everything else stays outside. */
const passedOn = new Set([
  'PATH',
  'LANG',
  'LANGUAGE',
  'TZ',
  'USER',
  'LOGNAME',
  'SHELL',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
]);

/** A13: nobody sits at the other end, and every tool is told so. A plan may override each of them. */
const nonInteractive: Readonly<Record<string, string>> = {
  CI: 'true',
  TERM: 'dumb',
  NO_COLOR: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  PAGER: 'cat',
};

export interface EnvironmentSources {
  /** The host's own environment, of which only the allow-list is taken. */
  host: Readonly<Record<string, string | undefined>>;
  /** HOME inside: the agent's or the step's own, never the host user's. */
  home: string;
  /** More names of the host's environment that an adapter needs. */
  alsoFromHost?: readonly string[];
  /** `env` of the plan and the step. */
  plan?: Readonly<Record<string, string>>;
  /** Resolved secrets; `name` is the variable. They win over all else. */
  secrets?: readonly Secret[];
}

/**
 * The whole environment of a contained command (H4, A13): allow-list, then the non-interactive contract, then the
 * plan, then the secrets. Throws Fault `schema/invalid` for a secret of fewer than 6 characters.
 */
export function buildEnvironment(sources: EnvironmentSources): Record<string, string> {
  const env: Record<string, string> = {};
  const also = new Set(sources.alsoFromHost ?? []);
  for (const [name, value] of Object.entries(sources.host)) {
    if (value !== undefined && (passedOn.has(name) || name.startsWith('LC_') || also.has(name))) env[name] = value;
  }
  Object.assign(env, nonInteractive, { HOME: sources.home }, sources.plan);
  for (const { name, value } of checkedSecrets(sources.secrets ?? [])) env[name] = value;
  return env;
}

/** H4: refuses values that are too short to be hidden without hiding ordinary words. Faults: `schema/invalid`. */
export function checkedSecrets(secrets: readonly Secret[]): readonly Secret[] {
  const short = secrets.find(({ value }) => !isLongEnoughForSecret(value));
  if (short === undefined) return secrets;
  throw new Fault(
    'schema/invalid',
    `The secret ${short.name} has fewer than 6 characters, so it cannot be hidden in output. Use a longer value, or plain env if it is no secret.`,
  );
}
