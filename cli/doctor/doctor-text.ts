import type { Finding, LoopAnswers } from '#core/doctor/finding.ts';
import type { PassCost } from '#core/doctor/history/passes.ts';
import type { TracedLoop } from '#core/doctor/trace.ts';
import { counted, durationText } from '#core/plan/amounts.ts';

import type { Line } from '#cli/render/line.ts';

/** One finding a paragraph: where, what, why, how it is closed. `about` is the file as it was typed, or the run. */
export function findingLines(about: string, finding: Finding): Line[] {
  const { line, column = 1, severity, rule, path, message, missing, loop, why, remedy, fix } = finding;
  const place = line === undefined ? `${about} (at ${path})` : `${about}:${line}:${column}`;
  const lacks = missing === undefined ? '' : `, ${missing} missing`;
  const whose = loop === undefined ? '' : `, loop of ${loop}`;
  return [
    { tone: severity === 'warning' ? 'warn' : 'strong', text: `${place} ${severity} ${rule}${lacks}${whose}` },
    { tone: 'plain', text: `  ${message}` },
    { tone: 'dim', text: `  why: ${why}` },
    { tone: 'plain', text: `  to close it: ${remedy}${fix === undefined ? '' : ' `--fix` writes it.'}` },
    { tone: 'plain', text: '' },
  ];
}

/** D-21: the three questions for each loop. */
export function answerLines(loops: readonly LoopAnswers[]): Line[] {
  return loops.flatMap((answers): Line[] => {
    const parts = (['signal', 'route', 'limit'] as const).filter((part) => !answers[part].good);
    const state = answers.closed ? 'closed' : `only looks closed (${parts.join(', ')})`;
    const asked = (['signal', 'route', 'limit'] as const).flatMap((part): Line[] => {
      const { question, answer, good } = answers[part];
      return [{ tone: good ? 'plain' : 'warn', text: `  ${question} ${answer}` }];
    });
    return [{ tone: 'strong', text: `Loop of ${answers.loop}: ${state}` }, ...asked, { tone: 'plain', text: '' }];
  });
}

/** What each pass of a run took. */
export function passLines(passes: readonly PassCost[]): Line[] {
  const lines = passes.map(({ step, pass, attempts, usd, durationMs, failed }): Line => {
    const money = usd === null ? '' : `, ${usd.toFixed(2)} USD`;
    const tries = attempts > 1 ? `, ${attempts} attempts` : '';
    const found = failed.length === 0 ? '' : `; did not pass: ${failed.join(', ')}`;
    const time = durationText(Math.round(durationMs / 1000));
    return { tone: 'plain', text: `  ${step} pass ${pass}: ${time}${money}${tries}${found}` };
  });
  return lines.length === 0 ? [] : [{ tone: 'strong', text: 'Passes' }, ...lines, { tone: 'plain', text: '' }];
}

/** The brief that each loop would give its agent, as it would stand in the prompt. */
export function traceLines(traced: readonly TracedLoop[]): Line[] {
  return traced.flatMap(({ loop, step, pass, brief, reason }): Line[] => {
    if (brief === undefined) return [{ tone: 'strong', text: `Loop of ${loop}: ${reason ?? 'no second pass begins'}` }];
    const head = `Loop of ${loop}: after a first pass in which nothing passes, \`${step}\` is asked in pass ${pass}:`;
    return [
      { tone: 'strong', text: head },
      ...brief
        .trimEnd()
        .split('\n')
        .map((text): Line => ({ tone: 'plain', text: `  | ${text}` })),
      { tone: 'plain', text: '' },
    ];
  });
}

/** Keys that a finding names are those of the native form; a file of another dialect may have none of that name. */
export function foreignLines(about: string, dialect: string, findings: readonly Finding[]): Line[] {
  if (findings.length === 0) return [];
  const text = `Keys that close it are those of the native form; what ${dialect} has none of: setpoint convert ${about}`;
  return [{ tone: 'dim', text }];
}

/** The last line. */
export function closingLine(findings: readonly Finding[], loops: readonly LoopAnswers[]): Line {
  const closed = loops.filter((loop) => loop.closed).length;
  const of = loops.length === 0 ? 'no loop' : `${closed} of ${counted(loops.length, 'loop', 'loops')} closed`;
  const found = findings.length === 0 ? 'nothing found' : counted(findings.length, 'finding', 'findings');
  const mends = findings.filter(({ fix }) => fix !== undefined).length;
  const hint = mends === 0 ? '' : ` (\`--fix\` can mend ${mends})`;
  return { tone: findings.length === 0 ? 'good' : 'plain', text: `${found}${hint}; ${of}` };
}
