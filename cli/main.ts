import { processContext } from '#cli/context.ts';
import { runProgram } from '#cli/program/program.ts';

// Set, not called with `process.exit`: what is still being written to a pipe must get out.
process.exitCode = await runProgram(process.argv.slice(2), processContext());
