import type { CallToolResult as CallToolResultV2 } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { CallToolResult as CallToolResultV1 } from '../../../../tools/node_modules/@modelcontextprotocol/sdk/dist/esm/types.js';
import { OptionsError } from '../../src/errors/options.ts';
import { type Tool, type ToolContext, type ToolReturn, tool } from '../../src/mcp/index.ts';
import type { ToolSchema } from '../../src/mcp/tool.ts';

const reply = (): string => 'ok';
const numbersJson = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const;

describe('the schema of a tool', () => {
  it('[T-2] may be a zod schema: the handler receives its output type, the model its input type', async () => {
    const count = tool(
      'count',
      'Counts',
      z.object({ from: z.number().default(1), label: z.string().transform((label) => label.length) }),
      (input, context) => {
        expectTypeOf(input).toEqualTypeOf<{ from: number; label: number }>();
        expectTypeOf(context).toEqualTypeOf<ToolContext>();
        return 'ok';
      },
    );
    expect(count.inputSchema).toMatchObject({
      type: 'object',
      properties: { from: { type: 'number', default: 1 }, label: { type: 'string' } },
      required: ['label'],
    });
    expect(await count.check({ label: 'abc' })).toEqual({ value: { from: 1, label: 3 } });
    expect(await count.check({ label: 5 })).toEqual({ problem: expect.stringMatching(/^label: .*expected string/) });
  });

  it('[T-2] may be a valibot schema together with a JSON Schema', async () => {
    const schema = v.object({ a: v.number(), b: v.number() });
    const add = tool('add', 'Adds', { schema, jsonSchema: numbersJson }, ({ a, b }) => {
      expectTypeOf(a).toEqualTypeOf<number>();
      return String(a + b);
    });
    expect(add.inputSchema).toEqual(numbersJson);
    expect(await add.check({ a: 1 })).toEqual({ problem: expect.stringMatching(/^b: /) });
  });

  it('[T-2] may be a function, as in arktype', async () => {
    const schema: ToolSchema<{ a: number }> = Object.assign(() => {}, {
      '~standard': {
        version: 1,
        vendor: 'arktype',
        validate: (value: unknown) =>
          value === 5 ? { value: { a: 5 } } : { issues: [{ message: 'not five', path: [{ key: 'a' }] }] },
        jsonSchema: { input: () => ({ type: 'object', properties: { a: {} } }), output: () => ({}) },
      },
    } as const);
    const five = tool('five', 'Five', schema, ({ a }) => String(a));
    expect(five.inputSchema).toEqual({ type: 'object', properties: { a: {} } });
    expect(await five.check(5)).toEqual({ value: { a: 5 } });
    expect(await five.check(6)).toEqual({ problem: 'a: not five' });
  });

  it('[T-2] may be a JSON Schema, with an input of type unknown', () => {
    const $schema = 'http://json-schema.org/draft-07/schema#';
    const add = tool('add', 'Adds', { $schema, ...numbersJson }, (input) => {
      expectTypeOf(input).toEqualTypeOf<unknown>();
      return 'ok';
    });
    expect(add.inputSchema).toEqual({ $schema, ...numbersJson });
    expect(tool('any', 'Takes anything', {}, reply).inputSchema).toEqual({ type: 'object' });
  });

  it.each<[string, unknown, RegExp]>([
    ['a schema without a JSON Schema', v.object({}), /schema, jsonSchema.*toJsonSchema.*valibot/],
    ['the shape that other SDKs accept', { a: z.number(), b: z.string() }, /Wrap it: z\.object/],
    ['a schema that does not describe an object', z.string(), /must describe an object/],
    ['a JSON Schema that is invalid', { type: 'array' }, /must describe an object/],
    ['a function', () => {}, /a schema or a JSON Schema object, not a function/],
    ['nothing', undefined, /not undefined/],
    [
      'a schema that JSON cannot represent',
      { type: 'object', properties: { a: { default: 1n } } },
      /properties\.a\.default.*bigint/,
    ],
    ['a circular schema', endless(), /contains itself/],
  ])('must not be %s', (_what, schema, message) => {
    // An untyped caller could write this.
    const make = (): Tool => tool('odd', 'Odd', schema as ToolSchema, reply);
    expect(make).toThrow(OptionsError);
    expect(make).toThrow(/tool\("odd"\)\.schema/);
    expect(make).toThrow(message);
  });
});

describe('tool()', () => {
  it.each(['', 'has space', 'dot.ted', 'ü'])('refuses the name %j', (name) => {
    expect(() => tool(name, 'Named', z.object({}), reply)).toThrow(/name: must consist of letters, digits, _ and -/);
  });

  it('lists all problems', () => {
    // An untyped caller could write this.
    const make = tool as unknown as (...args: unknown[]) => Tool;
    expect(() => make(5, undefined, [], 'handler')).toThrow(
      expect.objectContaining({
        problems: ['name', 'description', 'handler', 'schema'].map((field) => ({
          path: `tool(5).${field}`,
          message: expect.any(String),
        })),
      }),
    );
  });

  it('keeps the extras', () => {
    const extras = { title: 'Add up', annotations: { readOnlyHint: true }, meta: { 'anthropic/alwaysLoad': true } };
    expect(tool('add', 'Adds', z.object({}), reply, extras)).toMatchObject({
      name: 'add',
      description: 'Adds',
      ...extras,
    });
  });

  it('checks the return type of a handler', () => {
    expectTypeOf<string>().toExtend<ToolReturn>();
    expectTypeOf<{ content: { type: 'text'; text: string }[]; isError: true }>().toExtend<ToolReturn>();
    expectTypeOf<{ type: 'image'; data: string; mimeType: string }[]>().toExtend<ToolReturn>();
    expectTypeOf<CallToolResultV1>().toExtend<ToolReturn>();
    expectTypeOf<CallToolResultV2>().toExtend<ToolReturn>();
    expectTypeOf<number>().not.toExtend<ToolReturn>();
    expectTypeOf<undefined>().not.toExtend<ToolReturn>();
    expectTypeOf<{ type: 'txt'; text: string }[]>().not.toExtend<ToolReturn>();

    tool('blocks', 'Gives blocks', z.object({}), async () => [{ type: 'text', text: 'a' }]);
    // @ts-expect-error A handler must return something.
    tool('nothing', 'Gives nothing', z.object({}), () => {});
    // @ts-expect-error The schema defines the type of the input.
    tool('input', 'Reads the input', z.object({ a: z.string() }), ({ a }) => a.toFixed(2));
    // @ts-expect-error A schema that cannot produce a JSON Schema needs a separate one.
    expect(() => tool('valibot', 'Valibot alone', v.object({}), reply)).toThrow(OptionsError);
  });
});

function endless(): object {
  const schema: Record<string, unknown> = { type: 'object' };
  schema.properties = { self: schema };
  return schema;
}

describe('the extras of a tool', () => {
  it.each([
    [
      { annotation: { readOnlyHint: true } },
      'tool("x").extras.annotation: is not a known field. Did you mean annotations?',
    ],
    [{ annotations: { readonlyHint: true } }, 'Did you mean readOnlyHint?'],
    [{ annotations: { readOnlyHint: 'yes' } }, 'tool("x").extras.annotations.readOnlyHint: must be true or false'],
    [{ title: 5 }, 'tool("x").extras.title: must be a string'],
    [{ meta: 'x' }, 'tool("x").extras.meta: must be an object'],
  ])('[T-2] must be valid: %j', (extras, message) => {
    // The types forbid these values.
    expect(() => tool('x', 'X', {}, reply, extras as object)).toThrow(message);
    expect(() => tool('x', 'X', {}, reply, extras as object)).toThrow(OptionsError);
  });
});
