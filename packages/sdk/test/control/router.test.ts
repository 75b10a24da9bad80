import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CliRequest, type Routed, route } from '../../src/control/router.ts';

/** A frame from the decoder: an object with a string `type` and any other fields. */
function routed(frame: { type: string; [field: string]: unknown }): CliRequest | Routed {
  const where = route(frame);
  return where.kind === 'request' ? where.request : where;
}

describe('an answer of the CLI', () => {
  it.each<[string, object, object]>([
    [
      'is matched by response.request_id',
      { response: { subtype: 'success', request_id: 'req_1', response: { a: 1 } } },
      { id: 'req_1', answer: { ok: true, body: { a: 1 } } },
    ],
    [
      'is matched by the top-level request_id if response has none',
      { request_id: 'req_2', response: { subtype: 'success', response: [] } },
      { id: 'req_2', answer: { ok: true, body: [] } },
    ],
    [
      'is matched by response.request_id if both exist',
      { request_id: 'outer', response: { subtype: 'success', request_id: 'inner' } },
      { id: 'inner', answer: { ok: true, body: undefined } },
    ],
    [
      'has no id if both are missing',
      { response: { subtype: 'success' } },
      { id: undefined, answer: { ok: true, body: undefined } },
    ],
    [
      'has no id if the id is not a string',
      { response: { request_id: 7 } },
      { id: undefined, answer: { ok: true, body: undefined } },
    ],
    [
      'is a success without a body, as 2.1.197 sends it',
      { response: { subtype: 'success', request_id: 'req_14' } },
      { id: 'req_14', answer: { ok: true, body: undefined } },
    ],
    [
      'is a refusal with a code',
      { response: { subtype: 'error', request_id: 'r', error: 'Unsupported', error_code: 'unsupported_request' } },
      { id: 'r', answer: { ok: false, error: 'Unsupported', errorCode: 'unsupported_request' } },
    ],
    [
      'is a refusal even without a message',
      { response: { subtype: 'error', request_id: 'r', error: { deep: true } } },
      { id: 'r', answer: { ok: false, error: '', errorCode: undefined } },
    ],
    [
      'without a response is a success without a body',
      { request_id: 'r' },
      { id: 'r', answer: { ok: true, body: undefined } },
    ],
    [
      'with a null response is a success without a body',
      { request_id: 'r', response: null },
      { id: 'r', answer: { ok: true, body: undefined } },
    ],
  ])('[X-2] %s', (_, frame, expected) => {
    expect(routed({ type: 'control_response', ...frame })).toEqual({ kind: 'response', ...expected });
  });
});

describe('a request of the CLI', () => {
  it.each<[string, object, object]>([
    [
      'is routed by its subtype, with all its fields',
      { request_id: 'u', request: { subtype: 'hook_callback', callback_id: 'hook_0', input: {} } },
      {
        type: 'control_request',
        request_id: 'u',
        request: { subtype: 'hook_callback', callback_id: 'hook_0', input: {} },
      },
    ],
    ['lacks its id', { request: { subtype: 'x' } }, { kind: 'bad-request', id: undefined, missing: 'request_id' }],
    [
      'has an id other than a string',
      { request_id: 1, request: { subtype: 'x' } },
      { kind: 'bad-request', id: undefined, missing: 'request_id' },
    ],
    ['lacks its body', { request_id: 'u' }, { kind: 'bad-request', id: 'u', missing: 'request' }],
    [
      'has a body other than an object',
      { request_id: 'u', request: 'x' },
      { kind: 'bad-request', id: 'u', missing: 'request' },
    ],
    ['has a null body', { request_id: 'u', request: null }, { kind: 'bad-request', id: 'u', missing: 'request' }],
    [
      'lacks its subtype',
      { request_id: 'u', request: {} },
      { kind: 'bad-request', id: 'u', missing: 'request.subtype' },
    ],
  ])('[X-4] %s', (_, frame, expected) => {
    expect(routed({ type: 'control_request', ...frame })).toEqual(expected);
  });

  it('[X-4, H-8] is withdrawn by a cancel frame with its id', () => {
    expect(routed({ type: 'control_cancel_request', request_id: 'u' })).toEqual({ kind: 'cancel', id: 'u' });
    expect(routed({ type: 'control_cancel_request' })).toEqual({ kind: 'cancel', id: undefined });
  });
});

describe('any other frame', () => {
  it('[X-4] is ignored if it is keep_alive', () => {
    expect(routed({ type: 'keep_alive' })).toEqual({ kind: 'ignore' });
  });

  it.each(['assistant', 'user', 'system', 'result', 'stream_event', 'control_news', ''])(
    '[W-6] %j is a message',
    (type) => {
      expect(routed({ type })).toEqual({ kind: 'message' });
    },
  );

  it('[X-2, X-4, W-6] has exactly one route; every frame except control frames is a message', () => {
    const control = ['control_request', 'control_response', 'control_cancel_request', 'keep_alive'];
    const frame = fc.record(
      {
        type: fc.oneof(fc.constantFrom(...control), fc.string()),
        request_id: fc.oneof(fc.string(), fc.jsonValue()),
        request: fc.oneof(fc.record({ subtype: fc.jsonValue() }, { requiredKeys: [] }), fc.jsonValue()),
        response: fc.oneof(
          fc.record(
            { subtype: fc.constantFrom('success', 'error', null), request_id: fc.jsonValue(), error: fc.jsonValue() },
            { requiredKeys: [] },
          ),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(frame, (any) => {
        const where = routed(any);
        const kind = 'kind' in where ? where.kind : 'request';
        const expected: Readonly<Record<string, readonly string[]>> = {
          control_request: ['request', 'bad-request'],
          control_response: ['response'],
          control_cancel_request: ['cancel'],
          keep_alive: ['ignore'],
        };
        expect(Object.hasOwn(expected, any.type) ? expected[any.type] : ['message']).toContain(kind);
      }),
    );
  });
});
