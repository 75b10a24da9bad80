import type { HookCallback } from '../declarations/hooks.ts';
import type { Options } from '../declarations/options.ts';
import { telemetrySafeError } from '../errors.ts';
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
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  checkFields(given);
  return { fields: given, hooks };
}

/** @throws Error for a value that cannot be written as JSON */
function checkFields(fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields)) {
    try {
      JSON.stringify(value);
    } catch (error) {
      const [why] = reasonOf(error).split('\n');
      throw unsendable(name === 'jsonSchema' ? 'outputFormat or jsonSchema' : name, why ?? '', error);
    }
  }
}

function unsendable(option: string, why: string, cause?: unknown): Error {
  const start = `The session was not started, because the ${option} option can't be sent to Claude Code`;
  const short = "The session was not started: its initialize request can't be sent";
  return telemetrySafeError(`${start}: ${why}. Fix that value and try again.`, short, cause);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Assigns each callback an id, by which the CLI calls it. @throws Error for a value other than a list */
function registered(hooks: Options['hooks'], callbacks: Map<string, HookCallback>): object | undefined {
  const events = Object.entries(hooks ?? {}).flatMap(([event, matchers]) => {
    if (!matchers) return [];
    if (!Array.isArray(matchers)) throw unsendable('hooks', `hooks.${event} must be an array of matchers`);
    const entries = matchers.map((given, index) => {
      if (!Array.isArray(given?.hooks)) {
        throw unsendable('hooks', `hooks.${event}[${index}].hooks must be an array of callbacks`);
      }
      const { matcher, hooks: called, timeout, onFailure } = given;
      const hookCallbackIds = called.map((callback) => {
        const id = `hook_${callbacks.size}`;
        callbacks.set(id, callback);
        return id;
      });
      return { matcher, hookCallbackIds, timeout, onFailure };
    });
    return entries.length === 0 ? [] : [[event, entries]];
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
