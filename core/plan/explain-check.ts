import type { CheckPlan, CheckPlanOf } from '#core/check/check-plan.ts';
import { unreachable } from '#core/exhaustive.ts';
import { durationText, indented } from '#core/plan/amounts.ts';

/** One check as a sentence without a full stop; agents are told their checks in these words too (C9). */
export function explainCheck(check: CheckPlan): string {
  const asked = check.needs === 'passed' ? ', asked once those before it passed' : '';
  const limit = `at most ${durationText(check.timeSeconds)}${asked}`;
  const named = (what: string): string => (check.name === what || check.name === check.kind ? '' : `${check.name}: `);
  switch (check.kind) {
    case 'command': {
      const given = check.provide === undefined ? '' : ` with ${check.provide.join(', ')} of the workspace`;
      const where = check.where === 'commit' ? ` on a clean checkout${given}` : '';
      return `${named(check.command)}\`${indented(check.command, 7)}\` exits ${check.expectExit}${where}${evidenceText(check)} (${limit})`;
    }
    case 'match': {
      const parts = [
        ...(check.fail === undefined ? [] : [`does not match /${check.fail}/im`]),
        ...(check.pass === undefined ? [] : [`matches /${check.pass}/im`]),
      ];
      return `${named('match')}the output of ${check.of} ${parts.join(' and ')} (${limit})`;
    }
    case 'schema': {
      const schema = 'file' in check.schema ? check.schema.file : 'the schema of the definition';
      return `${named('schema')}the output of ${check.of} is JSON that fits ${schema} (${limit})`;
    }
    case 'review': {
      const often = check.consecutive === 1 ? '' : ` ${check.consecutive} times in a row`;
      const who = check.agent.name === 'auto' ? 'an agent of another provider, where there is one,' : check.agent.name;
      return `${named('review')}${who} reviews it${often}: ${indented(check.criterion, 7)} (${limit})`;
    }
    case 'report': {
      const { wants } = check;
      const what = wants.kind === 'artifact' ? `lists ${wants.path}, which is there` : 'holds no open item';
      return `${named('report')}the agent's report ${check.file} ${what}`;
    }
    default:
      return unreachable(check);
  }
}

function evidenceText({ evidence }: CheckPlanOf<'command'>): string {
  if (evidence === undefined) return '';
  const source =
    evidence.file === undefined ? 'its output tells' : `the report ${evidence.file}, which it writes, tells`;
  const tests = evidence.tests === 1 ? 'a test' : `${evidence.tests} tests`;
  return `, and ${source} that ${tests} ran`;
}
