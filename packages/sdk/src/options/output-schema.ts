import { reasonOf } from '../errors/base.ts';
import { checking, type Report } from '../errors/options.ts';
import type { SchemaIssue } from '../errors/stream.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { type Check, plainData, wrong } from './checks.ts';
import type { OutputSchema, StandardSchema } from './option-types.ts';

/** The CLI validates with draft 7: it refuses keywords of later drafts, and any other `$schema`. */
const TARGETS = ['draft-07', 'draft-2020-12'];

/** How to get a JSON Schema from libraries whose schemas do not carry one. */
const CONVERTERS: ReadonlyMap<string, string> = new Map([
  ['valibot', 'toJsonSchema(schema) from @valibot/to-json-schema'],
  ['arktype', 'schema.toJsonSchema()'],
  ['zod', 'z.toJSONSchema(schema) of zod 4, or zod-to-json-schema for zod 3'],
  ['effect', 'JSONSchema.make(schema) from effect'],
]);

/** The JSON Schema that the CLI receives for `outputSchema`. @throws OptionsError */
export function jsonSchemaOf(outputSchema: OutputSchema): JsonObject {
  return checking((report) => toJsonSchema(outputSchema, 'outputSchema', report));
}

/** Checks `outputSchema` and converts it once: a schema is returned together with its JSON Schema. */
export const outputSchemaCheck: Check = (value, path, report) => {
  const jsonSchema = toJsonSchema(value, path, report);
  if (jsonSchema === undefined) return undefined;
  const schema = standardSchemaOf(value);
  return schema ? { schema, jsonSchema } : jsonSchema;
};

/**
 * Validates a structured output with the caller's schema; never rejects. With a bare JSON Schema the CLI has already
 * validated it, so the value is returned unchanged.
 */
export async function validateOutput<T>(
  outputSchema: OutputSchema<T>,
  value: unknown,
): Promise<{ readonly value: T } | { readonly issues: readonly SchemaIssue[] }> {
  const schema = standardSchemaOf(outputSchema);
  // T can only be inferred as unknown here: a JSON Schema carries no type.
  if (!schema) return { value: value as T };
  try {
    const result = await schema['~standard'].validate(value);
    // The schema is the one T was inferred from.
    if (!result.issues) return { value: result.value as T };
    const issues = result.issues.map(({ message, path }) => {
      const keys = path?.map((part) => (typeof part === 'object' ? part.key : part));
      return { message, ...(keys && { path: keys.map((key) => (typeof key === 'number' ? key : String(key))) }) };
    });
    return { issues };
  } catch (error) {
    return { issues: [{ message: `The schema threw an exception: ${reasonOf(error)}` }] };
  }
}

function toJsonSchema(value: unknown, path: string, report: Report): JsonObject | undefined {
  const schemaItself = standardSchemaOf(value);
  if (!schemaItself && isShape(value)) {
    return void report(path, 'is an object of schemas, not a schema. Wrap it: z.object({ … }).');
  }
  const beside = schemaItself && isJsonObject(value) && !isStandard(value) ? value.jsonSchema : undefined;
  const written =
    schemaItself && beside === undefined ? converted(schemaItself, path, report) : { source: beside ?? value };
  if (!written) return undefined;
  const { source } = written;
  const copy = isJsonObject(source) ? plainData(source, path, report) : source;
  if (!isJsonObject(copy)) return wrong(copy, path, report, 'a schema or a JSON Schema object');
  const { $schema: _, ...schema } = copy;
  // The model fills it in as the input of a tool, which is always an object.
  if (schema.type !== undefined && schema.type !== 'object') {
    report(path, 'must describe an object at the top level: put the value into a field of one.');
  }
  return schema;
}

/** The result of the schema's own converter; `undefined` if a problem was reported. */
function converted(schema: StandardSchema, path: string, report: Report): { source: unknown } | undefined {
  const { vendor } = schema['~standard'];
  const converter: unknown = Reflect.get(schema['~standard'], 'jsonSchema');
  if (!isJsonObject(converter) || typeof converter.input !== 'function') {
    const how = CONVERTERS.get(vendor) ?? `the JSON Schema converter of ${vendor}`;
    report(path, `does not carry its JSON Schema. Pass { schema, jsonSchema }; create the latter with ${how}.`);
    return undefined;
  }
  let reason = '';
  for (const target of TARGETS) {
    try {
      // The model writes the input of the schema, before defaults and transforms.
      return { source: converter.input({ target }) };
    } catch (error) {
      reason ||= reasonOf(error);
    }
  }
  report(path, `cannot be written as JSON Schema: ${reason}`);
  return undefined;
}

/** The schema that validates the output, if there is one. */
function standardSchemaOf(value: unknown): StandardSchema | undefined {
  if (isStandard(value)) return value;
  return isJsonObject(value) && isStandard(value.schema) ? value.schema : undefined;
}

/** `{ a: z.number() }`, which other SDKs accept as a schema; no keyword of a JSON Schema has such a value. */
function isShape(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).some(isStandard);
}

/** The schemas of some libraries are functions. */
function isStandard(value: unknown): value is StandardSchema {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  const props: unknown = Reflect.get(value, '~standard');
  return isJsonObject(props) && typeof props.validate === 'function';
}
