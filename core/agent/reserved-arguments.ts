import type { InstalledAgentName } from '#core/agent/agent-name.ts';

/** Why an argument of a CLI is not the plan's to give, with what to do about it. */
const reasons = {
  output: 'what the agent prints is read in a form of its own; remove it',
  access: 'what the agent may do follows from the sandbox and from `readOnly`; remove it',
  place: 'the agent works in the workspace of its run; remove it, or name a folder of it with `directory`',
  session: 'sessions are kept by the run; use `session: fresh` or `session: resume`',
  prompt: 'the prompt is the one of the step; remove it',
  model: 'write it as `model`',
  effort: 'write it as `effort`',
  secret: 'a key in an argument can be seen by every process; name it under `secrets`',
} as const;

type Reason = keyof typeof reasons;
const reasonNames: readonly Reason[] = ['output', 'access', 'place', 'session', 'prompt', 'model', 'effort', 'secret'];

/** Options by their reason, short forms too; `key=` is a setting that is given to `-c` or `--config`. */
const reserved: Readonly<Record<InstalledAgentName, Readonly<Partial<Record<Reason, string>>>>> = {
  codex: {
    output: '--json --experimental-json --color',
    access:
      '--sandbox -s --full-auto --yolo --dangerously-bypass-approvals-and-sandbox --ask-for-approval -a --add-dir sandbox_mode= sandbox_workspace_write approval_policy= shell_environment_policy',
    place: '--cd -C',
    session: 'resume fork --ephemeral --last',
    model: '--model -m model=',
    effort: 'model_reasoning_effort=',
  },
  claude: {
    output: '--output-format --input-format --include-partial-messages --replay-user-messages',
    access:
      '--permission-mode --dangerously-skip-permissions --allow-dangerously-skip-permissions --permission-prompt-tool --add-dir',
    place: '--worktree -w',
    session: '--session-id --resume -r --continue -c --fork-session --no-session-persistence',
    prompt: '--print -p',
    model: '--model --fallback-model',
    effort: '--effort',
  },
  opencode: {
    output: '--format',
    access: '--auto --dangerously-skip-permissions --agent',
    place: '--dir --attach --port',
    session: '--session -s --continue -c --fork --share',
    prompt: '--command --prompt',
    model: '--model -m',
    effort: '--variant',
  },
  pi: {
    output: '--mode --export',
    access: '--tools -t',
    session: '--session --session-id --session-dir --no-session --continue -c --resume -r --fork',
    prompt: '--print -p',
    model: '--model',
    effort: '--thinking',
    secret: '--api-key',
  },
  cursor: {
    output: '--output-format --stream-partial-output',
    access: '--force -f --yolo --sandbox --mode --plan --approve-mcps --trust',
    place: '--workspace --worktree -w --cloud -c --background -b',
    session: '--resume --continue',
    prompt: '--print -p',
    model: '--model',
    secret: '--api-key -a',
  },
  gemini: {
    output: '--output-format -o',
    access: '--approval-mode --yolo -y --sandbox -s --include-directories --skip-trust',
    place: '--worktree -w',
    session: '--session-id --resume -r --list-sessions --delete-session',
    prompt: '--prompt -p --prompt-interactive -i',
    model: '--model -m',
  },
  copilot: {
    output: '--output-format --silent -s --stream',
    access:
      '--allow-all-tools --allow-all --yolo --allow-all-paths --allow-all-urls --allow-tool --deny-tool --add-dir',
    session: '--session-id --resume --continue',
    prompt: '--prompt -p --interactive -i',
    model: '--model',
  },
  amp: {
    output: '--stream-json --stream-json-input',
    access: '--dangerously-allow-all',
    session: 'threads',
    prompt: '--execute -x',
  },
  goose: {
    output: '--output-format --quiet -q',
    session: '--no-session --session-id --name -n --resume -r --path',
    prompt: '--instructions -i --text -t --recipe --interactive -s',
    model: '--model',
  },
  aider: {
    access: '--yes-always --yes --dry-run --chat-mode --edit-format --auto-commits --commit',
    prompt: '--message --msg -m --message-file -f --load',
    model: '--model',
    secret: '--api-key --openai-api-key --anthropic-api-key',
  },
};

/**
 * Why `args` cannot be given to an agent's CLI, a sentence for the first such argument; undefined when they can. `agent` is a
 * name of an installed agent.
 */
export function argumentProblem(agent: InstalledAgentName, args: readonly string[]): string | undefined {
  for (const [index, argument] of args.entries()) {
    const reason = argument === '--' || argument === '-' ? 'prompt' : reasonFor(agent, argument, args[index - 1]);
    if (reason !== undefined)
      return `\`${shown(argument)}\` cannot be among the arguments of ${agent}: ${reasons[reason]}`;
  }
  return undefined;
}

function reasonFor(agent: InstalledAgentName, argument: string, before: string | undefined): Reason | undefined {
  const setting = before === '-c' || before === '--config' ? argument : /^(?:--config=|-c)(.+)$/.exec(argument)?.[1];
  const found = Object.entries(reserved[agent]).find(([, names]) =>
    names.split(' ').some((name) => isOption(argument, name) || (setting !== undefined && isSetting(setting, name))),
  );
  return found === undefined ? undefined : reasonNames.find((reason) => reason === found[0]);
}

/** `--flag`, `--flag=value`, `-f`, `-fvalue`, or a word that stands for itself. */
function isOption(argument: string, name: string): boolean {
  if (name.endsWith('=') || argument === name) return argument === name;
  if (name.startsWith('--')) return argument.startsWith(`${name}=`);
  return name.startsWith('-') && /^-[A-Za-z]/.test(argument) && argument.startsWith(name);
}

function isSetting(setting: string, name: string): boolean {
  return !name.startsWith('-') && setting.startsWith(name);
}

function shown(argument: string): string {
  return argument.length > 60 ? `${argument.slice(0, 60)}…` : argument;
}
