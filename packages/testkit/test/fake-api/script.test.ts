import { describe, expect, it } from 'vitest';
import { apiError, text } from '../../src/fake-api/reply.ts';
import { type ApiRequest, recordRequest } from '../../src/fake-api/request.ts';
import { playScript } from '../../src/fake-api/script.ts';

describe('playScript', () => {
  it('[K-2] plays a list in order, then the fallback', async () => {
    const source = playScript([text('one'), () => text('two')], text('else'));
    expect(await source.next(main)).toEqual(text('one'));
    expect(await source.next(subagent)).toEqual(text('two'));
    expect(await source.next(main)).toEqual(text('else'));
    expect(await playScript([]).next(main)).toBeUndefined();
  });

  it('[K-2] repeats an error as often as requested', async () => {
    const source = playScript([
      apiError(529, { times: 2 }),
      text('ok'),
      apiError(500, { times: Number.POSITIVE_INFINITY }),
    ]);
    const types: unknown[] = [];
    for (let n = 0; n < 6; n += 1) types.push(Object(await source.next(main)).type);
    expect(types).toEqual(['api_error', 'api_error', 'text', 'api_error', 'api_error', 'api_error']);
  });

  it('[K-2] calls a function for each request', async () => {
    const source = playScript((request) => text(`to ${request.kind}`));
    expect(await source.next(main)).toEqual(text('to main'));
    expect(await source.next(subagent)).toEqual(text('to subagent'));
  });

  it('[K-2] separates subagents with their own replies', async () => {
    const source = playScript({ main: [text('m1'), text('m2')], subagent: [text('s1')] });
    expect(await source.next(main)).toEqual(text('m1'));
    expect(await source.next(subagent)).toEqual(text('s1'));
    expect(await source.next(main)).toEqual(text('m2'));
    expect(await source.next(subagent)).toBeUndefined();
  });

  it('[K-2] answers side requests without using up the script', async () => {
    const source = playScript([text('one')]);
    expect(await source.next(title)).toEqual(text('{"title":"Fake session"}'));
    expect(await source.next(main)).toEqual(text('one'));
    const own = playScript({ aside: (request) => (request.kind === 'title' ? text('mine') : undefined) });
    expect(await own.next(title)).toEqual(text('mine'));
  });
});

const main = request({}, {});
const subagent = request({ 'x-claude-code-agent-id': 'a1' }, {});
const title = request({}, { output_config: { format: {} } });

function request(headers: Record<string, string>, body: object): ApiRequest {
  return recordRequest({ seq: 1, at: 0, method: 'POST', url: '/v1/messages', headers, body: JSON.stringify(body) });
}
