import type { Field } from '#dialects/source/reading.ts';
import { listOf } from '#dialects/source/reading.ts';
import { text, word } from '#dialects/source/scalars.ts';
import { has, mappingOf } from '#dialects/dagu/keys.ts';

/** `outputs` of a step: what it writes into `$DAGU_OUTPUT_FILE` by name. */
export interface DeclaredOutput {
  name: string;
  type: 'string' | 'json';
}

const declaredMapping = mappingOf({
  shape: { name: text, type: word(['string', 'json']) },
  notRun: { path: 'let a later step read the file by its path' },
});

const declared: Field<DeclaredOutput> = (node, path, reading) => {
  const read = declaredMapping(node, path, reading);
  if (read === undefined) return undefined;
  if (read.name === undefined) {
    if (!has(node, 'name')) reading.report(path, 'definition/missing', 'an output needs a `name`');
    return undefined;
  }
  if (/^[A-Za-z]\w{0,63}$/.test(read.name)) return { name: read.name, type: read.type ?? 'string' };
  const message = `\`${read.name.slice(0, 80)}\` cannot be the name of an output; use letters, digits and \`_\`, starting with a letter`;
  reading.report(path, 'output/bad-name', message);
  return undefined;
};

const declaredList = listOf(declared, 'a list such as `[{name: image}]`');

export const declaredOutputs: Field<DeclaredOutput[]> = (node, path, reading) => {
  const read = declaredList(node, path, reading);
  const names = new Set<string>();
  for (const { name } of read ?? []) {
    if (names.has(name)) reading.report(path, 'definition/conflict', `two outputs are named \`${name}\`; keep one`);
    names.add(name);
  }
  return read;
};

/** Reads the records of Dagu's file (its specification 012) and prints them as one JSON object. */
const asJson = String.raw`awk -v declared="DECLARED" '
function fail(why) { print "DAGU_OUTPUT_FILE: " why > "/dev/stderr"; failed = 1; exit 1 }
function text(value,   out, at, one) {
  out = ""
  for (at = 1; at <= length(value); at++) {
    one = substr(value, at, 1)
    if (one == "\\" || one == "\"") out = out "\\" one
    else if (one == "\n") out = out "\\n"
    else if (one == "\t") out = out "\\t"
    else if (one == "\r") out = out "\\r"
    else out = out one
  }
  return "\"" out "\""
}
function put(name, value) {
  if (!(name in type)) fail("the output " name " is not declared")
  if (name in given) fail("the output " name " is written twice")
  given[name] = 1
  json = json (json == "" ? "" : ",") text(name) ":" (type[name] == "json" ? value : text(value))
}
BEGIN { count = split(declared, pairs, " "); for (each = 1; each <= count; each++) { split(pairs[each], pair, ":"); type[pair[1]] = pair[2] } }
{ sub(/\r$/, "") }
open != "" { if ($0 == end) { put(open, held); open = "" } else { held = held (lines++ ? "\n" : "") $0 } next }
match($0, /^[A-Za-z][A-Za-z0-9_]*<<[A-Za-z_][A-Za-z0-9_]*$/) { at = index($0, "<<"); open = substr($0, 1, at - 1); end = substr($0, at + 2); held = ""; lines = 0; next }
match($0, /^[A-Za-z][A-Za-z0-9_]*=/) { put(substr($0, 1, RLENGTH - 1), substr($0, RLENGTH + 1)); next }
{ fail("a line is no record name=value: " $0) }
END {
  if (failed) exit 1
  if (open != "") fail("the output " open " has no closing line " end)
  for (name in type) if (!(name in given)) fail("the output " name " was not written")
  print "{" json "}"
}' "$DAGU_OUTPUT_FILE"`;

/** The step's output is then the JSON of what was written; what the command itself says goes to stderr. */
export function withOutputFile(body: string, outputs: readonly DeclaredOutput[] | undefined): string {
  if (outputs === undefined || outputs.length === 0) return body;
  const names = outputs.map(({ name, type }) => `${name}:${type}`).join(' ');
  return [
    'DAGU_OUTPUT_FILE="$(mktemp)" || exit 126',
    'export DAGU_OUTPUT_FILE',
    `trap 'rm -f "$DAGU_OUTPUT_FILE"' EXIT`,
    `(\n${body}\n) >&2`,
    'status=$?',
    '[ "$status" -eq 0 ] || exit "$status"',
    asJson.replace('DECLARED', () => names),
  ].join('\n');
}
