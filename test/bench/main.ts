import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

import { measureBurst } from './burst.ts';
import { measureDoctor, measureRefusal } from './doctor.ts';
import { atLeast, atMost, type Figure, tableOf, told } from './figures.ts';
import { type Floor, measureFloor } from './floor.ts';
import { measureIdle } from './idle.ts';
import { measureNext } from './law.ts';
import { measureLoop } from './loops.ts';
import { measureDecision, measureWaiting } from './people.ts';
import { startBenchStack } from './stack.ts';
import { measureApiStart, measureCliStart, measureColdStart, measureRecovery } from './starts.ts';

const rounds = 5;
const page = fileURLToPath(new URL('../../../docs/performance.md', import.meta.url));

/** Without a sandbox, on the server that the floor is measured on. */
async function bare(): Promise<{ figures: Figure[]; floor: Floor }> {
  const stack = await startBenchStack('none');
  try {
    const { temporalAddress: address, temporalNamespace: namespace } = stack.stack();
    const idle = await measureIdle(stack);
    const floor = await measureFloor({ address, namespace });
    console.log(`floor: ${floor.passMs.toFixed(1)} ms a pass, ${floor.perSecond.toFixed(1)} workflows a second`);
    // Our processes are as warm as the floor's worker then is.
    await measureLoop(stack, { passes: 20, worktree: false, rounds: 1 });
    const short = await measureLoop(stack, { passes: 10, worktree: false, rounds });
    const long = await measureLoop(stack, { passes: 500, worktree: false, rounds: 1 });
    const perSecond = await measureBurst(stack, 3);
    const figures = [
      told('floor: a pass of two activities that spawn `true`', `${floor.passMs.toFixed(1)} ms`),
      told('floor: workflows of two activities', `${floor.perSecond.toFixed(1)} a second`),
      atMost('pass, no sandbox, no snapshot', short.passMs / floor.passMs, 1.6, '× floor'),
      atMost('pass in a run of 500, the same', long.passMs / floor.passMs, 1.6, '× floor'),
      atMost('history events a pass (10 passes)', short.eventsPerPass, 14, 'events'),
      atMost('history events a pass (500 passes)', long.eventsPerPass, 14, 'events'),
      atMost('API call to the first process, warm', await measureApiStart(stack, rounds), 0.2, 's'),
      atMost('`setpoint run` to the first process, warm', await measureCliStart(stack, rounds), 0.6, 's'),
      atLeast('100 runs of two steps at once', perSecond / floor.perSecond, 0.6, '× floor'),
      atMost('kill -9 of the host to the next process', await measureRecovery(stack, 3), 3, 's'),
      told('idle stack: memory', `${idle.megabytes.toFixed(0)} MB`),
      told('idle stack: processor', `${idle.cpuPercent.toFixed(1)} % of one core`),
    ];
    return { figures, floor };
  } finally {
    await stack.down();
  }
}

async function contained(floor: Floor): Promise<Figure[]> {
  const stack = await startBenchStack('bwrap');
  try {
    await measureLoop(stack, { passes: 20, worktree: true, rounds: 1 });
    const loop = await measureLoop(stack, { passes: 10, worktree: true, rounds });
    return [atMost('pass, bwrap and snapshot', loop.passMs / floor.passMs, 2.8, '× floor')];
  } finally {
    await stack.down();
  }
}

const waitingRuns = Number(process.argv.find((word) => word.startsWith('--waiting='))?.split('=')[1] ?? 500);

/** People who are waited for, on a stack of their own: what it holds is to be theirs alone. */
async function asked(): Promise<Figure[]> {
  const stack = await startBenchStack('none');
  try {
    const decision = await measureDecision(stack, rounds);
    const waiting = await measureWaiting(stack, waitingRuns);
    return [
      atMost('decision to the first process, warm', decision, 0.15, 's'),
      atMost(`memory of each of ${waitingRuns} runs that wait for people`, waiting.kilobytesEach, 50, 'KB'),
      told(`processor while ${waitingRuns} runs wait`, `${waiting.cpuPercent.toFixed(1)} % of one core more than idle`),
      atMost(`decision while ${waitingRuns} runs wait`, waiting.decision, 0.15, 's'),
    ];
  } finally {
    await stack.down();
  }
}

/** In this process, before anything else fills it. */
function read(): Figure[] {
  const { examineMs, wholeMs } = measureDoctor();
  return [
    atMost('the doctor on the plan of 1,000 steps', examineMs, 100, 'ms'),
    atMost('reading, compiling and examining 1,000 steps', wholeMs, 250, 'ms'),
    atMost('refusing 5 MB of YAML', measureRefusal(), 100, 'ms'),
  ];
}

const doctor = read();
const { figures, floor } = await bare();
const all = [
  ...figures,
  ...(await contained(floor)),
  ...(await asked()),
  atMost('`next` on 1,000 steps with 10,000 events behind them', measureNext(50), 5, 'ms'),
  ...doctor,
  atMost('cold start to the first process', await measureColdStart(), 6, 's'),
];
const table = tableOf(all);
console.log(table);
if (process.argv.includes('--write')) {
  const intro = `# Performance

Measured by \`npm run bench -- --write\`: our loops beside a bare Temporal workflow that spawns the same processes as plain
activities on the same server, in one run; medians of at least five. Machine: ${availableParallelism()} cores, Node ${process.versions.node}.
`;
  writeFileSync(page, `${intro}\n${table}\n`);
}
process.exit(all.some(({ met }) => met === false) ? 1 : 0);
