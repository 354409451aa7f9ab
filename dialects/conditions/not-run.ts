import { notRun } from '#dialects/source/reading.ts';

/** What such files carry beside prompts and conditions, each with the native way. */
export const notRunKeys = {
  inputs: notRun('the native form has `inputs`, which its prompts name as `{{inputs.x}}`'),
  variables: notRun('the native form has `inputs`, which its prompts name as `{{inputs.x}}`'),
  env: notRun('write `env` at a step of the native form, or set the variables in the script'),
  model: notRun('the native form has `agent: {name, model}`'),
} as const;
