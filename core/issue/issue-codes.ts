/** What an issue code means and how it is put right; one page in docs/errors each. */
export interface IssueMeaning {
  meaning: string;
  remedy: string;
}

/** Every code that reading or compiling a definition can give. Closed: a code's meaning never changes once released. */
export const issueCodes = {
  'source/too-large': {
    meaning: 'The file is larger than 1 MiB and was not read.',
    remedy: 'Move long texts into files of the repository and name them in the definition.',
  },
  'source/syntax': {
    meaning: 'The text is not well-formed YAML 1.2 or JSON.',
    remedy: 'Correct the text at the line that is named.',
  },
  'source/empty': { meaning: 'The file holds no definition.', remedy: 'Write at least `task`, `agent` and `checks`.' },
  'source/second-document': {
    meaning: 'The file holds more than one document.',
    remedy: 'Put each definition into its own file.',
  },
  'source/duplicate-key': {
    meaning: 'A key is written twice in the same mapping, so one of its values would be lost.',
    remedy: 'Keep one of the two.',
  },
  'source/bad-key': { meaning: 'A key is not plain text.', remedy: 'Write the key as a word.' },
  'source/tag': {
    meaning: 'A value carries a YAML tag that has no meaning here.',
    remedy: 'Remove the tag; quote the value if it is text.',
  },
  'source/cut-by-comment': {
    meaning: 'A text without quotes holds ` #`, where YAML ends it: what follows is a comment and reaches nobody.',
    remedy: 'Quote the text if what follows belongs to it; put a space after the `#` if it is a comment.',
  },
  'source/alias-limit': {
    meaning: 'Aliases expand to more values than a definition may hold.',
    remedy: 'Write the values out, or use fewer aliases.',
  },
  'source/too-deep': {
    meaning: 'The values are nested deeper than any definition needs.',
    remedy: 'Remove the nesting.',
  },
  'source/too-many-values': {
    meaning: 'The text holds more brackets and commas than any definition needs.',
    remedy: 'Make the definition smaller.',
  },
  'dialect/ambiguous': {
    meaning: 'The file has the shape of more than one dialect, and they read it differently.',
    remedy: 'Say which one is meant, with `--dialect NAME` or `dialect` in the request.',
  },
  'dialect/unclear': {
    meaning: 'The steps are written as a list, and it fits no dialect as it stands.',
    remedy:
      'Say which dialect is meant, with `--dialect NAME` or `dialect` in the request: its issues then name what does not fit.',
  },
  'dialect/not-run': {
    meaning: 'The system that the file was written for knows this key, and Setpoint does not run it.',
    remedy: 'Use the native way that the message names, or remove the key.',
  },
  'dialect/no-effect': {
    meaning:
      'The key is right where it stands and changes nothing there, as in the system that the file was written for.',
    remedy: 'Remove it, or move it to the place that the message names.',
  },
  'dialect/other-default': {
    meaning:
      'A key is left out for which the system that the file was written for has had another default in other versions.',
    remedy: 'Write the key with the value that is meant.',
  },
  'dialect/unknown': { meaning: 'The named dialect does not exist.', remedy: 'Name one of the known dialects.' },
  'definition/unknown-key': {
    meaning: 'The key has no meaning at this place, so what it asks for would not happen.',
    remedy: 'Use the key that the message names, or remove it.',
  },
  'definition/wrong-type': {
    meaning: 'The value has another type than the key takes.',
    remedy: 'Write a value of the type that the message names.',
  },
  'definition/missing': {
    meaning: 'A key that is needed is not there.',
    remedy: 'Add the key that the message names.',
  },
  'definition/empty': { meaning: 'A value that must say something is empty.', remedy: 'Write the value.' },
  'definition/bad-character': {
    meaning: 'A text holds a NUL character, which can stand in no command, file name or variable.',
    remedy: 'Remove the character.',
  },
  'definition/unknown-value': {
    meaning: 'The key takes one of a few words, and this is none of them.',
    remedy: 'Use one of the words that the message lists.',
  },
  'definition/bad-duration': {
    meaning: 'The value is not a time such as `90s`, `15m`, `2h` or `3d`.',
    remedy: 'Write a number with its unit.',
  },
  'definition/bad-money': {
    meaning: 'The value is not an amount such as `5 USD`.',
    remedy: 'Write the amount and its currency, `USD`.',
  },
  'definition/out-of-range': {
    meaning: 'The number is outside the range that the key takes.',
    remedy: 'Use a number within the range that the message names.',
  },
  'definition/conflict': {
    meaning: 'Two keys say different things about the same matter.',
    remedy: 'Keep the one that is meant.',
  },
  'definition/version': {
    meaning: 'The definition asks for a version of the format that this program does not know.',
    remedy: 'Write `setpoint: 1`.',
  },
  'definition/not-yet': {
    meaning: 'The key belongs to the format, but this version does not act on it.',
    remedy: 'Use what the message offers in its place.',
  },
  'definition/kept-only': {
    meaning: 'What the key says is kept with the definition, and this version does not act on it by itself.',
    remedy: 'Do what the message names.',
  },
  'agent/unknown': { meaning: 'No agent has this name.', remedy: 'Name one of the known agents, or `auto`.' },
  'agent/incomplete': {
    meaning: 'A `custom` or `scripted` agent lacks what it runs.',
    remedy: 'Give `command` for `custom`, `passes` for `scripted`.',
  },
  'definition/too-many-issues': {
    meaning: 'The definition has more issues than are shown.',
    remedy: 'Mend those that are shown, and look again.',
  },
  'definition/too-many-steps': {
    meaning: 'A plan holds at most 10,000 steps.',
    remedy: 'Split the work into several definitions.',
  },
  'definition/too-large': {
    meaning:
      'The plan that the definition becomes weighs more than 3 MiB (its JSON with the plans of all that it calls, and 1 KiB for each of its own steps), or more than 384 KiB packed. The engine carries 2 MiB in one piece, and a run hands over its plan, edited ones up to three times, with what it knows of each step.',
    remedy:
      'Move long texts into files of the repository and name them in the prompt or the command; or split the work into several definitions, each started by itself.',
  },
  'step/bad-id': {
    meaning: 'The id of a step cannot be used in templates and file names.',
    remedy: 'Use letters, digits, `-` and `_`, starting with a letter, at most 64 characters.',
  },
  'step/duplicate-id': { meaning: 'Two steps have the same id.', remedy: 'Rename one of them.' },
  'step/unknown': { meaning: 'A name that should be a step is none.', remedy: 'Use the id of a step.' },
  'step/cycle': {
    meaning: 'Steps wait for each other, so none could start.',
    remedy: 'Remove one `after`; to go back to an earlier step use `loop`.',
  },
  'loop/not-upstream': {
    meaning: 'A loop goes back to a step that the looping step does not come after.',
    remedy: 'Loop to the step itself or to one before it.',
  },
  'loop/unbounded': {
    meaning: 'A loop has no bound: neither passes, nor time, nor spend would end it.',
    remedy: 'Give the loop a `limit`, or the run a `time`, `deadline` or `spend` limit.',
  },
  'loop/no-signal': {
    meaning: 'Nothing outside the agent judges the result that the loop repeats.',
    remedy: 'Add a check, a pattern or `verdict: approve`.',
  },
  'check/duplicate-name': {
    meaning: 'Two checks of a step have the same name, so their verdicts would overwrite each other.',
    remedy: 'Give each check its own `name`.',
  },
  'check/bad-reference': {
    meaning: 'The value does not name the output of a step.',
    remedy: 'Write `steps.<id>.output`.',
  },
  'check/not-upstream': {
    meaning: 'A check reads the output of a step that may not have run yet.',
    remedy: 'Read the step itself or one before it.',
  },
  'check/time-too-long': {
    meaning: 'A check may take 30 minutes at most.',
    remedy: 'Shorten its time, or make the command a step of its own.',
  },
  'pattern/empty': {
    meaning: 'An empty pattern matches everything, so it judges nothing.',
    remedy: 'Write the text to look for, or remove the pattern.',
  },
  'pattern/invalid': {
    meaning: 'The pattern is not a valid JavaScript regular expression.',
    remedy: 'Correct the pattern; in YAML put it into single quotes.',
  },
  'pattern/foreign': {
    meaning: 'The pattern uses syntax of another regular expression language, which would mean something else here.',
    remedy: 'Write it as a JavaScript regular expression; case is ignored already and `^` and `$` match at line ends.',
  },
  'template/unclosed': {
    meaning: 'A `{{` is never closed.',
    remedy: 'Add `}}`; for a literal `{{` write `\\{{`.',
  },
  'template/bad-tag': {
    meaning: 'What stands between `{{` and `}}` is no value, `#if` or `/if`.',
    remedy: 'Name a value such as `inputs.x`; for a literal `{{` write `\\{{`.',
  },
  'template/unclosed-if': {
    meaning: 'A `{{#if …}}` has no `{{/if}}`, or the reverse.',
    remedy: 'Close each `{{#if …}}` with one `{{/if}}`.',
  },
  'template/too-deep': { meaning: '`{{#if …}}` is nested too deeply.', remedy: 'Use at most 32 levels.' },
  'template/unknown-filter': {
    meaning: 'The filter does not exist.',
    remedy: 'Use `truncate:N` or `raw`.',
  },
  'template/unknown-root': {
    meaning: 'The value is none that this place offers.',
    remedy:
      'Use `inputs.…`, `steps.….output`, `feedback`, `loop.iteration`, `run.id` or `run.name`, and in a call for each item `item` and `index`; for a literal `{{` write `\\{{`.',
  },
  'template/unknown-input': { meaning: 'The input is not declared.', remedy: 'Declare it under `inputs`.' },
  'template/unknown-step': { meaning: 'The step does not exist.', remedy: 'Use the id of a step.' },
  'template/unknown-output': {
    meaning: 'The step names no such output: only a single call has outputs by name, those of the definition it calls.',
    remedy: 'Use a name from `outputs` of the called definition, or `steps.<id>.output`.',
  },
  'template/unordered': {
    meaning: 'The step whose output is used is neither before nor after this one, so its output may not be there.',
    remedy: 'Add `after`.',
  },
  'template/insertion-in-quotes': {
    meaning:
      'A value is inserted inside quotes or a here-document of a command, where its own quoting would not protect it.',
    remedy: 'Remove the quotes around it: an inserted value is one quoted word already.',
  },
  'limit/cannot-bind': {
    meaning: 'A spend limit is set, but an agent reports neither cost nor tokens, so the limit could never hold.',
    remedy: 'Use another agent for the step, or limit passes and time.',
  },
  'limit/no-loop': {
    meaning: '`limits.passes` bounds loops, and no loop of the definition takes its bound from it.',
    remedy: 'Add a `loop`, or remove `passes`.',
  },
  'deliver/needs-worktree': {
    meaning: 'Without a worktree there is no verified tree of our own that could be delivered.',
    remedy: 'Set `deliver: none`, or leave `worktree` on.',
  },
  'workspace/needs-worktree': {
    meaning: 'The setting needs snapshots, which there are none of without a worktree.',
    remedy: 'Remove the setting, or leave `worktree` on.',
  },
  'env/bad-name': {
    meaning: 'The name cannot be that of an environment variable.',
    remedy: 'Use letters, digits and `_`, not starting with a digit.',
  },
  'env/reserved': {
    meaning: 'The name belongs to Setpoint and would be overwritten.',
    remedy: 'Choose a name that does not start with `SETPOINT_`.',
  },
  'secret/also-in-env': {
    meaning: 'The same name is given as a secret and in clear text under `env`.',
    remedy: 'Remove it from `env`.',
  },
  'person/bad-form': {
    meaning: 'A form is no JSON Schema of an object, so no answer could be held against it.',
    remedy: 'Correct what the message names; `form: { risk: { type: string, required: true } }` is the short way.',
  },
  'person/quorum-too-large': {
    meaning: 'More people must approve than may decide, so the question would wait for ever.',
    remedy: 'Name more people or a team under `who`, or lower `quorum`.',
  },
  'person/escalates-to-nobody': {
    meaning: 'A question is escalated, and nobody is named whom it would reach.',
    remedy: 'Write whom to ask then, such as `escalate: { to: [team:leads] }`.',
  },
  'call/unknown-definition': {
    meaning:
      'A step calls a definition that is neither written inside this one nor stored in the project. As a warning: only the server can look it up.',
    remedy: 'Correct the name, write the definition under `definitions`, or store it.',
  },
  'call/unknown-input': {
    meaning: 'A call gives an input that the called definition does not declare.',
    remedy: 'Correct its name, or declare it under `inputs` of the called definition.',
  },
  'call/missing-input': {
    meaning: 'A call leaves out an input that the called definition requires.',
    remedy: 'Write it under `call.inputs`, or give it a default in the called definition.',
  },
  'call/loop': {
    meaning: 'Definitions call each other in a circle, so their runs would never end.',
    remedy: 'Remove one of the calls; to go back to an earlier step use `loop`.',
  },
  'call/too-deep': {
    meaning: 'Runs that start runs go deeper than 5 calls.',
    remedy: 'Write the steps of one of the called definitions into its caller.',
  },
  'call/too-large': {
    meaning: 'What a definition calls is too long, written out at each place that calls it.',
    remedy: 'Call less, or move long texts into files of the repository.',
  },
  'call/never-called': {
    meaning: 'A definition is written inside this one, and no step calls it.',
    remedy: 'Add a step that calls it, or remove it.',
  },
  'call/bad-name': {
    meaning: 'The name of a definition written inside this one cannot be called.',
    remedy: 'Use letters, digits, `-` and `_`, starting with a letter, at most 64 characters.',
  },
  'review/same-provider': {
    meaning: 'The reviewer of a step is of the same provider as the agent that does its work.',
    remedy: 'Name another agent, or `auto`, which prefers another provider.',
  },
  'report/alone': {
    meaning: "Only the agent's own report, or an opinion, decides whether the work is done.",
    remedy: 'Add a check that something else decides, such as a command.',
  },
  'workspace/bad-path': {
    meaning: 'A file that is shown, reported or kept is not inside the workspace.',
    remedy: 'Write the path from the top of the repository, without `..`.',
  },
  'workspace/bad-pattern': {
    meaning: 'A pattern of files to keep has braces, which have no meaning in it, so that it would find nothing.',
    remedy: 'Write each alternative as a pattern of its own.',
  },
  'output/bad-name': {
    meaning: 'The name of an output cannot be used in templates.',
    remedy: 'Use letters, digits, `-` and `_`, starting with a letter, at most 64 characters.',
  },
  'output/bad-path': {
    meaning: 'A named output is a value inside the JSON of the whole output, and this is no path to one.',
    remedy: 'Write keys and indexes with dots, such as `result.items.0`.',
  },
  'input/bad-name': {
    meaning: 'The name of an input cannot be used in templates.',
    remedy: 'Use letters, digits, `-` and `_`, starting with a letter, at most 64 characters.',
  },
  'input/bad-default': {
    meaning: 'The default of an input does not fit its type.',
    remedy: 'Write a default of that type.',
  },
  'input/missing': { meaning: 'A required input was not given.', remedy: 'Give it with `--input name=value`.' },
  'input/unknown': { meaning: 'An input was given that the definition does not declare.', remedy: 'Correct its name.' },
  'input/too-large': {
    meaning: 'The inputs of the run have more than 256 KiB together. They travel with everything that the run does.',
    remedy: 'Put the text into a file of the repository, and give its path as the input.',
  },
  'input/wrong-type': {
    meaning: 'An input does not fit its declared type.',
    remedy: 'Give a value of that type.',
  },
} as const satisfies Record<string, IssueMeaning>;

export type IssueCode = keyof typeof issueCodes;
