import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addContext,
  allow,
  answerQuestions,
  askUser,
  decideLater,
  deferTool,
  deny,
  modifyInput,
  replaceOutput,
  stopTurn,
} from '../../src/hooks/outcome.ts';
import { decodePermission } from '../../src/permissions/decode.ts';
import { encodePermission } from '../../src/permissions/encode.ts';
import type { PermissionRequest } from '../../src/permissions/request.ts';
import { sentAnswers } from '../hooks/sent-answers.ts';
import { questionRequest, writeRequest } from './permission-desk.ts';

const write = request(writeRequest);
const question = request(questionRequest);
const suggested = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] as const;

describe('an answer to a permission', () => {
  it.each([
    ['allow', allow(), { behavior: 'allow', updatedInput: writeRequest.input }],
    ['allow with an input', allow({ updatedInput: { a: 1 } }), { behavior: 'allow', updatedInput: { a: 1 } }],
    [
      'allow with rules',
      allow({ updatedPermissions: suggested }),
      { behavior: 'allow', updatedInput: writeRequest.input, updatedPermissions: suggested },
    ],
    ['deny', deny('M'), { behavior: 'deny', message: 'M' }],
    ['deny that interrupts', deny('M', { interrupt: true }), { behavior: 'deny', message: 'M', interrupt: true }],
    ['stop', stopTurn('M'), { behavior: 'deny', message: 'M', interrupt: true }],
    ["allow in the CLI's form", { behavior: 'allow' }, { behavior: 'allow', updatedInput: writeRequest.input }],
    ["deny in the CLI's form", { behavior: 'deny', message: 'M' }, { behavior: 'deny', message: 'M' }],
  ])('[P-2] %s', (_what, outcome, response) => {
    expect(encodePermission(write, outcome)).toMatchObject({
      ok: true,
      response: { ...response, toolUseID: 'toolu_1' },
      warnings: [],
    });
  });

  it('[P-2] always has a message when it is a deny', () => {
    for (const broken of [deny(''), { decision: 'deny' }, { decision: 'deny', reason: 1 }, { behavior: 'deny' }]) {
      expect(encodePermission(write, broken)).toMatchObject({
        response: { behavior: 'deny', message: expect.stringMatching(/./) },
      });
    }
  });

  it('[P-2] does not interrupt unless it is told to', () => {
    const encoding = encodePermission(write, deny('M', { interrupt: false }));
    expect(encoding).toMatchObject({ response: expect.not.objectContaining({ interrupt: expect.anything() }) });
  });

  it('[P-2] leaves the tool call out when the request named none', () => {
    const nameless = request({ tool_name: 'Bash', input: {} });
    expect(encodePermission(nameless, allow())).toMatchObject({ response: { behavior: 'allow', updatedInput: {} } });
    expect(JSON.stringify(encodePermission(nameless, deny('M')))).not.toContain('toolUseID');
  });

  it('[P-2] warns of the fields only a hook can express, and sends the rest', () => {
    const encoding = encodePermission(write, allow({ reason: 'R', context: 'C', updatedInput: { a: 1 } }));
    expect(encoding).toMatchObject({
      response: { behavior: 'allow', updatedInput: { a: 1 } },
      warnings: [
        { code: 'decision-not-expressible', context: { what: 'allow.reason' } },
        { code: 'decision-not-expressible', context: { what: 'allow.context' } },
      ],
    });
  });

  it.each([
    ['D-allow-updatedInput.325', allow()],
    ['D-allow-updatedInput.197', allow()],
  ])('[P-2] is what the CLI of %s obeyed', (name, outcome) => {
    const encoding = encodePermission(request(recordedWrite(name)), outcome);
    const { toolUseID: _ours, ...response } = encoding.ok && !encoding.later ? encoding.response : {};
    expect(sentAnswers(name)).toContainEqual(response);
  });

  it('[P-7] can be put off', () => {
    expect(encodePermission(write, decideLater())).toEqual({ ok: true, later: true });
  });
});

describe('an answer to a question', () => {
  it('[P-6] gives the choices back with the questions, several in one text', () => {
    expect(encodePermission(question, answerQuestions({ 'Which?': ['A', 'B'] }))).toMatchObject({
      decision: 'answerQuestions',
      response: {
        behavior: 'allow',
        updatedInput: { ...question.input, answers: { 'Which?': 'A, B' } },
        toolUseID: 'toolu_2',
      },
      warnings: [],
    });
    expect(encodePermission(question, answerQuestions({ 'Which?': 'A' }))).toMatchObject({
      response: { updatedInput: { answers: { 'Which?': 'A' } } },
    });
  });

  it('[P-6] warns of a plain allow, which answers nothing', () => {
    expect(encodePermission(question, allow())).toMatchObject({
      response: { behavior: 'allow' },
      warnings: [{ code: 'question-not-answered' }],
    });
    const byHand = allow({ updatedInput: { ...question.input, answers: { 'Which?': 'A' } } });
    expect(encodePermission(question, byHand)).toMatchObject({ warnings: [] });
  });

  it('[P-6] is for questions only, and made of texts', () => {
    expect(encodePermission(write, answerQuestions({ a: 'b' }))).toMatchObject({ ok: false });
    for (const answers of [undefined, 'A', { 'Which?': 7 }, { 'Which?': ['A', 7] }]) {
      expect(encodePermission(question, { decision: 'answerQuestions', answers })).toMatchObject({ ok: false });
    }
  });
});

describe('anything else', () => {
  it.each([undefined, null, true, 'allow', {}, [], { allow: true }, { outcome: 'maybe' }, { behavior: 'ask' }])(
    '[P-3] like %j is no answer',
    (result) => {
      expect(encodePermission(write, result)).toEqual({ ok: false, problem: expect.stringMatching(/./) });
    },
  );

  it.each([askUser(), modifyInput({}), addContext('T'), replaceOutput(1), deferTool()])(
    '[P-3] like %j is for hooks',
    (outcome) => {
      expect(encodePermission(write, outcome)).toEqual({
        ok: false,
        problem: expect.stringContaining(outcome.decision),
      });
    },
  );

  it.each([
    allow({ updatedInput: { n: 1n } }),
    { decision: 'allow', updatedInput: 'x' },
    { decision: 'allow', updatedPermissions: {} },
    {
      get outcome(): never {
        throw new Error('boo');
      },
    },
  ])('[P-3] that cannot be sent is no answer', (outcome) => {
    expect(encodePermission(write, outcome)).toMatchObject({ ok: false });
  });

  it.each<[string, (input: Record<string, unknown>) => unknown]>([
    ['something circular', (input) => input],
    ['a BigInt', () => 1n],
  ])('[P-3] like an allow for an input into which somebody has put %s', (_, what) => {
    const spoilt = request({ ...writeRequest, input: { file_path: '/f' } });
    const input = spoilt.input as Record<string, unknown>;
    input.self = what(input);
    expect(encodePermission(spoilt, allow())).toEqual({ ok: false, problem: expect.stringMatching(/./) });
    expect(encodePermission(spoilt, allow({ updatedInput: { a: 1 } }))).toMatchObject({
      response: { behavior: 'allow', updatedInput: { a: 1 } },
    });
  });

  it('[P-2, P-3] never throws, and what is sent is plain JSON that allows or denies', () => {
    const junk = fc.anything({ withBigInt: true, withNullPrototype: true });
    const tags = ['allow', 'deny', 'stop', 'answer', 'later', 'ask', 'toString'];
    const fields = { reason: junk, updatedInput: junk, updatedPermissions: junk, answers: junk, interrupt: junk };
    const broken = fc.record({ outcome: fc.constantFrom(...tags), ...fields }, { requiredKeys: ['outcome'] });
    fc.assert(
      fc.property(fc.constantFrom(write, question), fc.oneof(junk, broken), (asked, outcome) => {
        const encoding = encodePermission(asked, outcome);
        if (!encoding.ok || encoding.later) return;
        expect(JSON.parse(JSON.stringify(encoding.response))).toEqual(encoding.response);
        const { behavior } = encoding.response;
        if (behavior === 'allow') expect(encoding.response.updatedInput).toBeTypeOf('object');
        else expect(encoding.response).toMatchObject({ behavior: 'deny', message: expect.stringMatching(/./s) });
      }),
      { numRuns: 1_000 },
    );
  });
});

function request(raw: unknown): PermissionRequest {
  const decoded = decodePermission('ask-1', raw);
  if (!decoded.ok) throw new Error(decoded.problem);
  return decoded.request;
}

/** The recorded client answered with the input it was asked about. */
function recordedWrite(name: string): object {
  const [answered] = sentAnswers(name).filter((sent) => Reflect.get(sent, 'behavior') === 'allow');
  return { tool_name: 'Write', input: Reflect.get(answered ?? {}, 'updatedInput'), tool_use_id: 'toolu_1' };
}
