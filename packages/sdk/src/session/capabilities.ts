import type { Message } from '../wire/messages.ts';
import { NOTHING_SAID } from './nothing-said.ts';

/** What the CLI says it can do. Everything is empty when it says little. */
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

/** A subagent that can be asked. */
export interface AgentInfo {
  readonly name: string;
  readonly description?: string;
  readonly model?: string;
}

/** Gathers what the handshake's answer and each `system/init` tell. */
export class CapabilityRecord {
  commands: readonly CommandInfo[] = [];
  models: readonly ModelInfo[] = [];
  agents: readonly AgentInfo[] = [];
  #said: Capabilities = NOTHING_SAID;

  get current(): Capabilities {
    return this.#said;
  }

  /** The body of the answer to `initialize`. */
  fromHandshake(body: unknown): void {
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

/** The entries of a list that have what makes them usable: a name. */
function named<T>(value: unknown, key: keyof T & string): T[] {
  return Array.isArray(value) ? value.filter((entry): entry is T => text(fields(entry)[key]) !== undefined) : [];
}
