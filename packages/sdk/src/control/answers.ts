import { arrayField, field, stringsField } from '../messages/fields.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { isSdkServer, withoutOwnFields } from '../options/sdk-server.ts';
import { isListedServer } from '../options/server-states.ts';
import type { Redactor } from '../redact.ts';
import { isJsonObject } from '../wire/kinds.ts';

/** The outcome of an interrupt. */
export interface InterruptReceipt {
  /** The uuids of prompts that wait in the CLI and will still run. Releases before 2.1.325 do not report them. */
  readonly stillQueued: readonly string[];
}

/** The effect of rewinding files, or the expected effect with `dryRun`. */
export interface RewindReport {
  readonly canRewind: boolean;
  readonly error?: string;
  /** This field and the next two are set only with `dryRun`. */
  readonly filesChanged?: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
  /** Number of links that were not changed. */
  readonly skippedLinks?: number;
}

/** The CLI's view of an MCP server. */
export interface McpServerStatus {
  readonly name: string;
  readonly status: string;
  readonly error?: string;
  readonly [field: string]: unknown;
}

/** The effect of setting MCP servers. */
export interface McpServersChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
}

/** The usage of the context window. */
export interface ContextUsage {
  readonly totalTokens?: number;
  readonly maxTokens?: number;
  readonly percentage?: number;
  readonly categories?: readonly unknown[];
  readonly [field: string]: unknown;
}

/** The effective settings and their sources. */
export interface SettingsReport {
  readonly effective?: Readonly<Record<string, unknown>>;
  readonly sources?: readonly unknown[];
  readonly applied?: { readonly model?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Reads the answer to `interrupt`; undefined if the CLI does not report the waiting prompts. */
export function interruptReceipt(body: unknown): InterruptReceipt | undefined {
  return field(body, 'still_queued') === undefined ? undefined : { stillQueued: stringsField(body, 'still_queued') };
}

/** Reads the answer to `rewind_files`. */
export function rewindReport(body: unknown, redact: Redactor): RewindReport {
  const fields = fieldsOf(body);
  return { ...fields, ...shownError(fields, redact), canRewind: fields.canRewind === true };
}

/** Reads the answer to `mcp_status`. */
export function mcpServerStatuses(body: unknown, redact: Redactor): readonly McpServerStatus[] {
  const known = arrayField(body, 'mcpServers').filter(isListedServer);
  return known.map((server) => ({ ...server, ...shownError(server, redact) }));
}

/**
 * Completes servers for `mcp_set_servers`: 2.1.325 accepts a stdio server without `args` only on its command line, and removes
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

/** Reads the answer to `mcp_set_servers`. */
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

/** The fields of an answer; empty if the answer is not an object. */
export function fieldsOf(body: unknown): Record<string, unknown> {
  return isJsonObject(body) ? { ...body } : {};
}

function shownError({ error }: Readonly<Record<string, unknown>>, redact: Redactor): { error?: string } {
  return typeof error === 'string' ? { error: redact(error) } : {};
}
