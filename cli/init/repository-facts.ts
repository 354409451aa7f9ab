/** Files whose text tells how a repository is built, tested and checked. */
export const manifestNames = [
  'package.json',
  'pyproject.toml',
  'requirements.txt',
  'requirements-dev.txt',
  'pytest.ini',
  'tox.ini',
  'setup.cfg',
  'Cargo.toml',
  'go.mod',
  'Makefile',
  'makefile',
  'GNUmakefile',
] as const;
export type ManifestName = (typeof manifestNames)[number];

/** All that suggestions are made from: what was read of a repository and of this machine. */
export interface RepositoryFacts {
  /** Tracked files, relative, with `/` between folders; without git, the files at the top. */
  files: readonly string[];
  manifests: Readonly<Partial<Record<ManifestName, string>>>;
  defaultBranch?: { name: string; because: string };
  /** Names of the agents that are installed and not signed out; those that are signed in first. */
  agents: readonly string[];
  /** What a person should know about what was read. */
  notes: readonly string[];
}

/** Whether a file of that name is at the top. */
export function has(facts: RepositoryFacts, ...names: string[]): boolean {
  return names.some((name) => facts.files.includes(name));
}
