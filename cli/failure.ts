export { messageOf } from '#client/problem.ts';

/** Exit codes of the command line (docs/guide/scripts.md); 130 after a Ctrl-C that left the run going. */
export const exitCodes = {
  succeeded: 0,
  didNotPass: 1,
  usage: 2,
  waitsForPerson: 3,
  cancelled: 4,
  infrastructure: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends a command: `message` names the cause, `remedy` what to do, and the process exits with `exitCode`. */
export class CliFailure extends Error {
  override readonly name: string = 'CliFailure';
  readonly exitCode: ExitCode;
  readonly remedy: string | undefined;
  constructor(exitCode: ExitCode, message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.exitCode = exitCode;
    this.remedy = options.remedy;
  }
}
