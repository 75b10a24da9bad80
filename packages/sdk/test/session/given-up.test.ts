import { describe, expect, it } from 'vitest';
import { allow, deny } from '../../src/callbacks/decisions.ts';
import type { RunEvent } from '../../src/report/events.ts';
import type { Session } from '../../src/session/session.ts';
import { type FakeCli, type Frame, settle, start } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';
import { assistant } from '../support/say.ts';

/** Waits for the prompt and starts the turn; its reader takes the first message and then pauses. */
async function begun(cli: FakeCli, reader: AsyncIterator<unknown>): Promise<Frame> {
  const first = reader.next();
  const prompt = await cli.got('prompt one');
  cli.begin(prompt);
  await first;
  return prompt;
}

describe('an aborted turn', () => {
  fakeClock();

  it('[S-7, Q-12] by its signal gives the reader the error and no further message; observers receive all, and the next turn is complete', async () => {
    const { session, cli } = await start();
    const controller = new AbortController();
    const turn = session.send('one', { signal: controller.signal });
    const next = session.send('two');
    const reader = turn[Symbol.asyncIterator]();
    const prompt = await begun(cli, reader);
    cli.say(assistant('before'));
    await settle();
    controller.abort(new Error('enough'));
    await cli.got('interrupt');
    const watch = session.messages();
    cli.say(assistant('after'), assistant('long after'));
    cli.print('not JSON\n');
    cli.finish(prompt, 'and out', { is_error: true, terminal_reason: 'aborted_streaming' });
    cli.reply(await cli.got('prompt two'), 'whole');
    await expect(reader.next()).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'enough' } });
    expect(await reader.next()).toEqual({ value: undefined, done: true });
    expect((await watch.next()).value).toMatchObject({ message: { type: 'assistant' }, turn: turn.id });
    const { messages: items } = await next.collect();
    expect(items.map(({ type }) => type)).toEqual(['command_lifecycle', 'system', 'assistant', 'result']);
  });

  it.each([
    ['timeoutMs', { timeoutMs: 1_000 }],
    ['idleTimeoutMs', { idleTimeoutMs: 1_000 }],
  ])('[S-7, Q-12] by its %s gives the reader of items() the error and no further message', async (kind, options) => {
    const { session, cli } = await start();
    const turn = session.send('one', options);
    const reader = turn.items()[Symbol.asyncIterator]();
    const prompt = await begun(cli, reader);
    await pass(1_000);
    await cli.got('interrupt');
    cli.say(assistant('after'));
    cli.print('not JSON\n');
    cli.finish(prompt);
    await session.idle();
    await expect(reader.next()).rejects.toMatchObject({ name: 'TimeoutError', kind });
    expect(await reader.next()).toEqual({ value: undefined, done: true });
  });
});

describe('an observer that receives a permission request first', () => {
  /** A session whose observer acts on events, and the number of canUseTool calls. */
  async function observed(act: (session: Session, id: string) => void): Promise<{
    cli: FakeCli;
    session: Session;
    events: RunEvent[];
    asked: string[];
  }> {
    const asked: string[] = [];
    const events: RunEvent[] = [];
    const { session, cli } = await start({
      canUseTool: ({ id }) => {
        asked.push(id);
        return new Promise(() => {});
      },
      onEvent: (event) => {
        events.push(event);
        if (event.type === 'permission-requested') act(session, event.request.id);
      },
    });
    return { cli, session, events, asked };
  }
  const about = (events: readonly RunEvent[]): string[] =>
    events.map(({ type }) => type).filter((type) => /^(callback|permission)-/.test(type));

  it.each([
    ['allows', allow(), { behavior: 'allow', updatedInput: { file_path: '/f' } }],
    ['denies', deny('not today'), { behavior: 'deny', message: 'not today' }],
  ])('[P-7, S-4] prevents the call of canUseTool if it %s the request immediately', async (_, outcome, answer) => {
    const { cli, session, events, asked } = await observed((to, id) => void to.answerPermission(id, outcome));
    cli.askPermission('p1');
    expect(await cli.answered('p1')).toMatchObject(answer);
    await settle();
    expect(asked).toEqual([]);
    expect(about(events)).toEqual(['permission-requested', 'permission-answered']);
    expect([session.pendingPermissions(), cli.story]).toEqual([[], ['initialize', 'answer p1']]);
  });

  it('[P-7, S-9] denies the request and prevents the call of canUseTool if it closes the session', async () => {
    const { cli, session, events, asked } = await observed((to) => void to.close());
    cli.askPermission('p1');
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'deny', interrupt: true });
    await session.closed;
    expect(asked).toEqual([]);
    expect(about(events)).toEqual(['permission-requested', 'permission-answered']);
    expect(session.state).toBe('stopped');
  });
});
