// `npm run test:agents [-- AGENT…] [-- --case WORDS]`: the real coding agents, installed from the package registry
// (pinned, about 1.8 GB, once into a cache), through the product against a scripted model on loopback.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Program, package, version. */
const agents = [
  ['codex', '@openai/codex', '0.171.0'],
  ['claude', '@anthropic-ai/claude-code', '2.1.332'],
  ['opencode', 'opencode-ai', '1.18.33'],
  ['pi', '@earendil-works/pi-coding-agent', '1.6.0'],
  ['gemini', '@google/gemini-cli', '0.61.0'],
  ['copilot', '@github/copilot', '1.0.102'],
];
/** Pi does not start on Node 20: this one goes before it on PATH. */
const node = [`node-${process.platform}-${process.arch}`, '22.23.5'];

const dependencies = Object.fromEntries([...agents.map(([, name, version]) => [name, version]), node]);
const hash = createHash('sha256').update(JSON.stringify(dependencies)).digest('hex').slice(0, 12);
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'setpoint');
const installed = join(cache, `agents-${hash}`);

install();
verify();
run(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], root);
run(process.execPath, ['scripts/build-workflow-bundle.mjs'], root);
const lane = ['dist/test/agents/main.js', '--installed', installed, ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, lane, { cwd: root, stdio: 'inherit' }).status ?? 1;

/** A folder that is there is whole: it gets its name only when npm is done. */
function install() {
  if (existsSync(installed)) return;
  const draft = `${installed}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, 'package.json'), JSON.stringify({ private: true, dependencies }));
  console.log(`installing ${agents.map(([name, , version]) => `${name} ${version}`).join(', ')} into ${installed}`);
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], draft);
  rmSync(join(draft, 'package-lock.json'), { force: true });
  renameSync(draft, installed);
}

/** Each program starts and is the version that was asked for; a changed one would explain a failure. */
function verify() {
  const programs = join(installed, 'node_modules', '.bin');
  const env = { ...process.env, PATH: `${programs}:${process.env.PATH}`, COPILOT_AUTO_UPDATE: 'false' };
  for (const [name, , version] of agents) {
    const told = spawnSync(join(programs, name), ['--version'], { encoding: 'utf8', timeout: 60_000, env });
    if (told.status === 0 && told.stdout.includes(version)) continue;
    console.error(
      `test:agents: ${name} --version said ${JSON.stringify(told.stdout)} (exit ${told.status}), not ${version}.`,
    );
    console.error(`Remove ${installed} and run this again.`);
    process.exit(1);
  }
}

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status === 0) return;
  console.error(`test:agents: ${command} ${args.join(' ')} exited ${status}`);
  process.exit(1);
}
