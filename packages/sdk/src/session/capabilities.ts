import type { Message } from '../wire/messages.ts';

/** What the CLI reports that it can do. Fields that it does not report are empty. */
export interface Capabilities {
  readonly cliVersion: string | undefined;
  /** Names of protocol features; releases before 2.1.325 list none. */
  readonly features: readonly string[];
  readonly tools: readonly string[];
  readonly model: string | undefined;
  readonly permissionMode: string | undefined;
  readonly outputStyles: readonly string[];
  readonly mcpServers: readonly { readonly name: string; readonly status: string }[];
}

/** A slash command. */
export interface CommandInfo {
  readonly name: string;
  readonly description?: string;
  readonly argumentHint?: string;
}

/** A model that can be chosen. */
export interface ModelInfo {
  readonly value: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly [field: string]: unknown;
}

/** A subagent that can be used. */
export interface AgentInfo {
  readonly name: string;
  readonly description?: string;
  readonly model?: string;
}

/** The capabilities of a CLI that has not reported any yet. */
const EMPTY_CAPABILITIES: Capabilities = {
  cliVersion: undefined,
  features: [],
  tools: [],
  model: undefined,
  permissionMode: undefined,
  outputStyles: [],
  mcpServers: [],
};

/** Collects the capabilities from the answer to the handshake and from each `system/init`. */
export class CapabilityRecord {
  commands: readonly CommandInfo[] = [];
  models: readonly ModelInfo[] = [];
  agents: readonly AgentInfo[] = [];
  #said: Capabilities = EMPTY_CAPABILITIES;

  get current(): Capabilities {
    return this.#said;
  }

  /** Reads the answer to `initialize`. False when it has none of the lists. */
  fromHandshake(body: unknown): boolean {
    const said = fields(body);
    this.commands = named(said.commands, 'name');
    this.models = named(said.models, 'value');
    this.agents = named(said.agents, 'name');
    this.#said = {
      ...this.#said,
      cliVersion: text(said.claude_code_version) ?? this.#said.cliVersion,
      features: strings(said.capabilities),
      permissionMode: text(said.current_permission_mode) ?? this.#said.permissionMode,
      outputStyles: strings(said.available_output_styles),
    };
    return [said.commands, said.models, said.agents, said.capabilities].some(Array.isArray);
  }

  fromInit(init: Message): void {
    const said = fields(init);
    this.#said = {
      ...this.#said,
      cliVersion: text(said.claude_code_version) ?? this.#said.cliVersion,
      features: strings(said.capabilities).length > 0 ? strings(said.capabilities) : this.#said.features,
      tools: strings(said.tools),
      model: text(said.model) ?? this.#said.model,
      permissionMode: text(said.permissionMode) ?? this.#said.permissionMode,
      mcpServers: named(said.mcp_servers, 'name'),
    };
  }
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** The entries of a list that have a name. */
function named<T>(value: unknown, key: keyof T & string): T[] {
  return Array.isArray(value) ? value.filter((entry): entry is T => text(fields(entry)[key]) !== undefined) : [];
}
