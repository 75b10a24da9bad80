import type { HookCallback } from '../declarations/hooks.ts';
import type { Options } from '../declarations/options.ts';
import { awaitedServers, ownServerSettings, ownServers } from './servers.ts';

/** The fields of `initialize`, and the hooks by their ids. */
export interface Handshake {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly hooks: ReadonlyMap<string, HookCallback>;
}

export function handshakeFor(options: Options): Handshake {
  const hooks = new Map<string, HookCallback>();
  const { own } = ownServers(options.mcpServers);
  const names = Object.keys(own);
  const settings = Object.entries(own).map(([name, server]) => [name, ownServerSettings(server)] as const);
  const special = settings.filter(([, value]) => Object.keys(value).length > 0);
  const fields = {
    hooks: registered(options.hooks, hooks),
    sdkMcpServers: names.length > 0 ? names : undefined,
    sdkMcpServerConfigs: special.length > 0 ? Object.fromEntries(special) : undefined,
    jsonSchema: options.outputFormat?.type === 'json_schema' ? options.outputFormat.schema : undefined,
    ...systemPromptFields(options.systemPrompt),
    agents: options.agents,
    title: options.title,
    skills: Array.isArray(options.skills) ? options.skills : undefined,
    planModeInstructions: options.planModeInstructions,
    toolAliases: options.toolAliases,
    promptSuggestions: options.promptSuggestions,
    agentProgressSummaries: options.agentProgressSummaries,
    forwardSubagentText: options.forwardSubagentText,
    supportedDialogKinds: options.supportedDialogKinds,
    perTaskStopAffordance: options.perTaskStopAffordance,
    plugins: options.pluginDelivery === 'initialize' ? options.plugins : undefined,
    mcpServers: awaitedServers(options),
  };
  return { fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)), hooks };
}

/** Assigns each callback an id, by which the CLI calls it. */
function registered(hooks: Options['hooks'], callbacks: Map<string, HookCallback>): object | undefined {
  const events = Object.entries(hooks ?? {}).flatMap(([event, matchers]) => {
    // The official SDK ignores anything but a list.
    if (!Array.isArray(matchers) || matchers.length === 0) return [];
    const entries = matchers.map(({ matcher, hooks: called, timeout, onFailure }) => {
      const hookCallbackIds = called.map((callback) => {
        const id = `hook_${callbacks.size}`;
        callbacks.set(id, callback);
        return id;
      });
      return { matcher, hookCallbackIds, timeout, onFailure };
    });
    return [[event, entries]];
  });
  return events.length > 0 ? Object.fromEntries(events) : undefined;
}

/** Without a system prompt, the model gets an empty one; the preset is Claude Code's own. */
function systemPromptFields(given: Options['systemPrompt']): Readonly<Record<string, unknown>> {
  if (given === undefined) return { systemPrompt: [''] };
  if (typeof given === 'string') return { systemPrompt: [given] };
  if (Array.isArray(given)) return { systemPrompt: given };
  const systemPromptSnapshot = given.snapshot;
  if (given.type === 'custom') {
    return { systemPrompt: typeof given.prompt === 'string' ? [given.prompt] : given.prompt, systemPromptSnapshot };
  }
  const { append: appendSystemPrompt, excludeDynamicSections } = given;
  return { appendSystemPrompt, excludeDynamicSections, systemPromptSnapshot };
}
