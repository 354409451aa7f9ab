const ofLimits: Readonly<Record<string, string>> = { time: 'limits.timeout', spend: 'limits.maxSpendUsd' };
const ofLoop: Readonly<Record<string, string>> = {
  until: 'endCondition.script',
  limit: 'endCondition.maxRetries',
};
const ofPrompt: Readonly<Record<string, string>> = { fail: 'retryPrompt', pass: 'passRetryPrompt' };

/** Where a file of this dialect says what the long form says at `path`. */
export function pathInFile(path: string): string {
  const [root = '', name = '', ...rest] = path.split('.');
  if (root === 'limits') return ofLimits[name] ?? 'limits';
  if (root !== 'steps') return root === 'name' ? root : '';
  const index = /^step-(\d+)$/.exec(name)?.[1];
  if (index === undefined) return 'steps';
  return rest[0] === 'agent' ? 'agent' : join(`steps.${Number(index) - 1}`, ofStep(rest));
}

function ofStep([key = '', inside = '', last = '']: string[]): string {
  switch (key) {
    case 'prompt':
      return 'prompt';
    case 'when':
      return 'preCondition.script';
    case 'loop':
      if (inside === 'prompt') return join('endCondition', ofPrompt[last] ?? '');
      return ofLoop[inside] ?? 'endCondition';
    default:
      return '';
  }
}

function join(path: string, under: string): string {
  return under === '' ? path : `${path}.${under}`;
}
