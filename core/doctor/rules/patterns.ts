import type { Facts } from '#core/doctor/facts.ts';
import { promptOf } from '#core/doctor/prompts.ts';
import { type JudgingPattern, judgingPatterns } from '#core/doctor/pattern/judging-patterns.ts';
import type { Found, Rule } from '#core/doctor/rule.ts';
import { parseTemplate } from '#core/template/parse.ts';

/** A6: the agent's answer says no, and the pattern reads yes. */
export const matchesNegation: Rule = {
  id: 'pattern/matches-negation',
  severity: 'warning',
  missing: 'signal',
  title: 'The pattern matches a negation, too.',
  why: 'Patterns match anywhere in the answer: "this is not approved" holds the word that is looked for.',
  remedy: 'Ask for a line of its own and match that: `pass: "^VERDICT: APPROVE$"`, or use `verdict: approve`.',
  example: {
    wrong: review('pass: approved'),
    right: review('pass: "^VERDICT: APPROVED$"'),
  },
  find: (facts) => looked(facts).flatMap((pattern) => negation(pattern)),
};

/** A6: "APPROVED WITH CHANGES". */
export const matchesPrefix: Rule = {
  id: 'pattern/matches-prefix',
  severity: 'warning',
  missing: 'signal',
  title: 'The pattern matches a longer verdict that begins with the same words.',
  why: 'An answer such as "APPROVED WITH CHANGES" asks for another pass, and the pattern lets it pass.',
  remedy: 'End the pattern with `$`, and tell the agent which lines there are.',
  example: {
    wrong: review('pass: "^APPROVED"'),
    right: review('pass: "^APPROVED$"'),
  },
  find: (facts) => looked(facts).flatMap((pattern) => prefix(pattern)),
};

/** A6: `^.*$` and the like. */
export const anyLine: Rule = {
  id: 'pattern/any-line',
  severity: 'warning',
  missing: 'signal',
  title: 'The pattern matches whatever is said.',
  why: '`^` and `$` match at the ends of each line, and an empty repetition matches everywhere: no answer is told from another.',
  remedy: 'Write the words that only a good answer holds.',
  example: {
    wrong: review('pass: "^.*$"'),
    right: review('pass: "^APPROVED$"'),
  },
  find: (facts) =>
    judgingPatterns(facts).flatMap((pattern): Found[] => {
      if (!anything.every((text) => pattern.read?.matches(text) === true)) return [];
      return [at(pattern, `\`${pattern.pattern}\` matches every answer, whatever it says`)];
    }),
};

/** A6: the instruction itself holds the verdict that is looked for. */
export const matchesPrompt: Rule = {
  id: 'pattern/matches-prompt',
  severity: 'warning',
  missing: 'signal',
  title: "The pattern matches the prompt's own words, which the agent may repeat.",
  why: 'Of an agent that prints all it thinks, the whole output is matched: as soon as it repeats its instruction, it passes.',
  remedy: 'Let only the last verdict count: end the pattern with `(?![\\s\\S]*VERDICT)`, or use `verdict: approve`.',
  example: {
    wrong: review(
      'pass: "VERDICT: APPROVE"',
      'gemini',
      'Review the diff. End with VERDICT: APPROVE or VERDICT: REJECT.',
    ),
    right: review(
      'pass: "^VERDICT: APPROVE$(?![\\\\s\\\\S]*VERDICT)"',
      'gemini',
      'Review the diff. End with VERDICT: APPROVE or VERDICT: REJECT.',
    ),
  },
  find: (facts) => judgingPatterns(facts).flatMap((pattern) => prompted(pattern)),
};

/** Only a fail pattern: who says nothing passes. */
export const failOnly: Rule = {
  id: 'pattern/fail-only',
  severity: 'warning',
  missing: 'signal',
  title: "An agent's answer is judged by a fail pattern alone.",
  why: 'An agent that forgets its verdict, or says nothing, passes.',
  remedy: 'Add a `pass` pattern: an answer without the verdict then fails.',
  example: {
    wrong: review('fail: "^CHANGES_REQUESTED$"'),
    right: review('pass: "^APPROVED$"\n    fail: "^CHANGES_REQUESTED$"'),
  },
  find: (facts) =>
    judgingPatterns(facts).flatMap((pattern): Found[] => {
      const { key, other, of } = pattern;
      if (key === 'pass' || other !== undefined || of.work.kind !== 'agent') return [];
      return [at(pattern, `whatever does not match \`${pattern.pattern}\` passes, also an empty answer`)];
    }),
};

function review(keys: string, agent = 'claude', prompt = 'Review the diff.'): string {
  return `steps:
  work: { agent: codex, prompt: Do it. }
  review:
    agent: ${agent}
    readOnly: true
    prompt: "${prompt}"
    ${keys}
    after: work
    loop: { to: work, limit: 2 }
`;
}

const anything = ['FAIL', 'not ok 3 - adds', 'Error: nothing was done', '42'];

function isAnyLine({ read }: JudgingPattern): boolean {
  return anything.every((text) => read?.matches(text) === true);
}

/** Pass patterns on what an agent says; a command's output has a form of its own. */
function looked(facts: Facts): JudgingPattern[] {
  return judgingPatterns(facts).filter(
    (pattern) => pattern.key === 'pass' && pattern.of.work.kind === 'agent' && !isAnyLine(pattern),
  );
}

function at({ path, loop }: JudgingPattern, message: string): Found {
  return { path, message, ...(loop === undefined ? {} : { loop }) };
}

function negation(pattern: JudgingPattern): Found[] {
  const { read, pattern: text } = pattern;
  const words = read?.sample.trim() ?? '';
  if (read === undefined || !/[a-z]{2}/i.test(words) || !read.matches(words)) return [];
  const space = words.lastIndexOf(' ');
  const head = words.slice(0, space + 1);
  const last = words.slice(space + 1);
  // Braces, quotes and the like belong to a structured answer, in which nobody writes "not".
  if (/[{}"=]/.test(words)) return [];
  const denials = [`${head}not ${last}`, `This is ${head.toLowerCase()}not ${last} yet.`, `${head}NOT ${last}`];
  const denial = denials.find((each) => read.matches(each));
  return denial === undefined ? [] : [at(pattern, `\`${text}\` also matches "${denial.trim()}"`)];
}

function prefix(pattern: JudgingPattern): Found[] {
  const { read, pattern: text, of, other } = pattern;
  const words = read?.sample.trim() ?? '';
  if (read === undefined || !/[a-z]{2}$/i.test(words) || !read.matches(words)) return [];
  // Told which lines there are, an agent writes none in between.
  if (namesBoth(promptOf(of), words) || other !== undefined) return [];
  const longer = `${words} WITH CHANGES`;
  return read.matches(longer) ? [at(pattern, `\`${text}\` also matches "${longer}"`)] : [];
}

/** The prompt names the verdict and another one of the same label: `VERDICT: APPROVE` and `VERDICT: CHANGES_REQUESTED`. */
function namesBoth(prompt: string, words: string): boolean {
  const label = /^([A-Z][\w ]*:)/i.exec(words)?.[1];
  if (label === undefined || !prompt.toLowerCase().includes(words.toLowerCase())) return false;
  return prompt.toLowerCase().split(label.toLowerCase()).length > 2;
}

/** Their answer is their whole stdout; of the others only the final message is matched (A5). */
const textAgents: ReadonlySet<string> = new Set([
  'gemini',
  'cursor',
  'copilot',
  'aider',
  'opencode',
  'amp',
  'goose',
  'auto',
]);

function prompted(pattern: JudgingPattern): Found[] {
  const { of, read, key, pattern: text } = pattern;
  if (of.work.kind !== 'agent' || read === undefined || key === 'fail' || isAnyLine(pattern)) return [];
  const { agent, prompt } = of.work;
  const talks = textAgents.has(agent.name) || (agent.name === 'custom' && agent.custom?.output !== 'json');
  if (!talks) return [];
  const written = parseTemplate(prompt)
    .parts.map((part) => (part.kind === 'text' ? part.text : ' '))
    .join('');
  const lines = written.split('\n').slice(0, 200);
  const line = [written, ...lines].find((each) => read.matches(each));
  if (line === undefined) return [];
  return [at(pattern, `\`${text}\` matches the prompt of \`${of.id}\` itself`)];
}
