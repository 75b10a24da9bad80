import type { McpServerConfig } from '../options/mcp-server-config.ts';
import type { AgentOptions } from '../options/option-types.ts';
import type { Operation, Repetition } from './session-core.ts';

/** A change of a running session that its options do not contain. */
export interface LateChange {
  readonly operation: Operation<unknown>;
  readonly repeat: NamedRepetition;
}

type NamedRepetition = Extract<Repetition, { readonly name: string }>;

/** Waits for the servers that were set, of which a process must have those that are required; `undefined` if none is. */
export function requirementsOf(
  servers: Readonly<Record<string, McpServerConfig>>,
  given: AgentOptions,
): NamedRepetition['check'] {
  const required = Object.values(servers).some((server) => server.required);
  return required ? (process) => process.servers.set(given) : undefined;
}

/** The changes of a running session that another process of the same conversation has to repeat. */
export class LateChanges {
  readonly #byName = new Map<string, LateChange>();

  /** In the order in which they have to be repeated, those of a name left out. */
  except(name?: string): readonly LateChange[] {
    return [...this.#byName.values()].filter(({ repeat }) => repeat.name !== name);
  }

  /** Keeps an operation that the CLI has accepted. */
  note(operation: Operation<unknown>, repeat: NamedRepetition): void {
    if (!repeat.keepsPlace) this.#byName.delete(repeat.name);
    this.#byName.set(repeat.name, { operation, repeat });
  }
}
