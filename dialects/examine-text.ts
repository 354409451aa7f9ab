import type { Issue } from '#core/issue/issue.ts';
import type { Plan } from '#core/plan/plan.ts';
import { examine } from '#core/doctor/examine.ts';
import type { SourceHints } from '#core/doctor/facts.ts';
import type { Examination, Finding } from '#core/doctor/finding.ts';
import type { CompiledDocument, CompilingSettings, DefinitionText, ReadDocument } from '#dialects/parse.ts';
import { compileText } from '#dialects/parse.ts';
import { native } from '#dialects/native/native.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { positionAt } from '#dialects/source/positions.ts';

export type Examined = (CompiledDocument & Examination) | { kind: 'issues'; issues: Issue[] };

/**
 * Text -> Plan with what the doctor says about it, in the order of the text, with paths of the document, line and column;
 * or all issues. Never throws.
 */
export function examineText(source: DefinitionText & CompilingSettings): Examined {
  const compiled = compileText(source);
  return compiled.kind === 'issues' ? compiled : { ...compiled, ...examineDocument(compiled.plan, compiled.document) };
}

/** What the doctor says about a plan, placed in the document that it was compiled from. */
export function examineDocument(plan: Plan, document: ReadDocument): Examination {
  const { findings, loops } = examine(plan, hintsOf(document));
  const placed = findings
    .map((finding) => placeFinding(finding, document))
    .toSorted((left, right) => (left.line ?? 0) - (right.line ?? 0));
  return { findings: placed, loops: loops.map((loop) => ({ ...loop, path: document.pathInDocument(loop.path) })) };
}

/**
 * A fix keeps its path of the long form: whoever applies it looks the text up itself. In another dialect only a text can be
 * mended; keys have other names there.
 */
function placeFinding({ fix, ...finding }: Finding, { pathInDocument, positions, dialect }: ReadDocument): Finding {
  const { path, at } = positionAt(pathInDocument(finding.path), positions);
  const mends = fix !== undefined && (fix.kind === 'replace' || dialect === native.name);
  return { ...finding, path, ...at, ...(mends ? { fix } : {}) };
}

function hintsOf({ node, pathInDocument }: ReadDocument): SourceHints {
  return { joinedLines: (path) => (node === undefined ? undefined : joinedAt(node, pathInDocument(path))) };
}

function joinedAt(root: SourceNode, path: string): readonly string[] | undefined {
  const node = nodeAt(root, path) ?? nodeAt(root, parentOf(path));
  return node?.kind === 'scalar' ? node.joined : undefined;
}

function nodeAt(root: SourceNode, path: string): SourceNode | undefined {
  let node: SourceNode | undefined = root;
  for (const key of path.split('.')) {
    if (node?.kind === 'list') node = node.items[Number(key)];
    else node = node?.kind === 'map' ? node.entries.find((entry) => entry.key === key)?.value : undefined;
  }
  return node;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.')));
}
