import type { StepPlan } from '#core/plan/plan.ts';

/** What the words of a prompt ask for. Each is a rule of thumb, and errs towards saying nothing. */

/** The prompt of an agent's step; empty for other steps. */
export function promptOf({ work }: StepPlan): string {
  return work.kind === 'agent' ? work.prompt : '';
}

const untilItPasses =
  /\b(?:until|till|unless)\b[^.\n]{0,80}?\b(?:pass(?:es|ing)?|green|succeeds?|works?|fixed|clean|no (?:more )?(?:errors|failures)|exits? (?:with )?0)\b|\b(?:keep|continue) (?:going|trying|fixing|iterating|working|running)\b|\brun (?:the )?(?:tests?|checks?|suite|build|lint)\b[^.\n]{0,60}\b(?:and|then) (?:fix|repeat)\b/i;

/** "Run the tests until they pass": the agent itself is to say when it is done. */
export function policesItself(prompt: string): boolean {
  return untilItPasses.test(prompt);
}

const testWords = String.raw`(?:tests?|specs?|test files?|snapshots?|(?:test )?suite|fixtures?|assertions?)`;
const keepsOffTests = new RegExp(
  String.raw`\b(?:do not|don't|dont|never|must not|may not|cannot|without|not to|no)\b[^.\n]{0,40}\b(?:edit|chang|modif|touch|weaken|delet|remov|alter|skip|disabl|adjust)\w*\b[^.\n]{0,60}\b${testWords}\b|\b${testWords}\b[^.\n]{0,20}\b(?:alone|as (?:they|it) (?:are|is)|unchanged|untouched|not yours to \w+|off limits)\b`,
  'i',
);

/** The agent is told to leave the tests alone. */
export function keepsOff(prompt: string): boolean {
  return keepsOffTests.test(prompt);
}

const makesTests = new RegExp(
  String.raw`\b(?:writ|add|creat|extend|improv|increas|rais|cover|generat|updat|stabili[sz]|repair|rewrit|port|migrat|move|delet|prun|regression|missing|unskip|reproduc|deflak)\w*\b[^.\n]{0,60}\b(?:${testWords}|coverage)\b|\bcoverage\b|\bflaky\b|\b(?:replac|mov|port|migrat|switch|convert|upgrad)\w*\b[^.\n]{0,40}\b(?:junit|jest|vitest|mocha|pytest|unittest|rspec|minitest|phpunit|karma|jasmine|enzyme|cypress|playwright)\b`,
  'i',
);

/** Tests are what the agent is to make, so they cannot be kept from it. */
export function isAboutTests(prompt: string): boolean {
  return !keepsOff(prompt) && makesTests.test(prompt);
}

const makesFile = /\b(?:writ|add|creat|extend|improv|generat|updat|repair|fix|rewrit|port|migrat|edit|chang)\w*\b/i;

/** The file itself is what the agent is to make or mend, so it cannot be kept from it. */
export function isAboutFile(prompt: string, file: string): boolean {
  const lines = prompt.split(/[.\n](?=\s|$)/).filter((line) => line.includes(file));
  return lines.some((line) => {
    const before = line.slice(0, line.indexOf(file));
    return !keepsOffFiles.test(before) && makesFile.test(before.slice(-60));
  });
}

/** Folders that the prompt keeps the agent off, such as `tests/` of "under tests/". */
export function foldersKept(prompt: string): string[] {
  if (!keepsOff(prompt)) return [];
  const named = [...prompt.matchAll(/(?:^|[\s`'"(])((?:[\w.-]+\/)+)(?=[\s`'").,]|\*|$)/g)].flatMap(
    ([, path]) => path ?? [],
  );
  return [...new Set(named.filter((path) => /test|spec|fixture|snapshot/i.test(path)))];
}

/** The prompt only points at a text, as in "Implement TASK.md". */
export function onlyPoints(prompt: string): boolean {
  const words = prompt.trim().split(/\s+/).filter(Boolean);
  if (words.length > 25) return false;
  return /\b[\w./-]+\.(?:md|txt|rst|adoc|org)\b/i.test(prompt) && !saysWhatJudges(prompt);
}

/** It names that something judges the work, or what to do when that fails. */
function saysWhatJudges(prompt: string): boolean {
  return /\b(?:fail|pass|test|check|error|verdict|review|finding|fix|valid|lint|green|reject|feedback)\w*/i.test(
    prompt,
  );
}

const keepsOffFiles =
  /\b(?:do not|don't|never|must not|without|not to)\b[^.\n]{0,30}\b(?:edit|chang|modif|touch|writ)\w*|\bread[- ]only\b|\bonly (?:review|read|report|answer)\b/i;

/** The agent is told to change nothing at all. */
export function asksForReadingOnly(prompt: string): boolean {
  return keepsOffFiles.test(prompt);
}
