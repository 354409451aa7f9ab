import { z } from 'zod';

import { StartRun } from '#core/contract/http.ts';
import { ProjectName } from '#core/contract/library.ts';

/** What many tools take. */
export const RunField = { runId: z.string().min(1).max(200).describe('Id of the run, such as run_01h…') };

export const PageFields = {
  cursor: z.string().max(500).optional().describe('`cursor` of the page before'),
  limit: z.int().min(1).max(100).default(20).describe('How many a page has at most'),
};

export const ProjectField = { project: ProjectName.optional() };

export const ReasonField = { reason: z.string().max(2_000).optional().describe('Why, for the record') };

const { source, definition, name, version, file, dialect } = StartRun.shape;

/** Exactly one of `source`, `definition` and `name`. */
export const DefinitionFields = {
  source: source.describe('Text of a definition, as it would stand in a file'),
  definition: definition.describe('The same as an object'),
  name: name.describe('Name of a stored definition, in its newest version unless `version` says another'),
  version,
  file: file.describe('Name of the file that `source` comes from, for messages'),
  dialect: dialect.describe('How to read it, where two dialects fit'),
  ...ProjectField,
  repo: z
    .string()
    .optional()
    .describe(
      'What `repo: .` means, a folder on the host or a clone address; of `setpoint mcp` its own folder if absent',
    ),
  agent: z.string().optional().describe('Let this agent work instead of the one in the definition'),
  deliver: z
    .enum(['none', 'commit', 'branch', 'pr', 'merge'])
    .optional()
    .describe('What happens to the verified work; leave it out unless the operator said it'),
};
