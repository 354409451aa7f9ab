import { has, type RepositoryFacts } from '#cli/init/repository-facts.ts';
import type { Suggestions } from '#cli/init/slots.ts';

/** How the tools of a Python project are installed and started. */
interface Python {
  because: string;
  setup: string;
  /** In front of a tool's module or program. */
  run: (tool: string) => string;
  audit: string;
}

/** What the files of a Python project tell; undefined when there are none. */
export function suggestPython(facts: RepositoryFacts): Suggestions | undefined {
  const python = pythonOf(facts);
  if (python === undefined) return undefined;
  const { because, run } = python;
  return {
    setup: { value: python.setup, because },
    audit: { value: python.audit, because: `${because}, with pip-audit` },
    ...(names(facts, 'pytest') ? pytest(facts, run) : unittest(facts, run)),
    ...(names(facts, 'ruff') ? { lint: { value: run('ruff check .'), because: 'ruff in its settings' } } : {}),
    ...(names(facts, 'vulture') ? { unused: { value: run('vulture .'), because: 'vulture in its settings' } } : {}),
  };
}

function pythonOf(facts: RepositoryFacts): Python | undefined {
  if (has(facts, 'uv.lock')) {
    const audit = 'uv run --with pip-audit pip-audit';
    return { because: 'uv.lock', setup: 'uv sync --frozen', run: (tool) => `uv run ${tool}`, audit };
  }
  if (has(facts, 'poetry.lock')) {
    const run = (tool: string): string => `poetry run ${tool}`;
    return { because: 'poetry.lock', setup: 'poetry install', run, audit: run('pip-audit') };
  }
  const file = ['requirements-dev.txt', 'requirements.txt', 'pyproject.toml'].find((name) => has(facts, name));
  if (file === undefined) return undefined;
  const what = file === 'pyproject.toml' ? '.' : `-r ${file}`;
  return {
    because: `${file}; let git ignore .venv`,
    setup: `python3 -m venv .venv && .venv/bin/python -m pip install ${what}`,
    run: (tool) => `.venv/bin/python -m ${tool}`,
    audit: `.venv/bin/python -m pip_audit`,
  };
}

function pytest(facts: RepositoryFacts, run: (tool: string) => string): Suggestions {
  const test = { value: run('pytest'), because: 'pytest in its settings' };
  if (!names(facts, 'pytest-cov')) return { test };
  return {
    test,
    coverage: { value: run('pytest --cov --cov-report=json'), because: 'pytest-cov in its settings' },
    covered: {
      value: `python3 -c 'import json; print(json.load(open("coverage.json"))["totals"]["percent_covered"])'`,
      because: 'coverage.json, which --cov-report=json writes',
    },
  };
}

/** Tests are seen by the name that unittest itself looks for. */
function unittest(facts: RepositoryFacts, run: (tool: string) => string): Suggestions {
  const file = facts.files.find((path) => /(?:^|\/)test\w*\.py$/.test(path));
  if (file === undefined) return {};
  const start = run('python').endsWith('-m python') ? '.venv/bin/python' : run('python');
  return { test: { value: `${start} -m unittest discover`, because: `${file}, and no pytest` } };
}

/** Whether a file of settings or requirements names the tool. */
function names({ manifests }: RepositoryFacts, tool: string): boolean {
  const word = new RegExp(`(?:^|[^\\w-])${tool}(?![\\w-])`, 'm');
  const files = [
    'pyproject.toml',
    'requirements.txt',
    'requirements-dev.txt',
    'pytest.ini',
    'tox.ini',
    'setup.cfg',
  ] as const;
  return files.some((file) => word.test(manifests[file] ?? ''));
}
