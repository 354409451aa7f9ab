import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { atTerminal, ctrlC, enter } from './pseudo-terminal.ts';
import type { Repository } from './repository.ts';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

const files = {
  'package.json': '{"scripts":{"test":"node --test"}}',
  'package-lock.json': '{"lockfileVersion":3,"packages":{}}',
  'sum.mjs': 'export const sum = (a, b) => a + b;\n',
};

function bare(repository: Repository) {
  return atTerminal([], { cwd: repository.path, env: stack.env });
}

/** The questions that are answered before anything is written. */
async function answerTask(terminal: ReturnType<typeof bare>): Promise<void> {
  await terminal.shows(/What shall be done\?[\s\S]*A task, in your own words/);
  terminal.type(enter);
  await terminal.shows(/What is the task\?/);
  terminal.type('Make it better');
  await terminal.shows(/Make it better/);
  terminal.type(enter);
  await terminal.shows(/Which agent does it\?[\s\S]*claude/);
  terminal.type(enter);
  await terminal.shows(/Who says how it is judged\?[\s\S]*The agent suggests it/);
  terminal.type(enter);
  await terminal.shows(/What judges the work\?[\s\S]*npm test/);
  terminal.type(enter);
  for (const question of [/A command of yours/, /How many passes/, /How long/, /How much may it spend/]) {
    await terminal.shows(question);
    terminal.type(enter);
  }
  await terminal.shows(/What happens to work[\s\S]*a branch/);
  terminal.type(enter);
}

describe.concurrent('bare setpoint at a terminal', () => {
  test('T-22: the wizard asks, shows the definition and its plan, writes it, and starts nothing unasked', async () => {
    const repository = stack.repository(files);
    const terminal = bare(repository);
    await answerTask(terminal);
    await terminal.shows(
      /The definition[\s\S]*What it does[\s\S]*Plan "Make it better"[\s\S]*Write it to which file\?/,
    );
    terminal.type(enter);
    await terminal.shows(/Write make-it-better\.loop\.yaml\?/);
    terminal.type(enter);
    await terminal.shows(/Start the run now\?/);
    terminal.type(enter);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(0);
    expect(screen).toContain('setpoint run make-it-better.loop.yaml');
    const text = readFileSync(join(repository.path, 'make-it-better.loop.yaml'), 'utf8');
    expect(text).toContain('task: Make it better\nagent: claude\n');
    expect(text).toContain('run: npm test\n');
    const listed = await stack.cli(['validate', 'make-it-better.loop.yaml'], { cwd: repository.path });
    expect(listed.code).toBe(0);
  });

  test('T-22: Ctrl-C gives the terminal back and leaves nothing behind, exit 130', async () => {
    const repository = stack.repository(files);
    const before = readdirSync(repository.path).toSorted();
    const terminal = bare(repository);
    await answerTask(terminal);
    await terminal.shows(/Write it to which file\?/);
    terminal.type(ctrlC);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(130);
    expect(screen).toContain('nothing was written');
    expect(readdirSync(repository.path).toSorted()).toEqual(before);
    expect(screen.lastIndexOf('\u001b[?25h')).toBeGreaterThan(screen.lastIndexOf('\u001b[?25l'));
  });

  test('T-22: without a terminal, bare setpoint is the help', async () => {
    const repository = stack.repository(files);
    const { code, stdout } = await stack.cli([], { cwd: repository.path });
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: setpoint');
    expect(existsSync(join(repository.path, '.setpoint'))).toBe(false);
  });
});
