import { type ApiRequest, type Reply, text, toolUse, until } from '@coxswain/testkit';
import { isStreamEvent, isUser, outcomeOf, TurnCancelledError } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { Gate, openStage } from './stage.ts';

const FOREVER = until(new Promise(() => {}));

/** A command that does not end; 2.1.325 refuses a mere `sleep` in the foreground. */
const WAITING = 'tail -f /dev/null';

describe.concurrent.each(testedVersions)('interrupting %s', (version) => {
  it('[X-1, S-3] while it speaks ends the turn, not the session', async () => {
    const slow = text('first answer, at length. '.repeat(40), { chunkSize: 20, everyMs: 30 });
    await using stage = await openStage([[slow, FOREVER], text('second answer')], { version });
    const session = await stage.start({ includePartialMessages: true });
    const turn = session.send('first prompt');
    for await (const message of turn) {
      if (!isStreamEvent(message) || message.event.type !== 'content_block_delta') continue;
      expect(await turn.interrupt()).toEqual({ stillQueued: [] });
      break;
    }
    expect(outcomeOf(await turn.result())).toMatchObject({ kind: 'interrupted', during: 'streaming' });
    await expect(turn.text()).rejects.toMatchObject({ code: 'result', outcome: 'interrupted' });
    expect(await session.send('second prompt').text()).toBe('second answer');
    expect(stage.said()).toEqual(expect.arrayContaining(['first prompt', 'first answer', 'second prompt']));
    expect(stage.api.conversation[0]?.state).toBe('aborted');
  });

  it('[X-1, S-3] while a tool runs ends the tool too', async () => {
    await using stage = await openStage([toolUse('Bash', { command: WAITING }), text('second answer')], { version });
    const session = await stage.start({ allowedTools: ['Bash'] });
    const turn = session.send('first prompt');
    const next = session.send('second prompt');
    await stage.runs(WAITING);
    await session.interrupt();
    const { items } = await turn.collect();
    expect(items.filter(isUser).map(({ message }) => JSON.stringify(message.content))).toContainEqual(
      expect.stringContaining('[Request interrupted by user for tool use]'),
    );
    expect(outcomeOf(await turn.result())).toMatchObject({ kind: 'interrupted', during: 'tools' });
    expect(await next.text()).toBe('second answer');
    expect(stage.processes().some(({ command }) => command === WAITING)).toBe(false);
    expect(await session.interrupt()).toEqual({ stillQueued: [] });
  });

  it('[S-3] takes a turn back that waits: its prompt is never sent', async () => {
    const gate = new Gate();
    const script = [[until(gate.opened), text('first answer')], text('third answer')];
    await using stage = await openStage(script, { version });
    const session = await stage.start();
    const [first, second, third] = ['first prompt', 'second prompt', 'third prompt'].map((prompt) =>
      session.send(prompt),
    );
    await stage.api.waitForRequest((request) => request.isMainConversation);
    await second?.interrupt();
    await expect(second?.text()).rejects.toBeInstanceOf(TurnCancelledError);
    gate.open();
    expect(await first?.text()).toBe('first answer');
    expect(await third?.text()).toBe('third answer');
    expect(stage.said()).toEqual(['first prompt', 'first answer', 'third prompt']);
  });

  it('[S-7] by a turn’s own timeout or signal lets the session go on', async () => {
    // By prompt, not in order: the timeout may come before the CLI has asked the API at all.
    const answer = ({ lastUserText }: ApiRequest): Reply =>
      lastUserText === 'third prompt' ? text('third answer') : FOREVER;
    await using stage = await openStage(answer, { version });
    const session = await stage.start();
    const startedAt = performance.now();
    const late = session.send('first prompt', { timeoutMs: 400 });
    await expect(late.text()).rejects.toMatchObject({ code: 'timeout', kind: 'timeoutMs', ms: 400 });
    expect(performance.now() - startedAt).toBeLessThan(1_500);

    const controller = new AbortController();
    const aborted = session.send('second prompt', { signal: controller.signal });
    const failure = aborted.text().catch((error: unknown) => error);
    await stage.api.waitForRequest((request) => request.lastUserText === 'second prompt');
    controller.abort('enough');
    expect(await failure).toMatchObject({ code: 'abort', cause: 'enough' });
    expect(await session.send('third prompt').text()).toBe('third answer');
    expect(session.state).toBe('running');
  });
});
