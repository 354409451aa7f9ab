/** What a starter leaves open: `<<name>>` in its text. */
interface Slot {
  /** What a person is asked. */
  question: string;
  /** Absent: a value. `list`: file patterns with commas between them. */
  kind?: 'list';
  /**
   * What stands there when nothing is known: a value with the comment that says so, or `absent`, and the line goes.
   * A command that is missing cannot run (exit 127): a check then neither passes nor blames the work (B10), and a step fails.
   */
  otherwise: { value: string; comment: string } | { absent: true; comment: string };
}

const missing = (what: string): Slot['otherwise'] => ({
  value: `echo 'Replace this by the command that ${what}.' >&2; exit 127`,
  comment: `REPLACE THIS: nothing here tells the command that ${what}. Until then it cannot run, and nothing passes.`,
});

export const slots = {
  agent: {
    question: 'Which agent does the work?',
    otherwise: {
      value: 'auto',
      comment: '`auto` takes the first agent that is installed and signed in; name one to be sure.',
    },
  },
  reviewer: {
    question: 'Which agent reviews it? Another provider sees other mistakes.',
    otherwise: {
      value: 'auto',
      comment: 'No second agent was found. One of another provider sees other mistakes: name it when you have one.',
    },
  },
  test: { question: 'Which command runs the tests?', otherwise: missing('runs the tests') },
  lint: {
    question: 'Which command is the linter? Empty for none.',
    otherwise: { absent: true, comment: 'No linter was found; `- { name: lint, run: <command> }` adds one.' },
  },
  unused: {
    question: 'Which command finds unused code? Empty for none.',
    otherwise: {
      absent: true,
      comment: 'No tool that finds unused code was found; `- { name: unused, run: <command> }` adds one.',
    },
  },
  setup: {
    question: 'Which command installs the dependencies of a fresh checkout? Empty for none.',
    otherwise: {
      absent: true,
      comment: 'No lock file was found; `setup: <command>` prepares the fresh checkout in which the run works.',
    },
  },
  base: {
    question: 'From which branch does the work begin? Empty for HEAD.',
    otherwise: { absent: true, comment: 'It begins at HEAD; `base: <branch>` names another place.' },
  },
  tests: {
    question: 'Which files must not be edited (patterns, with commas)? Empty for none.',
    kind: 'list',
    otherwise: { absent: true, comment: 'No tests were found; `protect: ["test/**"]` keeps them from being edited.' },
  },
  source: {
    question: 'Which files are code (patterns, with commas)? Empty for none.',
    kind: 'list',
    otherwise: {
      absent: true,
      comment: 'No folder of code was found; `protect: ["src/**"]` keeps code from being edited.',
    },
  },
  configs: {
    question: 'Which files say what is measured (patterns, with commas)? Empty for none.',
    kind: 'list',
    otherwise: {
      absent: true,
      comment: 'No settings of the tests were found; `protect` keeps them from being edited.',
    },
  },
  docs: {
    question: 'Which command checks the documentation?',
    otherwise: {
      value: `broken=$(git ls-files --cached --others --exclude-standard '*.md' | while IFS= read -r file; do
  grep -oE '\\]\\([^)#<[:space:]]+' "$file" | cut -c 3- | grep -vE '^(/|[a-zA-Z][a-zA-Z0-9+.-]*:)' | while IFS= read -r link; do
    test -e "$(dirname "$file")/$link" || echo "$file: $link does not exist"
  done
done)
test -z "$broken" || { echo "$broken"; exit 1; }`,
      comment:
        'No build of a site and no link checker was found: this one looks where relative links in Markdown lead.',
    },
  },
  errors: {
    question: 'Which command prints the errors of production?',
    otherwise: missing('prints the errors that production reports, one a line'),
  },
  coverage: {
    question: 'Which command measures coverage?',
    otherwise: missing('runs the tests and measures coverage'),
  },
  covered: {
    question: 'Which command prints the per cent of lines covered, from its summary?',
    otherwise: missing('prints the per cent of lines covered, from the summary of the coverage tool'),
  },
  target: {
    question: 'How many per cent of lines are to be covered?',
    otherwise: { value: '80', comment: '80 is where most begin.' },
  },
  rounds: {
    question: 'How many rounds in a row must pass?',
    otherwise: { value: '5', comment: '5 rounds find a test that fails one time in two, not one in a hundred.' },
  },
  audit: {
    question: 'Which command fails on known vulnerabilities?',
    otherwise: missing('fails when a dependency has a known vulnerability'),
  },
  onboarding: {
    question: 'Which commands does a newcomer type after the clone?',
    otherwise: missing('does what the README tells a newcomer to do'),
  },
  accessibility: {
    question: 'Which command checks the pages for accessibility?',
    otherwise: missing('checks the pages and fails on a finding'),
  },
  notes: {
    question: 'Which file holds the release notes?',
    otherwise: { value: 'CHANGELOG.md', comment: 'No such file was found: it is made.' },
  },
} as const satisfies Record<string, Slot>;

export type SlotName = keyof typeof slots;

export function isSlotName(text: string): text is SlotName {
  return Object.hasOwn(slots, text);
}

/** Whether a slot that nothing tells leaves a command that a person must write. */
export function isMissing(name: SlotName): boolean {
  return slotOf(name).otherwise.comment.startsWith('REPLACE THIS');
}

export function slotOf(name: SlotName): Slot {
  return slots[name];
}

/** A value that the repository tells. */
export interface Suggestion {
  value: string;
  /** Why, as the end of "Found: …". */
  because: string;
  /** Other values that it tells. */
  others?: readonly string[];
}

export type Suggestions = Partial<Record<SlotName, Suggestion>>;
