import { z } from 'zod';

import { DefinitionName } from '#core/contract/library.ts';
import { TaskStatus } from '#core/task/task-record.ts';

import { jsonAnswer, textAnswer } from '#mcp/answer.ts';
import { cutHead } from '#mcp/cut.ts';
import { planned } from '#mcp/definition-told.ts';
import { readingTool, type Tool } from '#mcp/tool.ts';
import { DefinitionFields, PageFields, ProjectField } from '#mcp/tools/fields.ts';

const listTasks = readingTool({
  name: 'list_tasks',
  title: 'List questions to people',
  description: 'Lists tasks, those of the oldest run first. `mine` lists the open ones that the caller may decide.',
  input: z.strictObject({
    state: TaskStatus.optional(),
    ...ProjectField,
    run: z.string().optional().describe('Id of the run that asks'),
    mine: z.boolean().default(false),
    ...PageFields,
  }),
  read: async ({ client }, { mine, ...query }) => {
    return jsonAnswer(await client.listTasks({ query: { ...query, ...(mine ? { mine: 'true' as const } : {}) } }));
  },
});

const readTask = readingTool({
  name: 'read_task',
  title: 'Read a question to people',
  description:
    'What is asked and shown, the form, who may decide, the answers so far, and the revision that a decision names. What is shown is read by read_artifact.',
  input: z.strictObject({ taskId: z.string().min(1).max(500) }),
  read: async ({ client }, { taskId }) => jsonAnswer(await client.showTask(taskId)),
});

const listDefinitions = readingTool({
  name: 'list_definitions',
  title: 'List stored definitions',
  description: 'Lists the definitions that the server keeps, by name, each in its newest version.',
  input: z.strictObject({ ...ProjectField, ...PageFields }),
  read: async ({ client }, query) => jsonAnswer(await client.listDefinitions({ query })),
});

const readDefinition = readingTool({
  name: 'read_definition',
  title: 'Read a stored definition',
  description: 'The text of a stored definition: the newest version, or the one that is named.',
  input: z.strictObject({ name: DefinitionName, version: z.int().min(1).optional(), ...ProjectField }),
  read: async ({ client }, { name, ...query }) => {
    const { source, ...about } = await client.showDefinition(name, { query });
    const { text, ...cut } = cutHead(source);
    return textAnswer({ ...about, ...cut }, text);
  },
});

const listSources = readingTool({
  name: 'list_sources',
  title: 'List switched labels',
  description: 'Labels that were ever switched off or on. Runs of a label that is off begin no new pass.',
  input: z.strictObject(PageFields),
  read: async ({ client }, query) => jsonAnswer(await client.listSources({ query })),
});

/** Looking at what is asked and what is kept (E-24). */
export const libraryReadingTools: readonly Tool[] = [listTasks, readTask, listDefinitions, readDefinition, listSources];

/** Compiles, so it is not offered where loops are switched off. */
export const validateDefinition: Tool = {
  ...readingTool({
    name: 'validate_definition',
    title: 'Check a definition',
    description:
      'Compiles a definition and creates nothing: every issue with its place, or the plan in plain words with its limits, and what the doctor finds about the loops (a missing signal, route or limit, a check that cannot fail).',
    input: z.strictObject(DefinitionFields),
    read: async (session, input) => jsonAnswer(await planned(session, input)),
  }),
  goesOn: true,
};
