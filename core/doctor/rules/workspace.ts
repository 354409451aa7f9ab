import type { Facts } from '#core/doctor/facts.ts';
import type { JudgedCommand } from '#core/doctor/judged-commands.ts';
import { shortened } from '#core/doctor/loop-view.ts';
import { promptOf } from '#core/doctor/prompts.ts';
import { type Found, loopOf, type Rule } from '#core/doctor/rule.ts';
import { baseName, scriptOf } from '#core/doctor/shell/kinds.ts';
import type { Program } from '#core/doctor/shell/program.ts';
import { programsIn } from '#core/doctor/shell/program.ts';
import { readShell } from '#core/doctor/shell/script.ts';
import { outputOfReference } from '#core/template/references.ts';
import { parseTemplate } from '#core/template/parse.ts';

/** A worktree holds what git holds: no dependency folders. */
export const noSetup: Rule = {
  id: 'workspace/no-setup',
  severity: 'note',
  title: 'A check needs installed packages, and a fresh worktree has none.',
  why: 'The run works in a checkout of its own, without ignored folders such as `node_modules`; the check could fail for that alone.',
  remedy: 'Write how a fresh checkout is made ready, such as `workspace: { setup: npm ci }`.',
  example: {
    wrong: 'task: Make the tests pass.\nagent: codex\nchecks: [npm test]\nworkspace: { protect: ["test/**"] }\n',
    right:
      'task: Make the tests pass.\nagent: codex\nchecks: [npm test]\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
  },
  find: (facts) => {
    const { workspace, steps } = facts.plan;
    if (!workspace.worktree || workspace.setup !== undefined) return [];
    // Whoever is asked to install, or does so in a step, needs no set-up.
    if (facts.commands.some(({ programs }) => programs.some(installs))) return [];
    if (steps.some((step) => /\b(?:install|npm ci|bundle|pnpm i)\b/i.test(promptOf(step)))) return [];
    const needy = facts.commands.find(
      ({ programs, step }) => programs.some(needsPackages) && isAfterAgent(facts, step),
    );
    return needy === undefined ? [] : [found(needy)];
  },
};

function found({ path, command, step, programs }: JudgedCommand): Found {
  const how = programs.flatMap((program) => (needsPackages(program) ? [setupFor(program)] : []))[0] ?? 'npm ci';
  return {
    path,
    message: `\`${shortened(command)}\` needs installed packages, and nothing installs them in a fresh worktree`,
    remedy: `Write how a fresh checkout is made ready, such as \`workspace: { setup: ${how} }\`.`,
    ...loopOf(step),
  };
}

function isAfterAgent(facts: Facts, step: JudgedCommand['step']): boolean {
  return step.work.kind === 'agent' || facts.lastBefore(step, ({ work }) => work.kind === 'agent') !== undefined;
}

const nodeTools: ReadonlySet<string> = new Set([
  'jest',
  'vitest',
  'mocha',
  'ava',
  'eslint',
  'tsc',
  'prettier',
  'playwright',
  'cypress',
  'oxlint',
  'biome',
  'stylelint',
  'turbo',
  'nx',
]);

function needsPackages(program: Program): boolean {
  const { name, args } = program;
  const base = baseName(name);
  if (['npm', 'pnpm', 'yarn'].includes(base))
    return !['audit', 'view', 'ci', 'install', 'i', 'pack', 'init'].includes(args[0] ?? '');
  if (name.includes('node_modules/')) return true;
  if (name.startsWith('vendor/bin/') || name.includes('.venv/bin/')) return true;
  if (nodeTools.has(base)) return true;
  // What a script of the project imports cannot be seen; most import something.
  return ['node', 'tsx', 'ts-node'].includes(base) && scriptOf(program) !== undefined;
}

function setupFor({ name }: Program): string {
  if (name.startsWith('vendor/bin/')) return 'composer install';
  if (name.includes('.venv/')) return 'python -m venv .venv && .venv/bin/pip install -r requirements.txt';
  const base = baseName(name);
  return base === 'pnpm' || base === 'yarn' ? `${base} install --frozen-lockfile` : 'npm ci';
}

function installs({ name, args }: Program): boolean {
  const base = baseName(name);
  if (/^python[\d.]*$/.test(base) && args[0] === '-m') return installsBy(args[1] ?? '', args.slice(2));
  return installsBy(base, args);
}

function installsBy(base: string, args: readonly string[]): boolean {
  if (['npm', 'pnpm', 'yarn', 'bun', 'composer', 'bundle', 'pip', 'pip3', 'poetry', 'uv'].includes(base)) {
    return ['ci', 'install', 'i', 'sync', 'clean-install'].includes(args[0] ?? (base === 'yarn' ? 'install' : ''));
  }
  return base === 'make' && args.some((arg) => /^(?:install|deps|setup|bootstrap)$/.test(arg));
}

/** A11: unquoted words of somebody else in a command. */
export const rawWords: Rule = {
  id: 'command/raw-words',
  severity: 'warning',
  title: 'What an agent or a person said is inserted into a command as shell text.',
  why: 'With `| raw` it is no quoted word: whatever stands in it is run.',
  remedy:
    'Drop `| raw`; the value is then one quoted word. To run what was said, write it to a file and look at it first.',
  example: {
    wrong:
      'steps:\n  name: { agent: claude, readOnly: true, prompt: Name the branch. }\n  make: { run: "git branch {{steps.name.output | raw}}", after: name }\n',
    right:
      'steps:\n  name: { agent: claude, readOnly: true, prompt: Name the branch. }\n  make: { run: "git branch {{steps.name.output}}", after: name }\n',
  },
  find: (facts) => facts.commands.flatMap((command) => raws(facts, command)),
};

function raws(facts: Facts, { command, path, step }: JudgedCommand): Found[] {
  if (!command.includes('raw')) return [];
  const hit = parseTemplate(command).parts.find((part) => {
    if (part.kind !== 'insert' || !part.raw) return false;
    if (part.path === 'feedback' || part.path === 'item') return true;
    const of = outputOfReference(part.path);
    const source = of === undefined ? undefined : facts.step(of.step);
    return source !== undefined && source.work.kind !== 'run';
  });
  if (hit?.kind !== 'insert') return [];
  const tags = command.match(/\s*\|\s*raw\b/g) ?? [];
  const [find] = tags;
  const fix =
    tags.length === 1 && find !== undefined ? { fix: { kind: 'replace' as const, path, find, replace: '' } } : {};
  const message = `\`{{${hit.path} | raw}}\` runs what was said as part of a command`;
  return [{ path, message, ...loopOf(step), ...fix }];
}

/** The command that makes a checkout ready decides nothing, and may still be one that fails for ever. */
export const setupHidesFailure: Rule = {
  id: 'workspace/setup-cannot-fail',
  severity: 'note',
  title: 'The set-up hides its own failure.',
  why: 'Each pass then works in a checkout that is not ready, and every check fails for that.',
  remedy: 'Drop `|| true`: a set-up that fails stops the run before any spend.',
  example: {
    wrong:
      'task: Make the tests pass.\nagent: codex\nchecks: [npm test]\nworkspace: { setup: npm ci || true, protect: ["test/**"] }\n',
    right:
      'task: Make the tests pass.\nagent: codex\nchecks: [npm test]\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
  },
  find: ({ plan, prefix }) => {
    const { setup } = plan.workspace;
    const script = setup === undefined ? undefined : readShell(setup);
    if (script === undefined || setup === undefined || programsIn(script).every((program) => !installs(program)))
      return [];
    const hides = /\|\|\s*(?:true|:|echo\b[^|&;]*)\s*$/.exec(setup.trimEnd());
    if (hides === null) return [];
    const path = `${prefix}workspace.setup`;
    const find = setup.slice(setup.lastIndexOf('||')).trimEnd();
    const fix =
      setup.split(` ${find}`).length === 2
        ? { fix: { kind: 'replace' as const, path, find: ` ${find}`, replace: '' } }
        : {};
    return [{ path, message: `a set-up that failed is taken for a good one: \`${shortened(setup)}\``, ...fix }];
  },
};
