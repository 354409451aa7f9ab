import { has, mappingOf } from '#dialects/dagu/keys.ts';
import type { Field } from '#dialects/source/reading.ts';
import { listOf, mapOf } from '#dialects/source/reading.ts';
import { text, word } from '#dialects/source/scalars.ts';

/** How a CLI that has no adapter here is called. */
export interface HarnessDefinition {
  /** The program with the arguments that always come first. */
  command: readonly string[];
  prompt: 'argument' | 'stdin';
  /** Stands right before the prompt. */
  promptFlag?: string;
  flagStyle: 'gnu_long' | 'single_dash';
  optionFlags: Readonly<Record<string, string>>;
}

const known = (command: readonly string[], promptFlag?: string): HarnessDefinition => ({
  command,
  prompt: 'argument',
  flagStyle: 'gnu_long',
  optionFlags: {},
  ...(promptFlag === undefined ? {} : { promptFlag }),
});

/** Providers that Dagu knows beside those with an adapter. */
export const otherProviders: Readonly<Record<string, HarnessDefinition>> = {
  cline: known(['cline']),
  qwen: known(['qwen'], '-p'),
  kiro: known(['kiro-cli', 'chat', '--no-interactive']),
  droid: known(['droid', 'exec']),
  deepseek: known(['dsh', '--profile', 'headless']),
};

const definitionMapping = mappingOf({
  shape: {
    binary: text,
    prefix_args: listOf(text, 'a list of arguments'),
    prompt_mode: word(['arg', 'flag', 'stdin']),
    prompt_flag: text,
    prompt_position: word(['before_flags', 'after_flags']),
    flag_style: word(['gnu_long', 'single_dash']),
    option_flags: mapOf(text, 'a mapping from keys to flags'),
  },
});

const definition: Field<HarnessDefinition> = (node, path, reading) => {
  const read = definitionMapping(node, path, reading);
  if (read === undefined) return undefined;
  if (!has(node, 'binary'))
    reading.report(path, 'definition/missing', 'a harness needs `binary`: the program to start');
  if (read.prompt_mode === 'flag' && !has(node, 'prompt_flag')) {
    reading.report(path, 'definition/missing', '`prompt_mode: flag` needs `prompt_flag`');
  }
  const {
    binary = '',
    prefix_args: first = [],
    flag_style: flagStyle = 'gnu_long',
    option_flags: optionFlags = {},
  } = read;
  return {
    command: [binary, ...first],
    prompt: read.prompt_mode === 'stdin' ? 'stdin' : 'argument',
    ...(read.prompt_mode === 'flag' && read.prompt_flag !== undefined ? { promptFlag: read.prompt_flag } : {}),
    flagStyle,
    optionFlags,
  };
};

export const harnessDefinitions: Field<Record<string, HarnessDefinition>> = mapOf(
  definition,
  'a mapping from names to `{binary, prompt_mode, …}`',
);
