import { arrayField, field, numberField, stringField, stringsField } from '../messages/fields.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { fieldsOf } from './answers.ts';

/** Who pays for the requests to the API, as far as the CLI reports it. */
export interface AccountInfo {
  readonly apiProvider?: string;
  readonly apiKeySource?: string;
  readonly tokenSource?: string;
  readonly email?: string;
  readonly organization?: string;
  readonly subscriptionType?: string;
  readonly [field: string]: unknown;
}

/** What the session has used, and the limits of the account. */
export interface UsageReport {
  readonly session?: {
    readonly total_cost_usd?: number;
    readonly model_usage?: Readonly<Record<string, unknown>>;
    readonly [field: string]: unknown;
  };
  /** `null` for an API key. */
  readonly subscription_type?: string | null;
  readonly rate_limits_available?: boolean;
  readonly rate_limits?: Readonly<Record<string, unknown>> | null;
  readonly [field: string]: unknown;
}

/** A rule that is in force, and its source. */
export interface ListedRule {
  readonly rule: string;
  readonly behavior: string;
  readonly source: string;
  readonly [field: string]: unknown;
}

/** A hook that is configured in settings or by a plugin. The hooks of this program are not listed. */
export interface ListedHook {
  readonly event: string;
  readonly type: string;
  readonly source: string;
  readonly [field: string]: unknown;
}

/** What was found when plugins were read again. */
export interface ReloadedPlugins {
  readonly plugins: readonly { readonly name: string; readonly path: string; readonly [field: string]: unknown }[];
  readonly commands: readonly ListedName[];
  readonly agents: readonly ListedName[];
  /** Number of plugins that could not be loaded. */
  readonly errorCount: number;
}

/** An entry with a name; its other fields are the CLI's. */
export interface ListedName {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** The content of an MCP resource: text, or base64 in `blob`. */
export interface McpResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
  readonly [field: string]: unknown;
}

/** The output of a background task so far. */
export interface TaskOutput {
  readonly output: string;
  /** The length of the whole output in bytes. */
  readonly totalBytes: number;
  /** True if `output` is not all of it. */
  readonly truncated: boolean;
}

/** Reads the account in the answer to `initialize`. */
export function accountIn(handshake: unknown): AccountInfo | undefined {
  const account = field(handshake, 'account');
  return isJsonObject(account) ? account : undefined;
}

/** Reads the answer to `get_usage`. */
export function usageReport(body: unknown): UsageReport {
  return fieldsOf(body);
}

/** Reads the answer to `list_permission_rules`. */
export function listedRules(body: unknown): readonly ListedRule[] {
  return arrayField(field(body, 'state'), 'rules').filter(hasTexts('rule', 'behavior', 'source'));
}

/** Reads the answer to `get_hooks_listing`. */
export function listedHooks(body: unknown): readonly ListedHook[] {
  return arrayField(body, 'hooks').filter(hasTexts('event', 'type', 'source'));
}

/** Reads the answer to `reload_plugins`. */
export function reloadedPlugins(body: unknown): ReloadedPlugins {
  return {
    plugins: arrayField(body, 'plugins').filter(hasTexts('name', 'path')),
    commands: namedIn(body, 'commands'),
    agents: namedIn(body, 'agents'),
    errorCount: numberField(body, 'error_count') ?? 0,
  };
}

/** Reads the answer to `reload_skills`. */
export function reloadedSkills(body: unknown): readonly ListedName[] {
  return namedIn(body, 'skills');
}

/** Reads the answer to `reload_output_styles`. */
export function reloadedStyles(body: unknown): readonly string[] {
  return stringsField(body, 'available_output_styles');
}

/** Reads the answer to `mcp_read_resource`. */
export function resourceContents(body: unknown): readonly McpResourceContent[] {
  return arrayField(body, 'contents').filter(hasTexts('uri'));
}

/** Reads the answer to `get_task_output`. */
export function taskOutput(body: unknown): TaskOutput {
  return {
    output: stringField(body, 'output') ?? '',
    totalBytes: numberField(body, 'total_bytes') ?? 0,
    truncated: field(body, 'truncated') === true,
  };
}

function namedIn(body: unknown, list: string): readonly ListedName[] {
  return arrayField(body, list).filter(hasTexts('name'));
}

/** True for objects in which these fields are texts. */
function hasTexts<K extends string>(
  ...names: readonly K[]
): (entry: unknown) => entry is JsonObject & Record<K, string> {
  return (entry): entry is JsonObject & Record<K, string> =>
    isJsonObject(entry) && names.every((name) => typeof entry[name] === 'string');
}
