import type { AgentOptions } from '../options/groups.ts';
import { jsonSchemaOf } from '../options/output-schema.ts';

/** The fields of the `initialize` request that come from options, where they are given: large or private values stay off the command line. */
export function initializeFields(options: AgentOptions): Record<string, unknown> {
  const { systemPrompt, outputSchema, agents } = options;
  return {
    systemPrompt: systemPrompt === undefined ? undefined : [systemPrompt],
    appendSystemPrompt: options.appendSystemPrompt,
    agents: agents && Object.keys(agents).length > 0 ? agents : undefined,
    jsonSchema: outputSchema === undefined ? undefined : jsonSchemaOf(outputSchema),
    title: options.title,
    forwardSubagentText: options.forwardSubagentText,
    promptSuggestions: options.promptSuggestions,
  };
}
