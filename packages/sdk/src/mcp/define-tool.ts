import { reasonOf } from '../errors/base.ts';
import { checking, type Report } from '../errors/options.ts';
import { flag, jsonObject, shape, text } from '../options/checks.ts';
import { outputSchemaCheck, validateOutput } from '../options/output-schema.ts';
import { isJsonObject } from '../wire/kinds.ts';
import type { Tool, ToolExtras, ToolHandler, ToolSchema } from './tool.ts';

/**
 * Defines a tool that runs in this process.
 * @throws OptionsError for an invalid name, a schema that cannot be written as JSON Schema, or unknown extras.
 */
export function tool<T>(
  name: string,
  description: string,
  schema: ToolSchema<T>,
  handler: ToolHandler<T>,
  extras: ToolExtras = {},
): Tool {
  const path = `tool(${JSON.stringify(name)})`;
  const checked = checking((report) => {
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(name)) {
      report(`${path}.name`, 'must consist of letters, digits, _ and -.');
    }
    if (typeof description !== 'string') report(`${path}.description`, 'must be a string: the model reads it.');
    if (typeof handler !== 'function') report(`${path}.handler`, 'must be a function.');
    extrasCheck(extras, `${path}.extras`, report);
    return readSchema(schema, `${path}.schema`, report);
  });
  return {
    ...extras,
    name,
    description,
    ...checked,
    check: checkOf(schema),
    // `check` has validated the input against the schema that T is inferred from.
    run: (input, context) => handler(input as T, context),
  };
}

const title = text();
const extrasCheck = shape({
  title,
  annotations: shape({
    title,
    readOnlyHint: flag,
    destructiveHint: flag,
    idempotentHint: flag,
    openWorldHint: flag,
  }),
  meta: jsonObject,
});

/** The id of the tool use that a call belongs to. The CLI sends it in the `_meta` of the request. */
export function toolUseIdOf(meta: unknown): string | undefined {
  const id = isJsonObject(meta) ? meta['claudecode/toolUseId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Creates a check that validates an input and reports all problems on one line. */
export function checkOf(schema: ToolSchema): Tool['check'] {
  return async (input) => {
    const result = await validateOutput(schema, input);
    if ('value' in result) return result;
    const issues = result.issues.map(({ message, path }) => (path?.length ? `${path.join('.')}: ${message}` : message));
    return { problem: issues.join('; ') };
  };
}

function readSchema(
  schema: unknown,
  path: string,
  report: Report,
): Pick<Tool, 'inputSchema' | 'checksInput'> | undefined {
  try {
    const read = outputSchemaCheck(schema, path, report);
    if (!isJsonObject(read)) return undefined;
    const checksInput = isJsonObject(read.jsonSchema);
    const { $schema: dialect } = isJsonObject(schema) && !checksInput ? schema : {};
    const inputSchema = {
      ...(typeof dialect === 'string' ? { $schema: dialect } : {}),
      type: 'object',
      ...(isJsonObject(read.jsonSchema) ? read.jsonSchema : read),
    };
    return { inputSchema, checksInput };
  } catch (error) {
    report(path, `cannot be read: ${reasonOf(error)}`);
    return undefined;
  }
}
