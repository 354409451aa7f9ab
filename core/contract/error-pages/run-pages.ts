import type { PagesOf, RunCode } from '#core/contract/error-pages.ts';

const retry = '`setpoint retry RUN`';

export const runPages: PagesOf<RunCode> = {
  failed: {
    title: 'The run failed',
    meaning: 'A step failed and nothing in the definition sends its work back: no loop, and no `continueOnError`.',
    remedy: `Read its reason and feedback with \`setpoint show RUN\`. Add a loop, or mend the cause and ${retry}.`,
  },
  rejected: {
    title: 'A person rejected the work',
    meaning: 'A person said no, and the definition has no loop that sends the work back.',
    remedy: 'Change the task, and start again.',
  },
  exhausted: {
    title: 'The passes are used up',
    meaning:
      'A loop has used every pass that its limit allows, and the checks still do not pass. By `onExhausted` the run stopped or is paused.',
    remedy: `See what still fails: \`setpoint show RUN\`. A paused run goes on by \`setpoint raise RUN --passes N\`; ${retry} gives an ended one fresh passes on top of the work that is there.`,
  },
  no_progress: {
    title: 'The loop made no progress',
    meaning:
      'The same tree with the same findings came back as often as `limits.noProgress` allows: more passes would only cost more.',
    remedy: `Read the feedback of the last pass with \`setpoint show RUN\`; make the task or the checks clearer, or choose another agent. Then start again or ${retry}.`,
  },
  timed_out: {
    title: 'The time is used up',
    meaning:
      'The run has worked for its `limits.time`, or its `limits.deadline` has passed. Waiting for a host, a provider or a pause does not count as work; the deadline counts everything.',
    remedy: `Raise the limit in the definition and start again, or ${retry}: the time is counted afresh.`,
  },
  over_budget: {
    title: 'The money is used up',
    meaning: 'The run has spent its `limits.spend`. No further attempt of an agent is started.',
    remedy: 'Raise the limit in the definition and start again. What was done so far is in the diff of the run.',
  },
  provider_error: {
    title: 'The model provider refused',
    meaning:
      'The provider of the agent refused the request, or was overloaded and the retries of the step are used up.',
    remedy: `Do what the reason names, such as signing in again or waiting; then ${retry}.`,
  },
  failed_to_start: {
    title: 'The run cannot work as it is',
    meaning:
      'Something that the run needs is missing or wrong. The code beside it names the cause and has its own page.',
    remedy: `Mend the cause, then ${retry}.`,
  },
  delivery_failed: {
    title: 'The verified work was not delivered',
    meaning: 'Every check passed, and the delivery did not succeed. The verified commit is kept in the repository.',
    remedy: `Mend what the code beside it names, then ${retry}: the work is not done again.`,
  },
  cancelled: {
    title: 'The run was cancelled',
    meaning: 'Somebody cancelled it, and nothing of it is alive any more. Its workspace and snapshots are kept.',
    remedy: `Nothing. ${retry} takes it up again where it was.`,
  },
  stuck: {
    title: 'Nothing can move the run',
    meaning:
      'No step is due, nothing runs and nothing is waited for. A run that cannot move is ended, never left standing.',
    remedy:
      'See which steps are unfinished in the reason, and what they come after. It may be a fault of Setpoint: report it.',
  },
  base_red: {
    title: 'The checks fail before any work',
    meaning: 'The definition says `baseline: mustPass`, and a check fails on the base commit. Nothing was spent.',
    remedy: 'Mend the base, or use `baseline: report`, which tells the agent what fails and goes on.',
  },
  handler_failed: {
    title: 'A handler failed after a success',
    meaning:
      'Every step passed, and what was to be delivered is delivered; then the handler for a success, or the one for every end, failed. The run counts as failed, and what was delivered stays.',
    remedy: `See the log of the handler (\`setpoint logs RUN --step on-success\`) and mend what it needs. ${retry} runs it again; what was delivered is found as it is.`,
  },
  check_error: {
    title: 'A check could not run',
    meaning:
      'A check could not judge the work (exit 126 or 127, a failed setup, too little memory) and was tried three times. The work is not blamed for it; the run is paused.',
    remedy: 'Mend what the check needs on the host, then `setpoint resume RUN`.',
  },
  condition_error: {
    title: 'A condition could not be judged',
    meaning: 'The condition before a step or of a loop is neither met nor unmet: it could not be judged, three times.',
    remedy: 'Mend what the condition needs, then `setpoint resume RUN`.',
  },
  match_error: {
    title: 'A pattern could not be judged',
    meaning: 'A `pass` or `fail` pattern took too long on the output of its step.',
    remedy: 'Write a simpler pattern, without nested repetition: `setpoint edit RUN FILE`, then `setpoint resume RUN`.',
  },
  person: {
    title: 'A person paused the run',
    meaning: 'Somebody paused the run. What was under way ended and was judged; nothing new begins.',
    remedy: '`setpoint resume RUN`.',
  },
  'run/already-paused': {
    title: 'The run is paused already',
    meaning: 'A run that is paused cannot be paused once more.',
    remedy: 'See why it is paused with `setpoint show RUN`; `setpoint resume RUN` lets it go on.',
  },
  'run/not-paused': {
    title: 'The run is not paused',
    meaning: 'Only a paused run can be resumed. It may wait for a person, or its source may be off.',
    remedy: 'See why it does not move, and what clears that, with `setpoint show RUN`.',
  },
  'run/cause-holds': {
    title: 'What paused the run still holds',
    meaning: 'The run is paused because a limit is used up, or a pattern cannot be judged, and that has not changed.',
    remedy:
      'Do what the message names: `setpoint raise RUN` with a higher limit, which resumes the run, or `setpoint edit`.',
  },
  'raise/not-higher': {
    title: 'The limit is not raised by that',
    meaning: 'A limit can only grow, and above what is spent of it already.',
    remedy: 'Give a higher value; the message says above which.',
  },
  'raise/no-limit': {
    title: 'There is no such limit',
    meaning: 'The run has no limit of this kind, so it cannot be what holds the run up.',
    remedy: 'See its limits with `setpoint show RUN`.',
  },
  'edit/not-allowed': {
    title: 'This cannot change while the run goes on',
    meaning:
      "An edit may change tasks, checks, limits and what running out leads to. The run's workspace, its steps, its agents with their memory, and where the result goes stay. Whose agreement a question needs can be made stricter, never looser.",
    remedy: 'Leave what the message names as it was, or start a new run.',
  },
  'edit/unchanged': {
    title: 'Nothing would change',
    meaning: 'The new definition compiles to the plan that the run has.',
    remedy: 'Check that you edited and saved the right file.',
  },
  'step/not-found': {
    title: 'There is no such step',
    meaning: 'The run has no step of this name.',
    remedy: 'Use one of the names that the message lists.',
  },
  'step/not-finished': {
    title: 'The step is not finished',
    meaning: 'Only a finished step can be sent back; this one is still to do or under way.',
    remedy: 'Wait for it, or decide its open task: `setpoint tasks`.',
  },
  'task/not-found': {
    title: 'There is no such task',
    meaning: 'No question of this name was asked in the run.',
    remedy: 'See the open ones: `setpoint tasks`.',
  },
  'task/reopened': {
    title: 'The task was asked again',
    meaning: 'The answer was given to an older revision: the work has changed since, and the question was asked anew.',
    remedy: 'Look at the task as it is now (`setpoint tasks`), and decide again.',
  },
  'task/decided': {
    title: 'The task is decided',
    meaning: 'Somebody decided before. The first decision counts, and another one changes nothing.',
    remedy: 'To send the work back all the same: `setpoint push-back RUN --step STEP`.',
  },
  'task/closed': {
    title: 'The task is closed',
    meaning: 'Its time ran out, its step began another pass, or its run ended, before anybody decided.',
    remedy: 'See what became of the run: `setpoint show RUN`.',
  },
  'task/already-answered': {
    title: 'You have answered already',
    meaning: 'The task needs the approval of several people, and each of them counts once.',
    remedy: 'Somebody else has to answer, too.',
  },
  'task/no-way-back': {
    title: 'There is no way back to that step',
    meaning: "A push back goes to the step that the plan's `loop.to` names, or to any step before the question.",
    remedy: 'Name one of the steps that the message lists with `--to STEP`.',
  },
  'task/push-backs-spent': {
    title: 'The push backs are used up',
    meaning: 'The definition limits how often people may send the work back, and they have done so as often.',
    remedy: 'Approve or reject it, or raise the limit: `setpoint raise RUN --passes N`.',
  },
  'run/ended': {
    title: 'The run has ended',
    meaning: 'A run that has ended cannot be cancelled, paused, resumed, raised, edited or pushed back.',
    remedy: '`setpoint show RUN` tells how it ended; `setpoint retry RUN` goes on with it.',
  },
  'run/succeeded': {
    title: 'The run has succeeded',
    meaning: 'A run that has succeeded has nothing to retry as a whole.',
    remedy: 'Do one step again, and what comes after it: `setpoint retry RUN --from STEP`; or start a new run.',
  },
  'run/not-ended': {
    title: 'The run has not ended',
    meaning: 'Only a run that ended or is paused can be retried, and only after one that ended can be cleaned up.',
    remedy: 'Let it end, or cancel it first: `setpoint cancel RUN`.',
  },
  'run/busy': {
    title: 'The run is pausing, or delivers its result',
    meaning:
      'The run is to pause and something of it is still under way; or its verified result is being delivered, and no step can be sent back any more.',
    remedy:
      'Ask again when it has ended; `setpoint show RUN` tells. Once a delivery has ended, `setpoint retry RUN --from STEP` goes back to a step.',
  },
  'run/superseded': {
    title: 'Another seat carries the run',
    meaning:
      'A run is carried by one workflow at a time. This one was replaced, since its run was retried or its engine had lost it, and ended itself. The run goes on.',
    remedy: 'Nothing. It is seen only in the list of workflows of Temporal.',
  },
  'run/not-found': {
    title: 'There is no such run',
    meaning: 'The server knows no run of this id.',
    remedy:
      'See the runs that there are: `setpoint runs`. The server may be another one: see `--server` and `SETPOINT_HOME`.',
  },
};
