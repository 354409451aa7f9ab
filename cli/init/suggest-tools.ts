import { has, type RepositoryFacts } from '#cli/init/repository-facts.ts';
import type { SlotName, Suggestions } from '#cli/init/slots.ts';

/** What a Cargo.toml tells. */
export function suggestRust(facts: RepositoryFacts): Suggestions | undefined {
  if (facts.manifests['Cargo.toml'] === undefined) return undefined;
  const because = 'Cargo.toml';
  const table = 'target/coverage.txt';
  return {
    setup: has(facts, 'Cargo.lock')
      ? { value: 'cargo fetch --locked', because: 'Cargo.lock' }
      : { value: 'cargo fetch', because },
    test: { value: 'cargo test', because },
    lint: { value: 'cargo clippy --all-targets -- -D warnings', because },
    audit: { value: 'cargo audit', because: `${because}; cargo-audit must be installed` },
    coverage: {
      value: `mkdir -p target && cargo llvm-cov --summary-only > ${table}`,
      because: `${because}; cargo-llvm-cov must be installed`,
    },
    covered: { value: `awk '/^TOTAL/ { sub("%", "", $10); print $10 }' ${table}`, because: `the table in ${table}` },
  };
}

/** What a go.mod tells. */
export function suggestGo(facts: RepositoryFacts): Suggestions | undefined {
  if (facts.manifests['go.mod'] === undefined) return undefined;
  const because = 'go.mod';
  const profile = '"${TMPDIR:-/tmp}/setpoint-coverage.out"';
  return {
    setup: { value: 'go mod download', because },
    test: { value: 'go test ./...', because },
    lint: { value: 'go vet ./...', because },
    audit: { value: 'govulncheck ./...', because: `${because}; govulncheck must be installed` },
    coverage: { value: `go test ./... -coverprofile=${profile}`, because },
    covered: {
      value: `go tool cover -func=${profile} | awk '/^total:/ { sub("%", "", $3); print $3 }'`,
      because: 'the profile of the command above (statements, which is what Go counts)',
    },
  };
}

const targets: readonly { slot: SlotName; names: readonly string[] }[] = [
  { slot: 'test', names: ['test', 'check', 'tests'] },
  { slot: 'lint', names: ['lint'] },
  { slot: 'setup', names: ['install', 'setup', 'deps', 'bootstrap'] },
  { slot: 'docs', names: ['docs-check', 'linkcheck'] },
  { slot: 'coverage', names: ['coverage'] },
];

/** What the targets of a makefile tell. */
export function suggestMake(facts: RepositoryFacts): Suggestions | undefined {
  const file = (['GNUmakefile', 'makefile', 'Makefile'] as const).find((name) => facts.manifests[name] !== undefined);
  if (file === undefined) return undefined;
  const found = new Set(
    [...(facts.manifests[file] ?? '').matchAll(/^([\w-][\w -]*?)\s*::?(?!=)/gm)].flatMap(([, names = '']) =>
      names.split(/\s+/),
    ),
  );
  const suggestions: Suggestions = {};
  for (const { slot, names } of targets) {
    const name = names.find((target) => found.has(target));
    if (name !== undefined) suggestions[slot] = { value: `make ${name}`, because: `the target "${name}" in ${file}` };
  }
  return suggestions;
}

/** Programs that build documentation and fail on what is wrong in it. */
export function suggestDocs(facts: RepositoryFacts): Suggestions {
  const because = (file: string): string => `${file}; it must be installed`;
  if (has(facts, 'mkdocs.yml')) {
    const value = 'mkdocs build --strict --site-dir "$(mktemp -d)"';
    return { docs: { value, because: because('mkdocs.yml') } };
  }
  if (has(facts, 'docs/conf.py')) {
    const value = 'sphinx-build -W -b html docs "$(mktemp -d)"';
    return { docs: { value, because: because('docs/conf.py') } };
  }
  if (has(facts, 'lychee.toml')) return { docs: { value: 'lychee .', because: because('lychee.toml') } };
  return {};
}
