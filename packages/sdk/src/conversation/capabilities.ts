import { fieldsOf } from '../control/answers.ts';
import { arrayField, field, stringField, stringsField } from '../messages/fields.ts';
import type { Message } from '../wire/messages.ts';

/** The capabilities that the CLI reports. Fields that it does not report are empty. */
export interface Capabilities {
  readonly cliVersion: string | undefined;
  /** Names of protocol features; releases before 2.1.325 list none. */
  readonly features: readonly string[];
  readonly tools: readonly string[];
  readonly model: string | undefined;
  readonly permissionMode: string | undefined;
  readonly outputStyles: readonly string[];
  readonly mcpServers: readonly { readonly name: string; readonly status: string }[];
  /** The CLI's whole answer to the handshake, including fields without a property here. */
  readonly handshake: Readonly<Record<string, unknown>>;
}

/** A slash command. */
export interface CommandInfo {
  readonly name: string;
  readonly description?: string;
  readonly argumentHint?: string;
}

/** An available model. */
export interface ModelInfo {
  readonly value: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly [field: string]: unknown;
}

/** An available subagent. */
export interface AgentInfo {
  readonly name: string;
  readonly description?: string;
  readonly model?: string;
}

/** Collects the capabilities from the answer to the handshake and from each `system/init`. */
export class CapabilityRecord {
  commands: readonly CommandInfo[] = [];
  models: readonly ModelInfo[] = [];
  agents: readonly AgentInfo[] = [];
  current: Capabilities = {
    cliVersion: undefined,
    features: [],
    tools: [],
    model: undefined,
    permissionMode: undefined,
    outputStyles: [],
    mcpServers: [],
    handshake: {},
  };

  /** Reads the answer to `initialize`. False when it has none of the lists. */
  fromHandshake(body: unknown): boolean {
    this.commands = named(body, 'commands', 'name');
    this.models = named(body, 'models', 'value');
    this.agents = named(body, 'agents', 'name');
    this.current = {
      ...this.current,
      cliVersion: stringField(body, 'claude_code_version') ?? this.current.cliVersion,
      features: stringsField(body, 'capabilities'),
      permissionMode: stringField(body, 'current_permission_mode') ?? this.current.permissionMode,
      outputStyles: stringsField(body, 'available_output_styles'),
      handshake: fieldsOf(body),
    };
    return ['commands', 'models', 'agents', 'capabilities'].some((name) => Array.isArray(field(body, name)));
  }

  fromInit(init: Message): void {
    const features = stringsField(init, 'capabilities');
    this.current = {
      ...this.current,
      cliVersion: stringField(init, 'claude_code_version') ?? this.current.cliVersion,
      features: features.length > 0 ? features : this.current.features,
      tools: stringsField(init, 'tools'),
      model: stringField(init, 'model') ?? this.current.model,
      permissionMode: stringField(init, 'permissionMode') ?? this.current.permissionMode,
      mcpServers: named(init, 'mcp_servers', 'name'),
    };
  }
}

/** The entries of a list that have a name. */
function named<T>(value: unknown, list: string, key: keyof T & string): T[] {
  return arrayField(value, list).filter((entry): entry is T => stringField(entry, key) !== undefined);
}
