import { type ApiRequest, type Reply, text, toolUse, until } from '@coxswain/testkit';
import { deny, type Message, outcomeOf, type Session, type Turn, textOf } from 'coxswain';
import { TurnEndedError } from 'coxswain/errors';
import type { ObservedMessage } from 'coxswain/observe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gate } from '../harness/gate.ts';
import { testedVersions } from '../harness/real-cli.ts';
import { openStage, type Stage } from './stage.ts';

describe.concurrent.each(testedVersions)('steering %s', (version) => {
  const replies: Reply[] = [];
  /** The number of requests before the test. */
  let before = 0;
  let stage: Stage;
  let session: Session;

  beforeAll(async () => {
    stage = await openStage(() => replies.shift() ?? text('unexpected request'), { version });
    session = await stage.start({ allowedTools: ['Bash'] });
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  /** Starts a new conversation with these answers of the model. */
  const begin = async (...answers: Reply[]): Promise<void> => {
    await session.clear();
    replies.splice(0, replies.length, ...answers);
    before = stage.api.requests.length;
  };
  const requests = (): ApiRequest[] => stage.api.conversation.filter(({ seq }) => seq > before);
  const asked = (): Promise<unknown> =>
    stage.api.waitForRequest(({ isMainConversation, seq }) => isMainConversation && seq > before);

  it.sequential('[S-3] while a tool runs: the text reaches the model in the same turn, after the tool', async () => {
    await begin(untilThereIs('go'), text('second answer'), text('third answer'));
    const { turn, next } = await steeredAtItsTool(stage, session);

    const { messages: items } = await turn.collect();
    expect(await turn.text()).toBe('second answer');
    expect(turn.results).toHaveLength(1);
    expect(items.filter((message) => message.type === 'system' && message.subtype === 'init')).toHaveLength(1);
    expect(items.filter((message) => message.type === 'user').filter(({ isReplay }) => isReplay)).toEqual([]);
    const [, second] = requests();
    expect(stage.history(second)).toEqual(['first prompt', 'second prompt']);
    expect(second?.toolResults).toMatchObject([{ text: 'bash-finished' }]);
    expect(await next.text()).toBe('third answer');
    await expect(turn.steer('too late')).rejects.toBeInstanceOf(TurnEndedError);
  });

  it.sequential('[S-3] while the model is answering: it finishes its message, then answers in the same turn', async () => {
    const gate = new Gate();
    await begin([text('first answer'), until(gate.opened)], text('second answer'), text('third answer'));
    const turn = session.send('first prompt');
    const next = session.send('third prompt');
    await asked();
    await steer(session, turn);
    gate.open();

    const { messages: items } = await turn.collect();
    expect(await turn.text()).toBe('second answer');
    expect(turn.results.map(textOf)).toEqual(['first answer', 'second answer']);
    expect(items.filter((message) => message.type === 'user')).toEqual([]);
    expect(await next.text()).toBe('third answer');
    expect(stage.history()).toEqual(['first prompt', 'first answer', 'second prompt', 'second answer', 'third prompt']);
  });

  it.sequential('[S-3, X-1] is cancelled by an interrupt: the turn ends, and the next one does not contain the steered text', async () => {
    await begin(untilThereIs('never'), text('third answer'), text('no answer'));
    const turn = session.send('first prompt');
    const next = session.send('third prompt');
    await stage.runs('sleep 0.05');
    await turn.steer('second prompt');
    await turn.interrupt();
    expect(outcomeOf(await turn.result())).toMatchObject({ kind: 'interrupted', during: 'tools' });
    expect(turn.results).toHaveLength(1);
    expect(await next.text()).toBe('third answer');
    expect(stage.history()).toEqual(['first prompt', 'third prompt']);
  });

  it.sequential('[S-3] with a raw frame starts a turn without a prompt of the SDK, and the next prompt still gets its own answer', async () => {
    const gate = new Gate();
    await begin([until(gate.opened), text('first answer')], text('second answer'));
    const seen: ObservedMessage[] = [];
    const watched = (async () => {
      for await (const item of session.messages()) if (item.kind === 'message') seen.push(item);
    })();
    await session.push({ type: 'user', message: { role: 'user', content: 'first prompt' } });
    await asked();
    const turn = session.send('second prompt');
    gate.open();
    expect(await turn.text()).toBe('second answer');
    const { messages: items } = await turn.collect();
    expect(items.filter((message) => message.type === 'result')).toHaveLength(1);
    expect(JSON.stringify(items)).not.toContain('first answer');

    await session.close();
    await watched;
    const results = seen.filter(({ message }) => message.type === 'result');
    expect(results.map(({ turn: id, message }) => [id, textOf(message)])).toEqual([
      [null, 'first answer'],
      [turn.id, 'second answer'],
    ]);
  });
});

describe.concurrent.each(testedVersions)('steering %s with a hook that refuses it', (version) => {
  /** In 2.1.197 the hook does not run for a prompt that joins a turn. */
  const putToHook = version !== '2.1.197';
  const replies: Reply[] = [];
  /** The prompts of the hook requests. */
  const asked: string[] = [];
  let stage: Stage;
  let session: Session;

  beforeAll(async () => {
    stage = await openStage(() => replies.shift() ?? text('unexpected request'), { version });
    session = await stage.start({
      allowedTools: ['Bash'],
      hooks: {
        UserPromptSubmit: ({ prompt }) => {
          asked.push(prompt);
          return prompt === 'second prompt' ? deny('not that one') : undefined;
        },
      },
    });
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  const begin = async (...answers: Reply[]): Promise<void> => {
    await session.clear();
    replies.splice(0, replies.length, ...answers);
    asked.length = 0;
  };

  it.sequential('[S-3, H-4] while a tool runs: the turn ends, and the next one works', async () => {
    await begin(untilThereIs('go'), text('second answer'), text('third answer'));
    const { turn, next } = await steeredAtItsTool(stage, session);

    const { messages: items } = await turn.collect();
    expect(await turn.text()).toBe('second answer');
    expect(turn.results).toHaveLength(1);
    expect(items.filter((message) => message.type === 'user').filter(({ isReplay }) => isReplay)).toEqual([]);
    expect(await next.text()).toBe('third answer');
    const delivered = putToHook ? [] : ['second prompt'];
    expect(stage.history()).toEqual(['first prompt', ...delivered, 'second answer', 'third prompt']);
    expect(asked).toEqual(['first prompt', ...(putToHook ? ['second prompt'] : []), 'third prompt']);
    expect(items.some(isRefusal)).toBe(putToHook);
  });

  it.sequential('[S-3, H-4] while the model is answering: it finishes its message, the turn ends, and the next one works', async () => {
    const gate = new Gate();
    const before = stage.api.requests.length;
    await begin([text('first answer'), until(gate.opened)], text('third answer'));
    const turn = session.send('first prompt');
    const next = session.send('third prompt');
    await stage.api.waitForRequest(({ isMainConversation, seq }) => isMainConversation && seq > before);
    await steer(session, turn);
    gate.open();

    const { messages: items } = await turn.collect();
    expect(turn.results.map(textOf)).toEqual(['first answer', expect.stringContaining('not that one')]);
    expect(outcomeOf(await turn.result())).toMatchObject({ kind: 'stopped-by-hook' });
    expect(items.some(isRefusal)).toBe(true);
    expect(await next.text()).toBe('third answer');
    expect(stage.history()).toEqual(['first prompt', 'first answer', 'third prompt']);
    expect(asked).toEqual(['first prompt', 'second prompt', 'third prompt']);
    await session.idle();
  });
});

/** The CLI's message about a prompt that a hook has refused. */
function isRefusal(message: Message): boolean {
  return message.type === 'system' && JSON.stringify(message).includes('not that one');
}

/** Steers a turn while its Bash runs until `go` exists, with another turn queued behind it. */
async function steeredAtItsTool(stage: Stage, session: Session): Promise<{ turn: Turn; next: Turn }> {
  const turn = session.send('first prompt');
  const next = session.send('third prompt');
  await stage.runs('sleep 0.05');
  await steer(session, turn);
  await stage.touch('go');
  return { turn, next };
}

/** Steers a turn, and resolves when the CLI has read it. */
async function steer(session: Session, turn: Turn): Promise<void> {
  await turn.steer('second prompt');
  // The CLI reads its input in order: once this is answered, it has the steering too.
  await session.request('get_binary_version');
}

/** Runs until the test creates a file. */
function untilThereIs(name: string): Reply {
  return toolUse('Bash', { command: `while [ ! -e ${name} ]; do sleep 0.05; done; echo bash-finished` });
}
