import { type JsonObject, type JsonValue, objectOf } from '../../json.ts';
import type { Conversation } from './conversation.ts';
import type { Fit } from './permission-rules/rule.ts';

/** The schema of the answer that the host asked for. */
export function wantedSchema({ args, initialized }: Conversation): JsonObject | undefined {
  const flag = args.flags.get('--json-schema')?.at(-1);
  if (flag === undefined) return objectOf(initialized?.jsonSchema);
  try {
    return objectOf(JSON.parse(flag));
  } catch {
    return {};
  }
}

/** Whether a value matches a JSON Schema; `unknown` where the schema uses more than types, fields, items and enumerations. */
export function schemaFits(schema: JsonObject, value: unknown): Fit {
  return allFit(Object.entries(schema).map(([keyword, rule]) => keywordFits(keyword, rule, value, schema)));
}

function keywordFits(keyword: string, rule: JsonValue | undefined, value: unknown, schema: JsonObject): Fit {
  if (ANNOTATIONS.has(keyword)) return 'yes';
  const fields = objectOf(value);
  switch (keyword) {
    case 'type':
      return typeof rule === 'string' ? fit(typeFits(rule, value)) : 'unknown';
    case 'enum':
      return Array.isArray(rule) ? fit(rule.some((one) => isSame(one, value))) : 'unknown';
    case 'const':
      return fit(isSame(rule, value));
    case 'required':
      if (fields === undefined) return 'yes';
      return Array.isArray(rule) ? fit(rule.every((name) => Object.hasOwn(fields, String(name)))) : 'unknown';
    case 'properties':
      return fields === undefined ? 'yes' : allFit(propertiesIn(objectOf(rule) ?? {}, fields));
    case 'additionalProperties':
      if (fields === undefined || rule === true) return 'yes';
      if (rule !== false) return 'unknown';
      return fit(Object.keys(fields).every((name) => Object.hasOwn(objectOf(schema.properties) ?? {}, name)));
    case 'items':
      if (!Array.isArray(value)) return 'yes';
      return objectOf(rule) === undefined
        ? 'unknown'
        : allFit(value.map((item) => schemaFits(objectOf(rule) ?? {}, item)));
    default:
      return 'unknown';
  }
}

const ANNOTATIONS: ReadonlySet<string> = new Set(['$schema', '$id', 'title', 'description', 'default', 'examples']);

function propertiesIn(rules: JsonObject, fields: JsonObject): Fit[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    if (!Object.hasOwn(fields, name)) return [];
    const schema = objectOf(rule);
    return schema === undefined ? ['unknown' as const] : [schemaFits(schema, fields[name])];
  });
}

function typeFits(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return objectOf(value) !== undefined;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function allFit(fits: readonly Fit[]): Fit {
  if (fits.includes('no')) return 'no';
  return fits.includes('unknown') ? 'unknown' : 'yes';
}

function fit(holds: boolean): Fit {
  return holds ? 'yes' : 'no';
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
