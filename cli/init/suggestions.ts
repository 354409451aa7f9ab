import { has, type RepositoryFacts } from '#cli/init/repository-facts.ts';
import type { SlotName, Suggestion, Suggestions } from '#cli/init/slots.ts';
import { slots } from '#cli/init/slots.ts';
import { suggestFromFiles } from '#cli/init/suggest-files.ts';
import { suggestNode } from '#cli/init/suggest-node.ts';
import { suggestPython } from '#cli/init/suggest-python.ts';
import { suggestDocs, suggestGo, suggestMake, suggestRust } from '#cli/init/suggest-tools.ts';

/**
 * What a repository and this machine tell, by slot. A slot that nothing tells is absent. When several files tell, the first
 * of package.json, Python, Cargo.toml, go.mod and the makefile is taken, and the others are named beside it. `notes` says
 * what a person should know.
 */
export function suggestionsFrom(facts: RepositoryFacts): { suggestions: Suggestions; notes: string[] } {
  const node = suggestNode(facts);
  const told = [
    node === 'broken' ? undefined : node,
    suggestPython(facts),
    suggestRust(facts),
    suggestGo(facts),
    suggestMake(facts),
    suggestDocs(facts),
    suggestFromFiles(facts),
    suggestMachine(facts),
  ];
  const suggestions: Suggestions = {};
  for (const name of Object.keys(slots).filter(isSlot)) {
    const found = told.flatMap((each) => each?.[name] ?? []);
    const merged = merge(found);
    if (merged !== undefined) suggestions[name] = merged;
  }
  const broken = 'package.json is no JSON of the usual shape: nothing was taken from it.';
  return {
    suggestions: withPairs(suggestions, facts),
    notes: [...facts.notes, ...(node === 'broken' ? [broken] : [])],
  };
}

function isSlot(name: string): name is SlotName {
  return Object.hasOwn(slots, name);
}

function merge([first, ...rest]: readonly Suggestion[]): Suggestion | undefined {
  if (first === undefined) return undefined;
  const others = rest.map(({ value }) => value).filter((value) => value !== first.value);
  return { ...first, ...(others.length === 0 ? {} : { others }) };
}

/** What follows from two of them. A measure and its reading come from one tool, or neither is of use. */
function withPairs(found: Suggestions, facts: RepositoryFacts): Suggestions {
  const { setup, test, coverage, covered, ...rest } = found;
  const paired = coverage !== undefined && covered !== undefined ? { coverage, covered } : {};
  const typed = [setup, test].flatMap((suggestion) => suggestion?.value ?? []);
  const readme = has(facts, 'README.md', 'README', 'README.rst')
    ? 'compare them with the README'
    : 'there is no README yet';
  const onboarding =
    test === undefined
      ? {}
      : { onboarding: { value: typed.join(' && '), because: `the commands for set-up and tests; ${readme}` } };
  return { ...rest, ...paired, ...onboarding, ...(setup ? { setup } : {}), ...(test ? { test } : {}) };
}

function suggestMachine({ agents, defaultBranch }: RepositoryFacts): Suggestions {
  const [agent, reviewer] = agents;
  const because = 'it is installed here';
  return {
    ...(agent === undefined ? {} : { agent: { value: agent, because, others: agents.slice(1) } }),
    ...(reviewer === undefined ? {} : { reviewer: { value: reviewer, because: `${because}, and is not ${agent}` } }),
    ...(defaultBranch === undefined ? {} : { base: { value: defaultBranch.name, because: defaultBranch.because } }),
  };
}
