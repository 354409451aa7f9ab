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
    remedy: `See what still fails: \`setpoint show RUN\`. ${retry} gives fresh passes on top of the work that is there; a higher \`limits.passes\` counts for new runs.`,
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
  check_error: {
    title: 'A check could not run',
    meaning:
      'A check could not judge the work (exit 126 or 127, a failed setup, too little memory) and was tried three times. The work is not blamed for it; the run is paused.',
    remedy: `Mend what the check needs on the host, then ${retry}.`,
  },
  condition_error: {
    title: 'A condition could not be judged',
    meaning: 'The condition before a step or of a loop is neither met nor unmet: it could not be judged, three times.',
    remedy: `Mend what the condition needs, then ${retry}.`,
  },
  match_error: {
    title: 'A pattern could not be judged',
    meaning: 'A `pass` or `fail` pattern took too long on the output of its step.',
    remedy: 'Write a simpler pattern, without nested repetition, and start again.',
  },
  'run/ended': {
    title: 'The run has ended',
    meaning: 'A run that has ended cannot be cancelled.',
    remedy: 'Nothing. `setpoint show RUN` tells how it ended.',
  },
  'run/succeeded': {
    title: 'The run has succeeded',
    meaning: 'A run that has succeeded has nothing to retry.',
    remedy: 'Start a new run.',
  },
  'run/not-ended': {
    title: 'The run has not ended',
    meaning: 'Only a run that ended or is paused can be retried, and only after one that ended can be cleaned up.',
    remedy: 'Let it end, or cancel it first: `setpoint cancel RUN`.',
  },
  'run/busy': {
    title: 'The run is pausing',
    meaning: 'The run is to pause, and something of it is still under way.',
    remedy: 'Ask again when it has ended; `setpoint show RUN` tells.',
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
