import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { AgentOptions, OutputSchema } from '../../src/options/option-types.ts';
import { jsonSchemaOf, validateOutput } from '../../src/options/output-schema.ts';
import { checkQuery, host, planOf } from './host.ts';

const zodSchema = z.object({ name: z.string(), age: z.coerce.number().default(1) });
const valibotSchema = v.object({ name: v.string() });
const jsonSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const silent = {
  '~standard': { version: 1, vendor: 'own', validate: () => {}, jsonSchema: { input: () => undefined } },
};
const valibotPair = { schema: valibotSchema, jsonSchema };

/** JSON Schema types of libraries are interfaces, without an index signature. */
interface NamedJsonSchema {
  readonly type?: string;
  readonly title?: string;
}
const named: NamedJsonSchema = { type: 'object' };

declare function query<T>(prompt: string, options: AgentOptions<T>): T;

describe('jsonSchemaOf', () => {
  it('[M-6] uses the JSON Schema of a schema, for its input and in the draft that the CLI supports', () => {
    expect(jsonSchemaOf(zodSchema)).toEqual({
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'number', default: 1 } },
      required: ['name'],
    });
    const tuple = jsonSchemaOf(z.object({ pair: z.tuple([z.string(), z.number()]) }));
    expect(JSON.stringify(tuple)).not.toContain('prefixItems');
  });

  it('[M-6] falls back to a later draft if a library does not support draft 7', () => {
    const input = ({ target }: { target: string }): Record<string, unknown> => {
      if (target === 'draft-07') throw new Error('unsupported');
      return { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' };
    };
    const standard = {
      version: 1,
      vendor: 'own',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input, output: input },
    };
    expect(jsonSchemaOf({ '~standard': standard } as OutputSchema)).toEqual({ type: 'object' });
  });

  it('[M-6] uses a separate or plain JSON Schema, without the $schema that the CLI refuses', () => {
    expect(jsonSchemaOf(valibotPair)).toEqual(jsonSchema);
    expect(checkQuery('hi', { outputSchema: { schema: zodSchema } }, host).problems).toEqual([]);
    expect(jsonSchemaOf({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...jsonSchema })).toEqual(
      jsonSchema,
    );
  });

  it('[M-6, O-4] refuses an object of schemas such as { a: z.string() }, and explains how to wrap it', () => {
    const problems = [
      { path: 'outputSchema', message: 'is an object of schemas, not a schema. Wrap it: z.object({ … }).' },
    ];
    for (const outputSchema of [{ a: z.string() }, { a: v.string(), b: z.number() }, { a: z.string(), b: 'text' }]) {
      expect(checkQuery('hi', { outputSchema }, host).problems).toEqual(problems);
    }
  });

  it('[M-6] names the converter for a schema without a JSON Schema', () => {
    const problem = (vendor: string): string | undefined => {
      const outputSchema = { '~standard': { version: 1, vendor, validate: (value: unknown) => ({ value }) } };
      return checkQuery('hi', { outputSchema }, host).problems[0]?.message;
    };
    expect(checkQuery('hi', { outputSchema: valibotSchema }, host).problems).toEqual([
      {
        path: 'outputSchema',
        message:
          'does not carry its JSON Schema. Pass { schema, jsonSchema }; create the latter with toJsonSchema(schema) from @valibot/to-json-schema.',
      },
    ]);
    expect(problem('arktype')).toContain('schema.toJsonSchema()');
    expect(problem('zod')).toContain('z.toJSONSchema(schema)');
    expect(problem('own')).toContain('the JSON Schema converter of own');
  });

  it.each([
    [z.object({ when: z.date() }), /^cannot be written as JSON Schema: Date/],
    [z.array(z.string()), /^must describe an object at the top level/],
    [{ type: 'string' }, /^must describe an object at the top level/],
    ['{"type":"object"}', /^must be a schema or a JSON Schema object, not a string/],
    [{ schema: valibotSchema }, /^does not carry its JSON Schema/],
    [silent, /^must be a schema or a JSON Schema object, not undefined/],
    [new Date(0), /^must be a schema or a JSON Schema object, not a string/],
    [{ schema: valibotSchema, jsonSchema: 5 }, /^must be a schema or a JSON Schema object, not the number 5/],
  ])('[M-6, O-4] refuses a schema that the CLI cannot use: %#', (outputSchema, message) => {
    expect(checkQuery('hi', { outputSchema }, host).problems).toEqual([
      { path: 'outputSchema', message: expect.stringMatching(message) },
    ]);
  });

  it('[M-6] converts the schema once, when the options are resolved', () => {
    let calls = 0;
    const input = (): Record<string, unknown> => {
      calls++;
      return { type: 'object' };
    };
    const standard = {
      version: 1,
      vendor: 'own',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input, output: input },
    };
    const { outputSchema } = planOf('hi', [{ outputSchema: { '~standard': standard } }], host).options;
    expect(outputSchema && jsonSchemaOf(outputSchema)).toEqual({ type: 'object' });
    expect(calls).toBe(1);
  });
});

describe('validateOutput', () => {
  it('[M-6] returns the output of the schema', async () => {
    expect(await validateOutput(zodSchema, { name: 'x', age: '5' })).toEqual({ value: { name: 'x', age: 5 } });
    expect(await validateOutput(valibotPair, { name: 'x' })).toEqual({ value: { name: 'x' } });
    const { outputSchema } = planOf('hi', [{ outputSchema: zodSchema }], host).options;
    expect(outputSchema && (await validateOutput(outputSchema, { name: 'x' }))).toEqual({
      value: { name: 'x', age: 1 },
    });
  });

  it('[M-6] returns the issues with plain paths', async () => {
    expect(await validateOutput(zodSchema, { name: 5 })).toEqual({
      issues: [{ message: expect.stringContaining('string'), path: ['name'] }],
    });
    const list = { schema: v.object({ list: v.array(v.number()) }), jsonSchema };
    expect(await validateOutput(list, { list: [1, 'x'] })).toEqual({
      issues: [{ message: expect.stringContaining('number'), path: ['list', 1] }],
    });
  });

  it('[M-6] awaits an asynchronous schema, and handles one that throws', async () => {
    const asynchronous = z.object({ name: z.string().refine(async (name) => name === 'x', 'not x') });
    expect(await validateOutput(asynchronous, { name: 'y' })).toEqual({
      issues: [{ message: 'not x', path: ['name'] }],
    });
    const throwing = z.object({
      name: z.string().transform(() => {
        throw new Error('boom');
      }),
    });
    expect(await validateOutput(throwing, { name: 'y' })).toEqual({
      issues: [{ message: 'The schema threw an exception: boom' }],
    });
  });

  it('[M-6] does not change the output of a bare JSON Schema', async () => {
    expect(await validateOutput(jsonSchema, { anything: 1 })).toEqual({ value: { anything: 1 } });
  });
});

describe('the type of the output', () => {
  it('[M-6] is inferred from the schema, and unknown for a bare JSON Schema', () => {
    const infer = (): void => {
      expectTypeOf(query('hi', { outputSchema: zodSchema })).toEqualTypeOf<{ name: string; age: number }>();
      expectTypeOf(query('hi', { outputSchema: valibotPair, model: 'x' })).toEqualTypeOf<{ name: string }>();
      expectTypeOf(query('hi', { outputSchema: jsonSchema })).toBeUnknown();
      expectTypeOf(query('hi', { outputSchema: { type: 'object', properties: {} } })).toBeUnknown();
      expectTypeOf(query('hi', { outputSchema: named })).toBeUnknown();
      expectTypeOf(query('hi', {})).toBeUnknown();
      // @ts-expect-error: a valibot schema has no JSON Schema
      query('hi', { outputSchema: valibotSchema });
    };
    expect(infer).toBeTypeOf('function');
  });
});
