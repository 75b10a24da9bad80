import { type Reply, text, toolUse, until } from '@coxswain/testkit';
import { outcomeOf, type Session } from 'coxswain';
import { TurnCancelledError } from 'coxswain/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gate } from '../harness/gate.ts';
import { testedVersions } from '../harness/real-cli.ts';
import { openStage, type Stage } from './stage.ts';

const FOREVER = until(new Promise(() => {}));

/** A command that does not end; 2.1.325 refuses a plain `sleep` in the foreground. */
const WAITING = 'tail -f /dev/null';

describe.concurrent.each(testedVersions)('interrupting %s', (version) => {
  const gate = new Gate();
  /** By prompt, not in order: an interrupt may precede the CLI's first request. */
  const replies: Readonly<Record<string, Reply>> = {
    'first prompt': [until(gate.opened), text('first answer')],
    'third prompt': text('third answer'),
    'speak at length': [text('I say this, at length. '.repeat(40), { chunkSize: 20, everyMs: 30 }), FOREVER],
    'go on after that': text('I go on'),
    'run it': toolUse('Bash', { command: WAITING }),
    'run no more': text('I do not'),
    'take too long': FOREVER,
    'be aborted': FOREVER,
    'be yourself again': text('I am'),
  };
  let stage: Stage;
  let session: Session;

  beforeAll(async () => {
    stage = await openStage(({ lastUserText }) => replies[lastUserText] ?? text(`nobody says: ${lastUserText}`), {
      version,
    });
    session = await stage.start({ includePartialMessages: true, allowedTools: ['Bash'] });
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  it.sequential('[S-3] cancels a queued turn: its prompt is never sent', async () => {
    const [first, second, third] = ['first prompt', 'second prompt', 'third prompt'].map((prompt) =>
      session.send(prompt),
    );
    await stage.api.waitForRequest((request) => request.isMainConversation);
    await second?.interrupt();
    await expect(second?.text()).rejects.toBeInstanceOf(TurnCancelledError);
    gate.open();
    expect(await first?.text()).toBe('first answer');
    expect(await third?.text()).toBe('third answer');
    expect(stage.history()).toEqual(['first prompt', 'first answer', 'third prompt']);
  });

  it.sequential('[X-1, S-3] while the model is answering ends the turn, not the session', async () => {
    const turn = session.send('speak at length');
    for await (const message of turn) {
      if (message.type !== 'stream_event' || message.event.type !== 'content_block_delta') continue;
      expect(await turn.interrupt()).toEqual({ stillQueued: [] });
      break;
    }
    expect(outcomeOf(await turn.result())).toMatchObject({ kind: 'interrupted', during: 'streaming' });
    await expect(turn.text()).rejects.toMatchObject({ code: 'result', outcome: 'interrupted' });
    expect(await session.send('go on after that').text()).toBe('I go on');
    const history = JSON.stringify(stage.api.conversation.at(-1)?.body.messages);
    for (const words of ['speak at length', 'I say this', 'go on after that']) expect(history).toContain(words);
    const [spoken] = stage.api.conversation.filter(({ lastUserText }) => lastUserText === 'speak at length');
    expect(spoken?.state).toBe('aborted');
  });

  it.sequential('[X-1, S-3] while a tool runs ends the tool too', async () => {
    const turn = session.send('run it');
    const next = session.send('run no more');
    await stage.runs(WAITING);
    await session.interrupt();
    const { messages: items } = await turn.collect();
    expect(
      items.filter((message) => message.type === 'user').map(({ message }) => JSON.stringify(message.content)),
    ).toContainEqual(expect.stringContaining('[Request interrupted by user for tool use]'));
    expect(outcomeOf(await turn.result())).toMatchObject({ kind: 'interrupted', during: 'tools' });
    expect(await next.text()).toBe('I do not');
    // The CLI reports the result without waiting until the process of the tool has exited.
    await stage.ended(WAITING);
    expect(await session.interrupt()).toEqual({ stillQueued: [] });
  });

  it.sequential('[S-7] by a turn’s own timeout or signal does not end the session', async () => {
    const startedAt = performance.now();
    const late = session.send('take too long', { timeoutMs: 400 });
    await expect(late.text()).rejects.toMatchObject({ code: 'timeout', kind: 'timeoutMs', ms: 400 });
    expect(performance.now() - startedAt).toBeLessThan(10_000);

    const controller = new AbortController();
    const aborted = session.send('be aborted', { signal: controller.signal });
    const failure = aborted.text().catch((error: unknown) => error);
    await stage.api.waitForRequest((request) => request.lastUserText === 'be aborted');
    controller.abort('enough');
    expect(await failure).toMatchObject({ code: 'abort', cause: 'enough' });
    expect(await session.send('be yourself again').text()).toBe('I am');
    expect(session.state).toBe('running');
  });
});
