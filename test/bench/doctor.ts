import { examine } from '#core/doctor/examine.ts';
import { compileText } from '#dialects/parse.ts';
import { examineText } from '#dialects/examine-text.ts';

import { median } from './figures.ts';

const rounds = 9;
const pairs = 500;

/** Milliseconds of the doctor on a definition of 1,000 steps: on its plan, and with reading and compiling the text. */
export function measureDoctor(): { examineMs: number; wholeMs: number } {
  const text = longDefinition();
  const compiled = compileText({ text });
  if (compiled.kind === 'issues') throw new TypeError(`nothing to examine: ${JSON.stringify(compiled.issues[0])}`);
  const wholeMs = timed(() => examineText({ text }));
  return { examineMs: timed(() => examine(compiled.plan)), wholeMs };
}

/** Milliseconds until 5 MB of YAML are refused. */
export function measureRefusal(): number {
  const text = longDefinition().repeat(Math.ceil((5 * 1024 * 1024) / longDefinition().length));
  return timed(() => compileText({ text }));
}

function timed(work: () => unknown): number {
  const figures: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    work();
    figures.push(performance.now() - began);
  }
  return median(figures);
}

/** A chain of agents, each with a test that sends its work back. */
function longDefinition(): string {
  const steps = Array.from({ length: pairs }, (_, index) => {
    const before = index === 0 ? '' : `, after: test${index - 1}`;
    return [
      `  work${index}: { agent: codex, prompt: "Do part ${index}. Run the tests first."${before} }`,
      `  test${index}: { run: "set -e; make lint && make test-${index} 2>&1 | tee out/${index}.log", after: work${index}, loop: { to: work${index}, limit: 3 } }`,
    ].join('\n');
  });
  return `steps:\n${steps.join('\n')}\nworkspace: { protect: ["test/**"] }\n`;
}
