import { parseArgs } from 'node:util';

import { type Case, cases } from './cases.ts';
import { type AgentName, agentNames } from './installed.ts';
import { type Stand, startStand } from './stand.ts';

/** One cell of the table: an agent in a case. */
interface Tried {
  agent: AgentName;
  name: string;
  seconds: number;
  /** Absent when all held. */
  failure?: string;
}

const { values, positionals } = parseArgs({
  options: { installed: { type: 'string' }, case: { type: 'string' } },
  allowPositionals: true,
});
if (values.installed === undefined) throw new TypeError('give --installed FOLDER, where the agents were installed');

const chosenAgents = agentNames.filter((name) => positionals.length === 0 || positionals.includes(name));
const chosenCases = cases.filter(({ name }) => values.case === undefined || name.includes(values.case));
const stand = await startStand(values.installed);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stand.stop(true).finally(() => process.exit(130)));
}
const tried: Tried[] = [];
try {
  // One after the other: agents are heavy, and a time limit must not depend on a neighbour.
  for (const { agent, one } of chosenAgents.flatMap(casesOf)) {
    const result = await tryCase(stand, agent, one);
    tried.push(result);
    say(lineOf(result));
  }
} finally {
  await stand.stop(tried.some(({ failure }) => failure !== undefined));
}
const failed = tried.filter(({ failure }) => failure !== undefined).length;
say(`\n${tableOf(tried)}\n\n${tried.length - failed} passed, ${failed} failed`);
if (failed > 0) say(`What the runs left is in ${stand.folder}.`);
process.exitCode = failed === 0 && tried.length > 0 ? 0 : 1;

function casesOf(agent: AgentName): { agent: AgentName; one: Case }[] {
  return chosenCases.filter(({ agents }) => agents?.includes(agent) !== false).map((one) => ({ agent, one }));
}

async function tryCase(on: Stand, agent: AgentName, { name, run }: Case): Promise<Tried> {
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  try {
    await run(on, agent);
    return { agent, name, seconds: seconds() };
  } catch (error) {
    return { agent, name, seconds: seconds(), failure: error instanceof Error ? error.message : String(error) };
  }
}

function lineOf({ agent, name, seconds, failure }: Tried): string {
  const line = `${failure === undefined ? 'ok  ' : 'FAIL'} ${agent}: ${name} (${seconds.toFixed(1)} s)`;
  return failure === undefined ? line : `${line}\n     ${failure.replaceAll('\n', '\n     ')}`;
}

function tableOf(all: readonly Tried[]): string {
  const names = [...new Set(all.map(({ name }) => name))];
  const cell = (agent: AgentName, name: string): string => {
    const one = all.find((each) => each.agent === agent && each.name === name);
    return one === undefined ? '' : `${one.failure === undefined ? 'ok' : 'FAIL'} ${one.seconds.toFixed(1)} s`;
  };
  const agents = [...new Set(all.map(({ agent }) => agent))];
  const rows = [['agent', ...names], ...agents.map((agent) => [agent, ...names.map((name) => cell(agent, name))])];
  const widths = names.concat('').map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
