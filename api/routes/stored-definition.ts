import type { StartRun } from '#core/contract/http.ts';
import { DefinitionName, type DefinitionShown } from '#core/contract/library.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import type { DefinitionStore } from '#infra/postgres/definition-store.ts';
import { ApiProblem } from '#api/http/problem.ts';

/** What a stored text is called in messages; it gives the name to a definition that has none. */
export function storedFile(name: string): string {
  return `${name}.loop.yaml`;
}

export interface StoredName {
  name: string;
  /** The newest one when absent. */
  version?: number | undefined;
  project?: string | undefined;
}

/** The stored definition, or the problem `definition/not-found`. */
export async function storedDefinition(definitions: DefinitionStore, named: StoredName): Promise<DefinitionShown> {
  const { name, version, project = defaults.project } = named;
  const found = await definitions.find({ project, name, ...present({ version }) });
  if (found !== undefined) return found;
  const which = version === undefined ? '' : ` in version ${version}`;
  throw new ApiProblem('definition/not-found', {
    detail: `The project ${project} has no stored definition ${name}${which}.`,
    remedy: 'See those that there are: setpoint definitions.',
  });
}

/** A request that names a stored definition becomes one with its text; any other stays as it is. */
export async function withStoredText(definitions: DefinitionStore, request: StartRun): Promise<StartRun> {
  const { name, version, ...rest } = request;
  if (name === undefined && version === undefined) return request;
  const isAlone = [rest.definition, rest.source, rest.file, rest.dialect].every((part) => part === undefined);
  const parsed = DefinitionName.safeParse(name);
  if (!isAlone || name === undefined) {
    throw new ApiProblem('http/bad-request', {
      detail: 'A stored definition is named by `name`, with `version` if not the newest, and brings text and dialect.',
      remedy: 'Send `name`, or one of `source` and `definition`.',
    });
  }
  if (!parsed.success) {
    const detail = `\`${name}\` names no stored definition: ${parsed.error.issues[0]?.message ?? ''}.`;
    throw new ApiProblem('http/bad-request', { detail, remedy: 'See those that there are: setpoint definitions.' });
  }
  const { source, dialect } = await storedDefinition(definitions, { name, version, project: rest.project });
  return { ...rest, source, dialect, file: storedFile(name) };
}
