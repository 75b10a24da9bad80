import { text, toolUse } from '@coxswain/testkit';
import { outcomeOf } from 'coxswain';
import { StructuredOutputError } from 'coxswain/errors';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

const ODD = z.object({ answer: z.number().refine((answer) => answer % 2 === 1, 'must be odd') });

describe.concurrent.each(testedVersions)('structured output of %s', (version) => {
  it('[M-6] is returned typed and transformed if it matches the schema', async () => {
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

  it('[M-6] is rejected with the issues if the CLI accepts it but the schema does not', async () => {
    await using scene = await openScene([toolUse('StructuredOutput', { answer: 42 })], {
      version,
      fallback: text('done'),
    });
    const stream = scene.query('how much?', { outputSchema: ODD });
    const error = await stream.output().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StructuredOutputError);
    expect(error).toMatchObject({
      code: 'structured-output',
      reason: 'invalid',
      issues: [{ path: ['answer'], message: 'must be odd' }],
      result: { structured_output: { answer: 42 } },
    });
    expect(outcomeOf(await stream.result())).toMatchObject({ kind: 'completed', structuredOutput: { answer: 42 } });
  });

  it('[M-6] is an error if the model does not return it, although the run succeeds', async () => {
    await using scene = await openScene([text('I would rather not.')], { version, fallback: text('No.') });
    const stream = scene.query('how much?', { outputSchema: ODD });
    await expect(stream.output()).rejects.toMatchObject({ code: 'structured-output', reason: 'absent' });
    expect(await stream.text()).toBe('No.');
  });

  it('[M-6, M-3] ends the run with its own outcome if it never matches', async () => {
    await using scene = await openScene(() => toolUse('StructuredOutput', { answer: 'many' }), { version });
    const stream = scene.query('how much?', { outputSchema: ODD });
    await expect(stream.output()).rejects.toMatchObject({ code: 'structured-output', reason: 'retries' });
    expect(outcomeOf(await stream.result()).kind).toBe('structured-output');
    await expect(stream.text()).rejects.toMatchObject({ code: 'result', outcome: 'structured-output' });
  });
});

describe.concurrent('a bare JSON Schema', () => {
  it('[M-6] is checked by the CLI: after an invalid output the model is asked again', async () => {
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
