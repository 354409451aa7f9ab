import { faultPages } from '#core/contract/error-pages/fault-pages.ts';
import { confirmationPages, problemPages, stackPages } from '#core/contract/error-pages/outside-pages.ts';
import { runPages } from '#core/contract/error-pages/run-pages.ts';
import type { FaultCode } from '#core/contract/fault.ts';
import type { ClientCode, ConfirmationCode, ProblemCode } from '#core/contract/problem.ts';
import type { StackFaultCode } from '#core/contract/stack.ts';
import { type IssueCode, issueCodes } from '#core/issue/issue-codes.ts';
import type { FailureCode, PauseCode, RefusalCode, SeatCode } from '#core/run/run-codes.ts';
import type { StopKind } from '#core/run/stop.ts';

/** What a person reads who looks a code up. Plain text with Markdown's code spans; `remedy` may be a few sentences. */
export interface ErrorPage {
  title: string;
  meaning: string;
  remedy: string;
}

/** Codes of a run: what the law gives, and the kinds of stop that are no success. */
export type RunCode = RefusalCode | PauseCode | FailureCode | SeatCode | Exclude<StopKind, 'succeeded'>;

/** Every code that a person or a program can meet. */
export type ErrorCode = FaultCode | StackFaultCode | ProblemCode | ClientCode | ConfirmationCode | RunCode | IssueCode;

export type PagesOf<Code extends ErrorCode> = { readonly [C in Code]: ErrorPage };

/** A code without a page does not compile. */
export const errorPages: PagesOf<ErrorCode> = {
  ...issuePages(),
  ...stackPages,
  ...runPages,
  ...problemPages,
  ...confirmationPages,
  ...faultPages,
};

function issuePages(): PagesOf<IssueCode> {
  const pages = Object.entries(issueCodes).map(([code, { meaning, remedy }]) => [
    code,
    { title: titleOf(code), meaning, remedy },
  ]);
  return Object.fromEntries(pages) as PagesOf<IssueCode>;
}

/** `definition/unknown-key` -> `Definition: unknown key`. */
function titleOf(code: string): string {
  const text = code.replace('/', ': ').replaceAll('-', ' ');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
