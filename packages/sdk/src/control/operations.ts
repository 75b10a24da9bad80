import { arrayField, field, stringsField } from '../messages/fields.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { isSdkServer, withoutOwnFields } from '../options/sdk-server.ts';
import { isListedServer } from '../options/server-states.ts';
import type { Redactor } from '../redact.ts';
import { isJsonObject } from '../wire/kinds.ts';

/** The outcome of an interrupt. */
export interface InterruptReceipt {
  /** Prompts that were waiting in the CLI and will still run, by uuid. Releases before 2.1.325 do not say. */
  readonly stillQueued: readonly string[];
}

/** What rewinding files did, or would do. */
export interface RewindReport {
  readonly canRewind: boolean;
  readonly error?: string;
  /** These three with `dryRun` only. */
  readonly filesChanged?: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
  /** Links that were left as they are. */
  readonly skippedLinks?: number;
}

/** An MCP server as the CLI sees it. */
export interface McpServerStatus {
  readonly name: string;
  readonly status: string;
  readonly error?: string;
  readonly [field: string]: unknown;
}

/** What changed when MCP servers were set. */
export interface McpServersChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
}

/** How the context window is used. */
export interface ContextUsage {
  readonly totalTokens?: number;
  readonly maxTokens?: number;
  readonly percentage?: number;
  readonly categories?: readonly unknown[];
  readonly [field: string]: unknown;
}

/** The settings in force, and where each comes from. */
export interface SettingsReport {
  readonly effective?: Readonly<Record<string, unknown>>;
  readonly sources?: readonly unknown[];
  readonly applied?: { readonly model?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The answer to `interrupt`. Undefined when the CLI does not say which prompts still wait. */
export function interruptReceipt(body: unknown): InterruptReceipt | undefined {
  return field(body, 'still_queued') === undefined ? undefined : { stillQueued: stringsField(body, 'still_queued') };
}

/** The answer to `rewind_files`. */
export function rewindReport(body: unknown, redact: Redactor): RewindReport {
  const fields = fieldsOf(body);
  return { ...fields, ...shownError(fields, redact), canRewind: fields.canRewind === true };
}

/** The answer to `mcp_status`. */
export function mcpServerStatuses(body: unknown, redact: Redactor): readonly McpServerStatus[] {
  const known = arrayField(body, 'mcpServers').filter(isListedServer);
  return known.map((server) => ({ ...server, ...shownError(server, redact) }));
}

/**
 * The servers as `mcp_set_servers` needs them: 2.1.325 accepts a stdio server without `args` only on its command line, and removes
 * the servers in this process if they are not named.
 */
export function wholeServers(servers: NonNullable<AgentOptions['mcpServers']>): Readonly<Record<string, object>> {
  const whole = Object.entries(servers).map(([name, server]) => [
    name,
    isSdkServer(server)
      ? { type: 'sdk', name }
      : 'command' in server
        ? { args: [], ...withoutOwnFields(server) }
        : withoutOwnFields(server),
  ]);
  return Object.fromEntries(whole);
}

/** The answer to `mcp_set_servers`. */
export function mcpServersChange(body: unknown, redact: Redactor): McpServersChange {
  const errors = Object.entries(fieldsOf(field(body, 'errors'))).map(([name, error]) => {
    return [name, redact(typeof error === 'string' ? error : JSON.stringify(error))];
  });
  return {
    added: stringsField(body, 'added'),
    removed: stringsField(body, 'removed'),
    errors: Object.fromEntries(errors),
  };
}

/** The fields of an answer; none when it is no object. */
export function fieldsOf(body: unknown): Record<string, unknown> {
  return isJsonObject(body) ? { ...body } : {};
}

function shownError({ error }: Readonly<Record<string, unknown>>, redact: Redactor): { error?: string } {
  return typeof error === 'string' ? { error: redact(error) } : {};
}
