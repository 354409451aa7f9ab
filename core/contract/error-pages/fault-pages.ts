import type { PagesOf } from '#core/contract/error-pages.ts';
import type { FaultCode } from '#core/contract/fault.ts';

export const faultPages: PagesOf<FaultCode> = {
  'agent/not-found': {
    title: 'The agent is not installed',
    meaning:
      "The agent's program is not on the PATH of the host that carries the run, or `SETPOINT_AGENT_<NAME>` names no executable file. With `auto`: none of the known agents is installed.",
    remedy:
      'Install the agent on the host, or set `SETPOINT_AGENT_<NAME>` to its path. `setpoint agents` lists what this machine has. Then retry the run.',
  },
  'agent/not-authenticated': {
    title: 'No agent is signed in',
    meaning: 'Agents are installed on the host, and each of them says that it has no valid sign-in.',
    remedy:
      'Sign in with the command that the message names, as the user that runs the host. `setpoint agents --check` asks again. Then retry the run.',
  },
  'agent/bad-request': {
    title: 'The agent cannot do what the definition asks',
    meaning:
      'The definition asks the agent for something that it has no way to do, such as a `custom` agent without a command.',
    remedy: 'Change the agent or its settings as the message says, and start again.',
  },
  'agent/prompt-too-large': {
    title: 'The prompt is too large for the command line',
    meaning: 'A text of more than 64 KiB was to travel as an argument or in the environment. Nothing was spent.',
    remedy:
      'Give the agent its prompt by `stdin` or `file`, or shorten the text; outputs can be cut with `truncate:N`.',
  },
  'sandbox/unavailable': {
    title: 'The sandbox cannot be used',
    meaning:
      'The sandbox that the settings ask for does not work on this host: the program is missing, or the kernel does not allow user namespaces.',
    remedy:
      'Install bubblewrap and allow user namespaces. `SETPOINT_SANDBOX=none` runs without one: agents and checks then have all rights of the user that runs the host.',
  },
  'template/unresolved': {
    title: 'A template names what is not there',
    meaning: 'A `{{…}}` names a value that does not exist when it is rendered.',
    remedy: 'Correct the name, or wrap it in `{{#if …}}`.',
  },
  'schema/invalid': {
    title: 'A schema or a secret cannot be used',
    meaning:
      'The schema file of a check is missing or no JSON Schema, or a secret has fewer than 6 characters, so that it could not be hidden in output.',
    remedy: 'Correct the file or the secret that the message names, and start again.',
  },
  'call/bad-list': {
    title: 'The list of a call cannot be read',
    meaning:
      'The text that `for.each` gives is neither a JSON array of texts, numbers and objects nor lines, or it has more than 1,000 items, an item of more than 8 KiB, or 256 KiB in all.',
    remedy:
      'Look at what the step that makes the list printed (`setpoint logs RUN --step STEP`), have it print a JSON array or one item a line, then retry the run from that step.',
  },
  'call/inputs-invalid': {
    title: 'A child run cannot be started with its inputs',
    meaning:
      'What a call gives to a child run is not what the called definition takes: a value has the wrong type, or a required one is empty.',
    remedy: 'Correct the inputs of the call, or those that the called definition declares, and start again.',
  },
  'secret/not-found': {
    title: 'There is no such secret',
    meaning:
      'A step names a secret that is neither a variable of the host that carries the run nor stored for its project. Nothing was spent.',
    remedy:
      'Store it with `setpoint secrets set NAME` (`--project` for another project), or start the host with that variable set. Then retry the run.',
  },
  'secret/no-key': {
    title: 'Stored secrets cannot be sealed or opened here',
    meaning:
      'The process has no key for stored secrets, or another one than that under which the secret was stored: `SETPOINT_SECRETS_KEY`, or the file `secrets.key` in its home.',
    remedy:
      'Give the API and all hosts the same `SETPOINT_SECRETS_KEY`. When the old key is lost, set each secret again: `setpoint secrets set NAME`.',
  },
  'workspace/not-a-repository': {
    title: 'The folder is no git repository',
    meaning: '`workspace.repo` does not name a folder inside a git repository on the host that carries the run.',
    remedy: 'Correct `workspace.repo`, or make the repository: `git init`, then a first commit.',
  },
  'workspace/base-unknown': {
    title: 'The base is no commit',
    meaning: '`workspace.base` names no branch, tag or commit of the repository, or the repository has no commit yet.',
    remedy: 'Name one that exists (`git branch -a` lists them), fetch it, or make a first commit.',
  },
  'workspace/setup-failed': {
    title: 'The setup of the workspace failed',
    meaning: '`workspace.setup` ended with a code other than 0, so nothing could be worked on or judged.',
    remedy: 'Run the command in a fresh clone to see why; correct it, and start again.',
  },
  'workspace/snapshot-gone': {
    title: 'The snapshot is gone',
    meaning:
      'A forked run begins with a snapshot of the first run, and its host does not have it any more: it was cleaned up.',
    remedy: 'Fork at another pass: `setpoint fork RUN --at STEP:PASS`.',
  },
  'workspace/kept-too-large': {
    title: 'There is too much to keep for the next run',
    meaning:
      'The files that `keepBetweenRuns` names have more than 64 MiB together, or are more than 10,000. Nothing of them was kept; what an earlier run kept is still there. The run itself is not touched by it.',
    remedy: 'Name fewer files, or have the run remove what the next one does not need.',
  },
  'workspace/locked': {
    title: 'The repository is in use',
    meaning: 'Another process holds the lock of the repository. The work goes on when it lets go.',
    remedy:
      'Nothing, as a rule. If the machine that holds it is gone for good, delete the folder that the message names.',
  },
  'workspace/missing': {
    title: 'The workspace is gone',
    meaning: 'The folder of the run is not there any more. Its snapshots are kept in the repository.',
    remedy: 'Retry the run; the workspace is made again from its last snapshot.',
  },
  'workspace/snapshot-failed': {
    title: 'No snapshot could be made',
    meaning: 'What the agent left could not be kept as a commit. It is never taken for "no change".',
    remedy: 'Remove what the message names (repositories nested too deeply, unreadable files), then retry the run.',
  },
  'workspace/git-failed': {
    title: 'git refused',
    meaning: 'A git command on the repository or the workspace failed; the message holds what git said.',
    remedy: 'Mend what git names, such as a damaged repository or missing rights, then retry the run.',
  },
  'delivery/branch-exists': {
    title: 'The branch is taken',
    meaning: 'The branch of the delivery exists and holds other work. It was not moved; the verified commit is kept.',
    remedy: 'Rename or delete that branch, or choose another with `deliver: {mode: branch, branch: …}`; then retry.',
  },
  'delivery/tree-differs': {
    title: 'The delivered tree is not the verified one',
    meaning: 'Something moved the branch while it was delivered. Nothing more is delivered.',
    remedy: 'See who moved the branch. The verified commit is named in `setpoint show`; retry the run to deliver it.',
  },
  'store/unavailable': {
    title: 'The database does not answer',
    meaning: 'The database, or the folder of artifacts, does not do what is asked of it. Runs go on when it is back.',
    remedy:
      'See that it runs: `setpoint status`, or the server that `SETPOINT_DATABASE_URL` names. The embedded one is started by `setpoint up`.',
  },
  'store/disk-full': {
    title: 'The disk is full',
    meaning: 'A write failed for lack of space or quota.',
    remedy: 'Free space on the disk that the message names. Work that was under way is tried again.',
  },
  'store/artifact-missing': {
    title: 'The artifact is gone',
    meaning: 'A text that is named by its content is not in the store: it was removed, or the store is another one.',
    remedy: 'Point `SETPOINT_ARTIFACTS` to the store that the run was started with, or retry the run.',
  },
  'host/crashed': {
    title: 'The work broke off',
    meaning:
      'The host, or the process of the agent, ended before it gave a result. The attempt is looked up and started again from the last snapshot, at most three times a pass.',
    remedy: 'Nothing, as a rule. When it ends a run: look at the log of its last attempt, then retry the run.',
  },
  'host/stopping': {
    title: 'The host was told to stop, or lost its lease',
    meaning:
      'What it ran was ended and is started again when a host is back. No restart of the run is spent. A host loses its lease when it cannot reach the database for more than a minute.',
    remedy: 'Start the host again: `setpoint up`, or `setpoint worker host`.',
  },
  'host/lost': {
    title: 'No host took the work',
    meaning: 'No host with a free slot took the work within its limit of 30 days.',
    remedy: 'Start a host: `setpoint up`, or `setpoint worker host`. Then retry the run.',
  },
};
