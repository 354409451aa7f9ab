import type { Definition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import type { Issue } from '#core/issue/issue.ts';
import { errorAt, hasErrors } from '#core/issue/issue.ts';
import { didYouMean } from '#core/issue/nearest.ts';
import type { CompileOptions } from '#core/plan/compile.ts';
import { compile } from '#core/plan/compile.ts';
import type { Plan } from '#core/plan/plan.ts';
import type { Dialect, DialectRead } from '#dialects/dialect.ts';
import { native } from '#dialects/native/native.ts';
import type { Overrides } from '#dialects/overrides.ts';
import { applyOverrides } from '#dialects/overrides.ts';
import { dialects } from '#dialects/registry.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Positions } from '#dialects/source/positions.ts';
import { placeIssue, positionsOf } from '#dialects/source/positions.ts';
import type { SourceRead } from '#dialects/source/read-value.ts';
import { readValue } from '#dialects/source/read-value.ts';
import { readYaml } from '#dialects/source/read-yaml.ts';

/** Text of a file. `file` is its name: for messages, and for a definition that gives no name of its own. */
export interface DefinitionText {
  text: string;
  file?: string;
  /** Decides in place of the shape. */
  dialect?: string;
}

/** `overrides` are what the command line says; `library` and `unknownCalls` are as `compile` takes them. */
export type CompilingSettings = CompileOptions & { overrides?: Overrides };

export type Parsed =
  | { kind: 'definition'; definition: Definition; dialect: string; positions: Positions }
  | { kind: 'issues'; issues: Issue[] };

/** A document that was read, for whoever wants to say something about its parts. */
export interface ReadDocument extends DialectRead {
  dialect: string;
  positions: Positions;
  /** Absent where nothing sensible could be made of the text. */
  node?: SourceNode;
}

export interface CompiledDocument {
  kind: 'plan';
  plan: Plan;
  dialect: string;
  warnings: Issue[];
  document: ReadDocument;
}

export type CompiledText = CompiledDocument | { kind: 'issues'; issues: Issue[] };

/** Text -> Definition, or every issue of the text with line and column. What parts say together is left to `compileText`. */
export function parseDefinition(source: DefinitionText): Parsed {
  const document = readDocument(readYaml(source.text), source);
  const { definition } = document;
  if (definition === undefined || hasErrors(document.issues))
    return { kind: 'issues', issues: placed(document, document.issues) };
  return { kind: 'definition', definition, dialect: document.dialect, positions: document.positions };
}

/**
 * Text -> Plan, or **all** issues at once, those of the text and those of compiling, in the order of the text, with line
 * and column (A14). Warnings come with a plan. Never throws.
 */
export function compileText(source: DefinitionText & CompilingSettings): CompiledText {
  return compileDocument(readDocument(readYaml(source.text), source), source);
}

/** As `compileText`, for a definition given as a JSON value; its issues have no positions. */
export function compileValue(value: unknown, options: { dialect?: string } & CompilingSettings = {}): CompiledText {
  return compileDocument(readDocument(readValue(value), options), options);
}

function readDocument(source: SourceRead, options: { dialect?: string; file?: string }): ReadDocument {
  const nothing = { dialect: '', positions: new Map(), pathInDocument: (path: string) => path };
  const { node, more = [], issues } = source;
  if (node === undefined) return { ...nothing, issues };
  const positions = positionsOf(node, more);
  const dialect = dialectOf(node, options.dialect);
  if ('code' in dialect) return { ...nothing, positions, issues: [...issues, dialect] };
  const second = dialect.manyDocuments === true ? [] : more.slice(0, 1).map(secondDocument);
  const read = dialect.read(node, { ...present({ name: nameOfFile(options.file) }), more });
  return { ...read, issues: [...issues, ...second, ...read.issues], dialect: dialect.name, positions, node };
}

function secondDocument({ at }: SourceNode): Issue {
  const message = 'the file holds a second document; put each definition into its own file';
  return { ...errorAt('', 'source/second-document', message), ...at };
}

const unclear =
  '`steps` is a list that fits no dialect as it stands; say which is meant with `--dialect`: `verdict-steps`, `conditions` or `dagu-yaml`. In the native form `steps` is a mapping from ids to steps';

function hasListedSteps(node: SourceNode): boolean {
  return node.kind === 'map' && node.entries.some(({ key, value }) => key === 'steps' && value.kind === 'list');
}

/** A file says by its shape which dialect it is written in; one that fits none is read as native, but for a list of steps. */
function dialectOf(node: SourceNode, named: string | undefined): Dialect | Issue {
  if (named === undefined) {
    const [fitting, ...others] = dialects.filter((dialect) => dialect.fits(node));
    if (fitting === undefined) return hasListedSteps(node) ? errorAt('', 'dialect/unclear', unclear) : native;
    if (others.length === 0) return fitting;
    const names = [fitting, ...others].map(({ name }) => `\`${name}\``).join(' and ');
    const message = `the file can be read as ${names}, which do not mean the same; say which with \`--dialect\``;
    return errorAt('', 'dialect/ambiguous', message);
  }
  const found = dialects.find((dialect) => dialect.name === named);
  if (found !== undefined) return found;
  const names = dialects.map((dialect) => dialect.name);
  const hint = didYouMean(named, names) || `; known are ${names.join(', ')}`;
  return errorAt('', 'dialect/unknown', `there is no dialect \`${named}\`${hint}`);
}

function compileDocument(document: ReadDocument, settings: CompilingSettings): CompiledText {
  const { definition, issues } = document;
  if (definition === undefined) return { kind: 'issues', issues: placed(document, issues) };
  const { overrides = {}, library, unknownCalls } = settings;
  const compiled = compile(applyOverrides(definition, overrides), present({ library, unknownCalls }));
  const found = compiled.kind === 'plan' ? compiled.warnings : compiled.issues;
  const located = found.map((issue) => ({ ...issue, path: document.pathInDocument(issue.path) }));
  const all = placed(document, [...issues, ...withoutEchoes(located, issues)]);
  if (compiled.kind === 'plan' && !hasErrors(issues)) {
    return { kind: 'plan', plan: compiled.plan, dialect: document.dialect, warnings: all, document };
  }
  return { kind: 'issues', issues: all };
}

/** A value that could not be read is missing when compiled: what compiling says about its place only repeats it. */
function withoutEchoes(found: readonly Issue[], read: readonly Issue[]): Issue[] {
  if (read.length === 0) return [...found];
  const broken = new Set(read.map((issue) => issue.path));
  const around = new Set(read.map((issue) => parentOf(issue.path)));
  return found.filter((issue) => {
    if (around.has(issue.path)) return false;
    for (let path = issue.path; path !== ''; path = parentOf(path)) if (broken.has(path)) return false;
    return true;
  });
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.')));
}

const issuesShown = 500;

/** In the order of the text; as many as a person could use. */
function placed(document: { positions: Positions }, issues: readonly Issue[]): Issue[] {
  const sorted = issues
    .map((issue) => placeIssue(issue, document.positions))
    .toSorted((left, right) => (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0));
  if (sorted.length <= issuesShown) return sorted;
  const more = `${sorted.length - issuesShown} more issues are not shown; mend these first`;
  return [...sorted.slice(0, issuesShown), errorAt('', 'definition/too-many-issues', more)];
}

/** `green-tests` of `loops/green-tests.loop.yaml`. */
function nameOfFile(file: string | undefined): string | undefined {
  const name = file
    ?.split(/[/\\]/)
    .at(-1)
    ?.replace(/(?:\.loop)?\.(?:ya?ml|json)$/i, '');
  return name === '' || name === '-' ? undefined : name;
}
