const limits: Readonly<Record<string, string>> = { spend: 'maxSpendUsd', time: 'maxTimeMinutes' };
const ofReview: Readonly<Record<string, string[]>> = { criterion: ['goal'], consecutive: ['consecutive'] };

/** Where a file of this dialect says what the long form says at `path`. */
export function pathInFile(path: string): string {
  const [root = '', ...rest] = path.split('.');
  switch (root) {
    case 'steps':
      return ofWork(rest.slice(1));
    case 'limits':
      return limits[rest[0] ?? ''] ?? '';
    case 'workspace':
      return rest[0] === 'base' ? 'baseBranch' : '';
    case 'onExhausted':
      return 'whenCapHit';
    default:
      return path;
  }
}

function ofWork([key = '', index = '', ...inside]: string[]): string {
  switch (key) {
    case 'checks':
      return [`checks.${index}`, ...ofCheck(inside)].join('.');
    case 'loop':
      return 'maxIterations';
    case 'mode':
      return 'exitMode';
    case 'prompt':
    case 'agent':
      return key;
    default:
      return '';
  }
}

/** The name of a check is its own; what its kind says has another word here. */
function ofCheck([key = '', inside = '']: string[]): string[] {
  if (key === 'name') return ['name'];
  if (key === 'run') return ['command'];
  if (key === 'time') return ['timeoutMinutes'];
  if (key === 'review') return ofReview[inside] ?? [];
  return key === 'report' && inside === 'artifact' ? ['path'] : [];
}
