import { describe, expect, it } from 'vitest';
import { isUnknownMessage } from '../../src/wire/unknown.ts';
import { inMemory } from '../support/memory-transport.ts';
import { result } from '../support/say.ts';

async function read(...messages: readonly object[]) {
  const run = inMemory();
  run.transport.say(...messages, result());
  run.transport.end();
  const { messages: items } = await run.stream.collect();
  return { items: items.slice(0, -1), warnings: run.warnings };
}

describe('unknown output of the CLI', () => {
  it('[W-6] is passed on unchanged, with one warning per unknown type', async () => {
    const news = [{ type: 'news', a: { b: [1] } }, { type: 'more' }, { type: 'news', a: 2 }, { type: 'news' }];
    const { items, warnings } = await read(...news);
    expect(items).toEqual(news);
    expect(items.every(isUnknownMessage)).toBe(true);
    expect(warnings).toMatchObject([
      { code: 'unknown-message-type', context: { type: 'news' } },
      { code: 'unknown-message-type', context: { type: 'more' } },
    ]);
  });

  it('[P-5] causes one warning for a rule whose tool is not listed', async () => {
    const run = inMemory({ allowedTools: ['Read', 'Wirte(./src/**)'] });
    const init = { type: 'system', subtype: 'init', tools: ['Read', 'Write'] };
    run.transport.say(init, init, { type: 'system', subtype: 'init', tools: 7 }, result());
    run.transport.end();
    await run.stream.collect();
    expect(run.warnings).toMatchObject([
      { code: 'unknown-tool', context: { rule: 'Wirte(./src/**)', meant: 'Write' } },
    ]);
  });

  it('[W-6] causes one warning per type in each stream', async () => {
    for (const _ of [1, 2]) expect((await read({ type: 'news' })).warnings).toHaveLength(1);
  });

  it('[W-6] is passed on without a warning for unknown subtypes, blocks and fields', async () => {
    const odd = [
      { type: 'system', subtype: 'from_the_future', x: 1 },
      { type: 'assistant', message: { content: [{ type: 'hologram', depth: 3 }] }, extra: null },
      { type: 'assistant' },
      { type: 'user', message: 'not an object' },
      { type: 'system' },
    ];
    expect(await read(...odd)).toEqual({ items: odd, warnings: [] });
  });

  it('[W-6, M-3] ends the run if it is a result of an unknown kind', async () => {
    const run = inMemory();
    run.transport.say({ type: 'result', subtype: 'error_of_a_new_kind', is_error: true });
    run.transport.end(1);
    expect(await run.stream.collect()).toMatchObject({ messages: [{ subtype: 'error_of_a_new_kind' }], warnings: [] });
  });

  it('[W-6, W-8] needs only a type, and hostile keys cause no pollution', async () => {
    const run = inMemory();
    run.transport.print(
      '{"type":"assistant","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\n{"type":"result"}\n',
    );
    run.transport.end();
    const { messages: items } = await run.stream.collect();
    expect(items.map(({ type }) => type)).toEqual(['assistant', 'result']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(run.warnings).toEqual([]);
  });

  it('[Q-8, W-6] does not delay the end with task messages without an id or with a wrong one', async () => {
    const run = inMemory();
    run.transport.say(
      { type: 'system', subtype: 'task_started' },
      { type: 'system', subtype: 'background_tasks_changed', tasks: [null, 3, { id: 4 }] },
      { type: 'system', subtype: 'task_notification', task_id: {} },
      result(),
    );
    const iterator = run.stream[Symbol.asyncIterator]();
    for (let count = 0; count < 4; count += 1) await iterator.next();
    expect(run.stream.results).toEqual([result()]);
    expect(run.stream.state).toBe('pending-end');
  });
});
