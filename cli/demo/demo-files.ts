/** The files of the demo: two functions with a mistake each, and a test for each. Needs Node and no dependency. */

const total = `/** Sum of price times quantity. */
export function total(items) {
  return items.reduce((sum, item) => sum + item.price, 0);
}
`;

const slug = `/** A title as the last part of an address: lower case, words joined by dashes. */
export function slug(title) {
  return title.trim().replace(' ', '-');
}
`;

const tests = `import assert from 'node:assert/strict';
import { test } from 'node:test';

import { slug } from './slug.mjs';
import { total } from './total.mjs';

test('the total counts the quantity of each item', () => {
  assert.equal(total([{ price: 2, quantity: 3 }, { price: 5, quantity: 1 }]), 11);
});

test('a slug is in lower case, with a dash between all words', () => {
  assert.equal(slug(' Closed loops for agents '), 'closed-loops-for-agents');
});
`;

export const demoFiles: Readonly<Record<string, string>> = {
  'total.mjs': total,
  'slug.mjs': slug,
  'shop.test.mjs': tests,
  'README.md': `# Setpoint demo

Two functions with a mistake each. \`node --test\` fails until both are mended.
`,
};

const scriptedAgent = `agent:
  # Stands in for a coding agent: shell for pass 1, then for pass 2. It mends one mistake a pass.
  name: scripted
  passes:
    - |
      cat > total.mjs <<'END'
      /** Sum of price times quantity. */
      export function total(items) {
        return items.reduce((sum, item) => sum + item.price * item.quantity, 0);
      }
      END
      echo "The total counts quantities now. All tests should pass."
    - |
      cat > slug.mjs <<'END'
      /** A title as the last part of an address: lower case, words joined by dashes. */
      export function slug(title) {
        return title.trim().toLowerCase().replaceAll(' ', '-');
      }
      END
      echo "The feedback names slug: mended too."
`;

/** The definition. `agent` absent: the scripted one, which needs two passes. */
export function demoDefinition(agent: string | undefined): string {
  return `setpoint: 1
name: Demo
task: Make every test pass (node --test). Do not edit the tests.
${agent === undefined ? scriptedAgent : `agent: ${agent}\n`}checks:
  - { name: tests, run: node --test }
limits: { passes: 5, time: 15m }
workspace: { protect: ["*.test.mjs"] }
deliver: branch
`;
}

export const demoDefinitionFile = 'demo.loop.yaml';
