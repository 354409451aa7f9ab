import { homedir } from 'node:os';
import { probeAgents } from '#activities/agents/probe.ts';
import { probeDeps } from '#activities/attempt/choose-agent.ts';
import { hostEnvironment } from '#infra/config.ts';

/** `node dist/workers/agents.js`: which agents this machine has, as one JSON array on stdout. */
const probed = await probeAgents(probeDeps({ environment: hostEnvironment(), userHome: homedir() }));
process.stdout.write(`${JSON.stringify(probed)}\n`);
