import type { StartRun } from '#core/contract/http.ts';
import type { Definition } from '#core/definition/definition.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import { nearest } from '#core/issue/nearest.ts';
import type { Library } from '#core/plan/call-graph.ts';
import { parseDefinition } from '#dialects/parse.ts';
import type { DefinitionStore } from '#infra/postgres/definition-store.ts';
import { storedFile } from '#api/routes/stored-definition.ts';

interface CalledWhere {
  project?: string | undefined;
  /** The name under which the definition is about to be stored: who calls it will call this text. */
  self?: string;
}

type Text = Pick<StartRun, 'definition' | 'source' | 'file' | 'dialect'>;

/**
 * The stored definitions that a request's definition may call, and what those call, each in its newest version: of the
 * project that is given, else of the definition's own. Empty where the definition cannot be read: compiling tells why.
 */
export async function callableFrom(
  definitions: DefinitionStore,
  { definition, source, file, dialect }: Text,
  { project, self }: CalledWhere,
): Promise<Library> {
  const text = source ?? (definition === undefined ? undefined : JSON.stringify(definition));
  const read = text === undefined ? undefined : parseDefinition({ text, ...present({ file, dialect }) });
  if (read?.kind !== 'definition') return {};
  const home = project ?? read.definition.project ?? defaults.project;
  const library = await gathered(definitions, home, { definition: read.definition, self });
  const callers = [read.definition, ...library.values()];
  const there = new Set([...library.keys(), ...callers.flatMap(namedIn)]);
  const missing = callers.flatMap(calledIn).filter((name) => !there.has(name));
  return Object.fromEntries([...library, ...(await meant(definitions, home, missing))]);
}

/** How many of a project's definitions are looked through for a name that is nearly right. */
const mostNames = 300;

/** In place of what is called and not there, the nearest that is: the issue about it can name that. */
async function meant(
  definitions: DefinitionStore,
  home: string,
  missing: readonly string[],
): Promise<[string, Definition][]> {
  if (missing.length === 0) return [];
  const listed = (await definitions.list({ project: home, limit: mostNames })).map(({ name }) => name);
  const wanted = missing.flatMap((name) => nearest(name, listed) ?? []);
  if (wanted.length === 0) return [];
  return (await definitions.newest(home, wanted)).flatMap(({ name, source, dialect }) => {
    const read = parseDefinition({ text: source, file: storedFile(name), dialect });
    return read.kind === 'issues' ? [] : [[name, read.definition] as [string, Definition]];
  });
}

/** The names of the definitions that are written inside it. */
function namedIn({ children = {} }: Definition): string[] {
  return Object.entries(children).flatMap(([name, child]) => [name, ...namedIn(child)]);
}

interface Caller {
  definition: Definition;
  self: string | undefined;
}

async function gathered(
  definitions: DefinitionStore,
  home: string,
  { definition, self }: Caller,
): Promise<Map<string, Definition>> {
  const library = new Map<string, Definition>(self === undefined ? [] : [[self, definition]]);
  const asked = new Set(library.keys());
  for (let callers = [definition]; callers.length > 0;) {
    const names = callers.flatMap(calledIn).filter((name) => !asked.has(name));
    for (const name of names) asked.add(name);
    const stored = names.length === 0 ? [] : await definitions.newest(home, names);
    callers = [];
    for (const { name, source, dialect } of stored) {
      const callee = parseDefinition({ text: source, file: storedFile(name), dialect });
      // Stored by a version that took it: to this one it is as if it were not there, and the call is an issue.
      if (callee.kind === 'issues') continue;
      library.set(name, callee.definition);
      callers.push(callee.definition);
    }
  }
  return library;
}

/** Every name that it, or what is written inside it, calls. */
function calledIn({ steps, children = {} }: Definition): string[] {
  const own = steps.flatMap(({ work }) => (work.kind === 'call' ? [work.definition] : []));
  return [...new Set([...own, ...Object.values(children).flatMap(calledIn)])];
}
