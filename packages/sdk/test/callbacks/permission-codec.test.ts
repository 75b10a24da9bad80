import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallbackContext } from '../../src/callbacks/callback-context.ts';
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
} from '../../src/callbacks/decisions.ts';
import { decodePermission, encodePermission } from '../../src/callbacks/permission-codec.ts';
import type { PermissionRequest } from '../../src/callbacks/permission-request.ts';
import { questionRequest, writeRequest } from './permission-dispatcher.ts';
import { sentAnswers } from './sent-answers.ts';

const write = request(writeRequest);
const question = request(questionRequest);
const suggested = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] as const;

describe('the answer to a permission request', () => {
  it.each([
    ['allow()', allow(), { behavior: 'allow', updatedInput: writeRequest.input }],
    ['allow() with an input', allow({ updatedInput: { a: 1 } }), { behavior: 'allow', updatedInput: { a: 1 } }],
    [
      'allow() with permission updates',
      allow({ updatedPermissions: suggested }),
      { behavior: 'allow', updatedInput: writeRequest.input, updatedPermissions: suggested },
    ],
    ['deny()', deny('M'), { behavior: 'deny', message: 'M' }],
    ['deny() with interrupt', deny('M', { interrupt: true }), { behavior: 'deny', message: 'M', interrupt: true }],
    ['stopTurn()', stopTurn('M'), { behavior: 'deny', message: 'M', interrupt: true }],
    ["allow in the CLI's own format", { behavior: 'allow' }, { behavior: 'allow', updatedInput: writeRequest.input }],
    ["deny in the CLI's own format", { behavior: 'deny', message: 'M' }, { behavior: 'deny', message: 'M' }],
  ])('[P-2] encodes %s', (_what, decided, response) => {
    expect(encodePermission(write, decided, { allowPermissionUpdates: true })).toMatchObject({
      ok: true,
      response: { ...response, toolUseID: 'toolu_1' },
      warnings: [],
    });
  });

  it('[P-2] always has a message if it is a denial', () => {
    for (const broken of [deny(''), { decision: 'deny' }, { decision: 'deny', reason: 1 }, { behavior: 'deny' }]) {
      expect(encodePermission(write, broken)).toMatchObject({
        response: { behavior: 'deny', message: expect.stringMatching(/./) },
      });
    }
  });

  it('[P-2] interrupts only on request', () => {
    const encoding = encodePermission(write, deny('M', { interrupt: false }));
    expect(encoding).toMatchObject({ response: expect.not.objectContaining({ interrupt: expect.anything() }) });
  });

  it('[P-2] has no toolUseID if the request has none', () => {
    const nameless = request({ tool_name: 'Bash', input: {} });
    expect(encodePermission(nameless, allow())).toMatchObject({ response: { behavior: 'allow', updatedInput: {} } });
    expect(JSON.stringify(encodePermission(nameless, deny('M')))).not.toContain('toolUseID');
  });

  it('[P-2] causes a warning for fields that only hooks can express, and contains the others', () => {
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
  ])('[P-2] equals the recorded answer that the CLI obeyed in %s', (name, decided) => {
    const encoding = encodePermission(request(recordedWrite(name)), decided);
    const { toolUseID: _ours, ...response } = encoding.ok && !encoding.later ? encoding.response : {};
    expect(sentAnswers(name)).toContainEqual(response);
  });

  it('[P-7] can be left to answerPermission()', () => {
    expect(encodePermission(write, decideLater())).toEqual({ ok: true, later: true });
  });
});

describe('the answer to a question', () => {
  it('[P-6] contains the questions and the choices, with multiple choices in one string', () => {
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

  it('[P-6] causes a warning if allow() contains no answers', () => {
    expect(encodePermission(question, allow())).toMatchObject({
      response: { behavior: 'allow' },
      warnings: [{ code: 'question-not-answered' }],
    });
    const byHand = allow({ updatedInput: { ...question.input, answers: { 'Which?': 'A' } } });
    expect(encodePermission(question, byHand)).toMatchObject({ warnings: [] });
  });

  it('[P-6] is possible for questions only, and takes strings', () => {
    expect(encodePermission(write, answerQuestions({ a: 'b' }))).toMatchObject({ ok: false });
    for (const answers of [undefined, 'A', { 'Which?': 7 }, { 'Which?': ['A', 7] }]) {
      expect(encodePermission(question, { decision: 'answerQuestions', answers })).toMatchObject({ ok: false });
    }
  });
});

describe('an unusable permission result', () => {
  it.each([undefined, null, true, 'allow', {}, [], { allow: true }, { decision: 'maybe' }, { behavior: 'ask' }])(
    '[P-3] is %j',
    (result) => {
      expect(encodePermission(write, result)).toEqual({ ok: false, problem: expect.stringMatching(/./) });
    },
  );

  it('[P-3] names the JSON form and not decideLater() for the answer { outcome: "allow" } from another source', () => {
    const problem =
      'a decision is made with allow(), deny(), stopTurn(), answerQuestions(), or is the same as JSON, such as { "decision": "allow" }';
    expect(encodePermission(write, { outcome: 'allow' })).toEqual({ ok: false, problem });
  });

  it('[P-3] lists the possible decisions for the answer { decision: "alow" }', () => {
    const problem =
      "the decision 'alow' cannot answer a permission request; use one of allow, deny, stopTurn, answerQuestions";
    expect(encodePermission(write, { decision: 'alow' })).toEqual({ ok: false, problem });
  });

  it.each([askUser(), modifyInput({}), addContext('T'), replaceOutput(1), deferTool()])(
    '[P-3] is %j, which only hooks can return',
    (decided) => {
      expect(encodePermission(write, decided)).toEqual({
        ok: false,
        problem: expect.stringContaining(decided.decision),
      });
    },
  );

  it.each([
    allow({ updatedInput: { n: 1n } }),
    { decision: 'allow', updatedInput: 'x' },
    { decision: 'allow', updatedPermissions: {} },
    {
      get decision(): never {
        throw new Error('boo');
      },
    },
  ])('[P-3] is a decision that cannot be sent: %#', (decided) => {
    expect(encodePermission(write, decided)).toMatchObject({ ok: false });
  });

  it.each<[string, (input: Record<string, unknown>) => unknown]>([
    ['itself', (input) => input],
    ['a BigInt', () => 1n],
  ])('[P-3] is an allow after the request input was changed to contain %s', (_, what) => {
    const asked = { ...writeRequest, input: { file_path: '/f' } };
    const original = request(structuredClone(asked));
    const changed = request(asked);
    const input = changed.input as Record<string, unknown>;
    input.self = what(input);
    const called = { request: changed, context: { signal: new AbortController().signal } as CallbackContext };
    const encode = (decided: unknown) => encodePermission(original, decided, { called });
    expect(encode(allow())).toEqual({ ok: false, problem: expect.stringMatching(/./) });
    expect(encode(allow({ updatedInput: { a: 1 } }))).toMatchObject({
      response: { behavior: 'allow', updatedInput: { a: 1 } },
    });
  });

  it('[P-2, P-3] never throws, and a usable one is plain JSON that allows or denies', () => {
    const junk = fc.anything({ withBigInt: true, withNullPrototype: true });
    const tags = ['allow', 'deny', 'stopTurn', 'answerQuestions', 'decideLater', 'askUser', 'toString'];
    const fields = { reason: junk, updatedInput: junk, updatedPermissions: junk, answers: junk, interrupt: junk };
    const broken = fc.record({ decision: fc.constantFrom(...tags), ...fields }, { requiredKeys: ['decision'] });
    fc.assert(
      fc.property(fc.constantFrom(write, question), fc.oneof(junk, broken), (asked, decided) => {
        const encoding = encodePermission(asked, decided);
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

/** The recorded client answered with the input of the request. */
function recordedWrite(name: string): object {
  const [answered] = sentAnswers(name).filter((sent) => Reflect.get(sent, 'behavior') === 'allow');
  return { tool_name: 'Write', input: Reflect.get(answered ?? {}, 'updatedInput'), tool_use_id: 'toolu_1' };
}

describe('an answer that would run the original input by mistake', () => {
  it.each([
    ['an undefined updatedInput', { decision: 'allow', updatedInput: undefined }, /updatedInput is undefined/],
    ["one in the CLI's own format", { behavior: 'allow', updatedInput: undefined }, /updatedInput is undefined/],
    ['allow() with one', Reflect.apply(allow, undefined, [{ updatedInput: undefined }]), /updatedInput is undefined/],
    ['a field under a symbol', { decision: 'allow', [Symbol('updatedInput')]: { command: 'ls' } }, /has a symbol/],
  ])('[P-2, P-8] is refused: %s', (_, answer, problem) => {
    expect(encodePermission(write, answer)).toMatchObject({ ok: false, problem: expect.stringMatching(problem) });
  });
});
