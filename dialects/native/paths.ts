import { isShortForm } from '#dialects/native/person.ts';
import type { SourceNode } from '#dialects/source/node.ts';

/** Where a document says what the long form says at a path. */
type PathInDocument = (path: string) => string;

/** Where the short form says what the long form says at `path`. */
export function shortPath(path: string): string {
  const [, , key = '', ...rest] = path.split('.');
  if (path !== 'steps.work' && !path.startsWith('steps.work.')) return path;
  switch (key) {
    case 'prompt':
      return 'task';
    case 'time':
      return 'agent.time';
    case 'loop':
      return rest[0] === 'limit' ? 'limits.passes' : '';
    default:
      return [key, ...rest].join('.');
  }
}

/** The short way of writing a form has its names where a whole JSON Schema has `properties`. */
export function longPath(root: SourceNode, path: string): string {
  const handler = /^steps\.on-(success|failure|cancel|exit)(?=\.|$)/.exec(path);
  if (handler !== null && nodeAt(root, ['handlers', handler[1] ?? '']) !== undefined) {
    return `handlers.${handler[1] ?? ''}${path.slice(handler[0].length)}`;
  }
  const [form, name] = path.split('.person.form.properties.');
  if (form === undefined || name === undefined) return path;
  const at = `${form}.person.form`;
  return isShortForm(nodeAt(root, at.split('.'))) ? `${at}.${name}` : path;
}

/** The same for a document with definitions inside it, each written in its own way. */
export function pathsOf(
  own: PathInDocument,
  children: Record<string, { pathInDocument: PathInDocument }>,
): PathInDocument {
  return (path) => {
    const [key, name = '', ...rest] = path.split('.');
    const child = key === 'definitions' && Object.hasOwn(children, name) ? children[name] : undefined;
    if (child === undefined) return own(path);
    const inside = rest.length === 0 ? '' : child.pathInDocument(rest.join('.'));
    return inside === '' ? `definitions.${name}` : `definitions.${name}.${inside}`;
  };
}

function nodeAt(root: SourceNode, keys: readonly string[]): SourceNode | undefined {
  let node: SourceNode | undefined = root;
  for (const key of keys) {
    node = node?.kind === 'map' ? node.entries.find((entry) => entry.key === key)?.value : undefined;
  }
  return node;
}
