import { type ApiRequest, type Reply, text, toolUse } from '@coxswain/testkit';
import { outcomeOf, StructuredOutputError } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';
import { openStage } from '../session/stage.ts';

const ODD = z.object({ answer: z.number().refine((answer) => answer % 2 === 1, 'must be odd') });

describe.concurrent.each(testedVersions)('structured output of %s', (version) => {
  it('[M-6] that fits the schema is given typed and transformed', async () => {
    await using scene = await openScene([toolUse('StructuredOutput', { answer: 43, at: '2026-01-02' })], {
      version,
      fallback: text('done'),
    });
    const outputSchema = ODD.extend({ at: z.string().transform((day) => new Date(day)) });
    const stream = scene.query('how much?', { outputSchema });
    const output: { answer: number; at: Date } = await stream.output();
    expect(output).toEqual({ answer: 43, at: new Date('2026-01-02') });
    expect(await stream.result()).toMatchObject({ structured_output: { answer: 43, at: '2026-01-02' } });
    expect(scene.api.conversation[0]?.tools).toContain('StructuredOutput');
  });

  it('[M-6, M-3] that the schema does not take, that the model does not give, and that never fits is an error, each of its own kind', async () => {
    const replies: Readonly<Record<string, (request: ApiRequest) => Reply>> = {
      // What the schema asks for beyond JSON Schema, the CLI does not see.
      'an even one': ({ toolResults }) =>
        toolResults.length > 0 ? text('done') : toolUse('StructuredOutput', { answer: 42 }),
      'no answer': () => text('No.'),
      many: () => toolUse('StructuredOutput', { answer: 'many' }),
    };
    let asked = '';
    // Where no output comes, the CLI itself speaks next.
    await using stage = await openStage((request) => replies[asked]?.(request) ?? text('nobody asked'), { version });
    const session = await stage.start({ outputSchema: ODD });
    const ask = (prompt: string) => {
      asked = prompt;
      return session.send(prompt);
    };

    const invalid = ask('an even one');
    const error = await invalid.output().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StructuredOutputError);
    expect(error).toMatchObject({
      code: 'structured-output',
      reason: 'invalid',
      issues: [{ path: ['answer'], message: 'must be odd' }],
      result: { structured_output: { answer: 42 } },
    });
    expect(outcomeOf(await invalid.result())).toMatchObject({ kind: 'completed', structuredOutput: { answer: 42 } });

    const absent = ask('no answer');
    await expect(absent.output()).rejects.toMatchObject({ code: 'structured-output', reason: 'absent' });
    expect(await absent.text()).toBe('No.');

    const never = ask('many');
    await expect(never.output()).rejects.toMatchObject({ code: 'structured-output', reason: 'retries' });
    expect(outcomeOf(await never.result()).kind).toBe('structured-output');
    await expect(never.text()).rejects.toMatchObject({ code: 'result', outcome: 'structured-output' });
  });
});

describe.concurrent('a bare JSON Schema', () => {
  it('[M-6] is checked by the CLI: a bad output is asked for again', async () => {
    const script = [toolUse('StructuredOutput', { colour: 1 }), toolUse('StructuredOutput', { colour: 'red' })];
    await using scene = await openScene(script, { fallback: text('done') });
    const outputSchema = {
      type: 'object',
      properties: { colour: { enum: ['red', 'green'] } },
      required: ['colour'],
    };
    expect(await scene.query('which?', { outputSchema }).output()).toEqual({ colour: 'red' });
    expect(scene.api.conversation[1]?.toolResults).toMatchObject([{ isError: true }]);
  });
});
