import type { McpServerConfig } from '../options/mcp-server-config.ts';
import type { AgentOptions } from '../options/option-types.ts';
import type { NamedRepetition, Operation } from './session-core.ts';

/** An operation that another process of the same conversation has to repeat. */
export interface KeptOperation {
  readonly operation: Operation<unknown>;
  readonly repeat: NamedRepetition;
}

/** The operations that another process of the same conversation has to repeat, in their order. */
export class KeptOperations {
  readonly #byName = new Map<string, KeptOperation>();

  [Symbol.iterator](): Iterator<KeptOperation> {
    return this.#byName.values();
  }

  /** Keeps an operation that the CLI has accepted. */
  keep(operation: Operation<unknown>, repeat: NamedRepetition): void {
    if (!repeat.keepsPlace) this.#byName.delete(repeat.name);
    this.#byName.set(repeat.name, { operation, repeat });
  }
}

/** Waits until a process has the required ones of the servers that were set; `undefined` if none is required. */
export function requirementsOf(
  servers: Readonly<Record<string, McpServerConfig>>,
  given: AgentOptions,
): NamedRepetition['check'] {
  const required = Object.values(servers).some((server) => server.required);
  return required ? (process) => process.servers.set(given) : undefined;
}
