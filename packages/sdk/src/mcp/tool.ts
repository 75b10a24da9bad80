import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { isObject } from '../options/checks.ts';
import type { OutputSchema } from '../options/groups.ts';
import { outputSchemaCheck, validateOutput } from '../options/output-schema.ts';
import { reasonOf } from '../options/report.ts';
import type { JsonObject } from '../wire/kinds.ts';
import type { ToolReturn } from './content.ts';

/**
 * What a tool's input must look like: a schema that knows its JSON Schema (zod, arktype), `{ schema, jsonSchema }` for
 * one that does not (valibot), or a JSON Schema alone, whose input is `unknown`.
 */
export type ToolSchema<T = unknown> = OutputSchema<T>;

/** What a tool's handler gets beside its input. */
export interface ToolContext {
  /** Aborted when the call is cancelled, times out, or the session stops. */
  readonly signal: AbortSignal;
  /** The id of the tool use, as in hooks and messages. */
  readonly toolUseId: string | undefined;
  /** All that the CLI said about the call beside its input. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Does the work of a tool. What it throws reaches the model as a failed call with the error's message. */
export type ToolHandler<T> = (input: T, context: ToolContext) => ToolReturn | Promise<ToolReturn>;

/** What else can be said about a tool. */
export interface ToolExtras {
  /** A name for people. */
  readonly title?: string | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /** Passed on as the tool's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Hints about what a tool does. The CLI runs calls of read-only tools side by side. */
export interface ToolAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/** A tool, ready for `toolServer()`. */
export interface Tool extends ToolExtras {
  readonly name: string;
  readonly description: string;
  /** What the model is shown. */
  readonly inputSchema: JsonObject;
  /** False when the input is described by a JSON Schema alone, which `check` cannot check. */
  readonly checksInput: boolean;
  /** The handler's input, or what is wrong with it. */
  check(input: unknown): Promise<{ readonly value: unknown } | { readonly problem: string }>;
  /** Calls the handler with an input that was checked. */
  run(input: unknown, context: ToolContext): ToolReturn | Promise<ToolReturn>;
}

/**
 * Describes a tool that runs in this process.
 * @throws OptionsError when the name is none, or the schema cannot be written as JSON Schema.
 */
export function tool<T>(
  name: string,
  description: string,
  schema: ToolSchema<T>,
  handler: ToolHandler<T>,
  extras: ToolExtras = {},
): Tool {
  const problems: OptionProblem[] = [];
  const report = (path: string, message: string): void => void problems.push({ path, message });
  const path = `tool(${JSON.stringify(name)})`;
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(name)) {
    report(`${path}.name`, 'must consist of letters, digits, _ and -.');
  }
  if (typeof description !== 'string') report(`${path}.description`, 'must be a string: the model reads it.');
  if (typeof handler !== 'function') report(`${path}.handler`, 'must be a function.');
  const checked = readSchema(schema, `${path}.schema`, report);
  if (checked === undefined || problems.length > 0) throw new OptionsError(problems);

  return {
    ...extras,
    name,
    description,
    ...checked,
    async check(input) {
      const result = await validateOutput(schema, input);
      return 'value' in result ? result : { problem: listIssues(result.issues) };
    },
    // Only what `check` has passed comes here, and that is what T was inferred from.
    run: (input, context) => handler(input as T, context),
  };
}

/** The list of what a schema found wrong, in one line. */
export function listIssues(issues: readonly { message: string; path?: readonly (string | number)[] }[]): string {
  return issues.map(({ message, path }) => (path?.length ? `${path.join('.')}: ${message}` : message)).join('; ');
}

function readSchema(
  schema: unknown,
  path: string,
  report: (path: string, message: string) => void,
): Pick<Tool, 'inputSchema' | 'checksInput'> | undefined {
  try {
    const read = outputSchemaCheck(schema, path, report);
    if (!isObject(read)) return undefined;
    const checksInput = isObject(read.jsonSchema);
    const { $schema: dialect } = isObject(schema) && !checksInput ? schema : {};
    const inputSchema = {
      ...(typeof dialect === 'string' ? { $schema: dialect } : {}),
      type: 'object',
      ...(isObject(read.jsonSchema) ? read.jsonSchema : read),
    };
    return { inputSchema, checksInput };
  } catch (error) {
    report(path, `cannot be read: ${reasonOf(error)}`);
    return undefined;
  }
}
