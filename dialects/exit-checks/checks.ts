import type { CheckDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import { unreachable } from '#core/exhaustive.ts';
import { literalTemplate } from '#core/template/literal.ts';
import type { At } from '#dialects/native/at.ts';
import { says, unlessNull } from '#dialects/exit-checks/unless-null.ts';
import { hasKey } from '#dialects/native/parts.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Field, Reading, ShapeOf } from '#dialects/source/reading.ts';
import { below, listOf, mapping } from '#dialects/source/reading.ts';
import { integer, number, text, word } from '#dialects/source/scalars.ts';

const types = ['command', 'test', 'nl-goal', 'artifact', 'worklist'] as const;
type CheckType = (typeof types)[number];

const shape = {
  type: word(types),
  name: unlessNull(text),
  command: unlessNull(text),
  goal: unlessNull(text),
  path: unlessNull(text),
  consecutive: unlessNull(integer(1, 100)),
  timeoutMinutes: unlessNull(number(0.1, 30)),
} as const;

type CheckRead = ShapeOf<typeof shape>;
const checkMapping = mapping(shape);

/** E-06: the file that the agent itself writes. */
const reportFile = '.yolo-result.json';
const mostChecks = 8;

/** What each type of check must say, and what else it may. */
const keysOf: Readonly<Record<CheckType, { needs?: 'command' | 'goal' | 'path'; may: readonly string[] }>> = {
  command: { needs: 'command', may: ['timeoutMinutes'] },
  test: { needs: 'command', may: ['timeoutMinutes'] },
  'nl-goal': { needs: 'goal', may: ['consecutive'] },
  artifact: { needs: 'path', may: [] },
  worklist: { may: [] },
};

const examples = { command: '`npm test`', goal: 'what must hold', path: '`docs/report.md`' } as const;

/** 1 to 8 checks in written order. One that cannot be read keeps its place, so that paths of the others stay right. */
export const checks: Field<CheckDefinition[]> = (node, path, reading) => {
  const placed: Field<CheckDefinition> = (item, at, into) => readCheck(item, at, into) ?? unread(at);
  const read = listOf(placed, 'a list of checks')(node, path, reading);
  if (read?.length === 0) {
    const message =
      'nothing decides that the loop is done; write 1 to 8 checks, such as `{type: test, command: npm test}`';
    reading.report(path, 'loop/no-signal', message);
  }
  if (read !== undefined && read.length > mostChecks) {
    const message = `a loop has 1 to ${mostChecks} checks, not ${read.length}; join commands with \`&&\`, or use the native form`;
    reading.report(path, 'definition/out-of-range', message);
  }
  return read?.slice(0, mostChecks);
};

/** Whether a document's `checks` are this dialect's. */
export function hasCheckOfKnownType(node: SourceNode): boolean {
  const written = node.kind === 'map' ? node.entries.find(({ key }) => key === 'checks')?.value : undefined;
  if (written?.kind !== 'list') return false;
  return written.items.some((item) => item.kind === 'map' && item.entries.some(({ key }) => key === 'type'));
}

function readCheck(node: SourceNode, path: string, reading: Reading): CheckDefinition | undefined {
  const read = checkMapping(node, path, reading);
  if (read?.type === undefined) {
    if (read !== undefined && !hasKey(node, 'type')) {
      const known = types.map((type) => `\`${type}\``).join(', ');
      reading.report(path, 'definition/missing', `a check needs a \`type\`: one of ${known}`);
    }
    return undefined;
  }
  reportKeys(node, read.type, { path, reading });
  return checkOf(read, read.type);
}

function reportKeys(node: SourceNode, type: CheckType, { path, reading }: At): void {
  const { needs, may } = keysOf[type];
  if (needs !== undefined && !says(node, needs)) {
    const message = `a \`${type}\` check needs \`${needs}\`, such as ${examples[needs]}`;
    reading.report(path, 'definition/missing', message);
  }
  for (const key of ['command', 'goal', 'path', 'consecutive', 'timeoutMinutes']) {
    if (key === needs || may.includes(key) || !says(node, key)) continue;
    const where = types.filter((other) => keysOf[other].needs === key || keysOf[other].may.includes(key));
    const meant = where.map((other) => `\`${other}\``).join(' and ');
    const message = `\`${key}\` changes nothing in a \`${type}\` check: it belongs to ${meant}; remove it`;
    reading.warn(below(path, key), 'dialect/no-effect', message);
  }
}

function checkOf(read: CheckRead, type: CheckType): CheckDefinition | undefined {
  const { name, command, goal, path, consecutive, timeoutMinutes } = read;
  const named = present({ name });
  switch (type) {
    case 'command':
    case 'test': {
      if (command === undefined) return undefined;
      const timeSeconds = timeoutMinutes === undefined ? undefined : timeoutMinutes * 60;
      return { kind: 'command', ...named, command: literalTemplate(command), ...present({ timeSeconds }) };
    }
    case 'nl-goal':
      if (goal === undefined) return undefined;
      // Every check is evaluated after each iteration, whatever the others say (E-03).
      return {
        kind: 'review',
        ...named,
        needs: 'always',
        criterion: literalTemplate(goal),
        ...present({ consecutive }),
      };
    case 'artifact':
      if (path === undefined) return undefined;
      return { kind: 'report', ...named, file: reportFile, wants: { kind: 'artifact', path } };
    case 'worklist':
      return { kind: 'report', ...named, file: reportFile, wants: { kind: 'worklist' } };
    default:
      return unreachable(type);
  }
}

/** Stands for a check that has issues, which keep the definition from ever being run. */
function unread(path: string): CheckDefinition {
  return { kind: 'command', name: path, command: ':' };
}
