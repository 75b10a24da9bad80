import { text, until } from '@coxswain/testkit';
import { type Message, outcomeOf, type Session, textOf } from 'coxswain';
import type { ObservedMessage } from 'coxswain/observe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gate } from '../harness/gate.ts';
import { testedVersions } from '../harness/real-cli.ts';
import { openStage, type Stage } from './stage.ts';

const SCRIPT = [text('first answer'), text('second answer'), text('third answer')];

describe.concurrent.each(testedVersions)('a session with %s', (version) => {
  const gate = new Gate();
  let stage: Stage;
  let session: Session;

  beforeAll(async () => {
    stage = await openStage([[until(gate.opened), text('first answer')], ...SCRIPT.slice(1), ...SCRIPT], { version });
    session = await stage.start();
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  it.sequential('[S-3] accepts three prompts at the same time and answers each separately, in order', async () => {
    const turns = ['first prompt', 'second prompt', 'third prompt'].map((prompt) => session.send(prompt));
    await stage.api.waitForRequest((request) => request.isMainConversation);
    gate.open();
    const ended: string[] = [];
    const read = async (turn: (typeof turns)[number]): Promise<string> => {
      const answer = await turn.text();
      ended.push(answer);
      return answer;
    };
    expect(await Promise.all(turns.map(read))).toEqual(['first answer', 'second answer', 'third answer']);
    expect(ended).toEqual(['first answer', 'second answer', 'third answer']);
    expect(turns.map((turn) => turn.results.length)).toEqual([1, 1, 1]);
    expect(stage.api.conversation.map((request) => stage.history(request).length)).toEqual([1, 3, 5]);
    expect(stage.history()).toEqual(['first prompt', 'first answer', 'second prompt', 'second answer', 'third prompt']);
  });
  it.sequential('[S-3, S-4] remembers the first turn in the second, and delivers all messages of both to observers', async () => {
    await session.clear();
    const before = stage.api.conversation.length;
    const { pid } = session;
    const early = watch(session);
    const first = session.send('first prompt');
    const firstItems: Message[] = [];
    for await (const message of first) firstItems.push(message);
    expect(firstItems.map(({ type }) => type).filter((type) => type !== 'command_lifecycle')).toEqual([
      'system',
      'assistant',
      'result',
    ]);
    expect(firstItems.filter((message) => message.type === 'assistant').map(textOf)).toEqual(['first answer']);
    expect(await first.text()).toBe('first answer');

    const late = watch(session);
    const second = session.send('second prompt');
    expect(outcomeOf(await second.result()).kind).toBe('completed');
    expect(await second.text()).toBe('second answer');
    const { messages: secondItems } = await second.collect();
    expect(secondItems.filter((message) => message.type === 'system' && message.subtype === 'init')).toHaveLength(1);
    expect(secondItems.filter((message) => message.type === 'result')).toEqual([await second.result()]);
    expect(stage.history()).toEqual(['first prompt', 'first answer', 'second prompt']);
    expect(session.pid).toBe(pid);
    expect(stage.api.conversation).toHaveLength(before + 2);
    await session.close();

    const isEcho = ({ message }: ObservedMessage): boolean => message.type === 'user' && message.isReplay === true;
    const seen = await early;
    expect(seen.filter(isEcho).map(({ turn }) => turn)).toEqual([first.id, second.id]);
    const of = (id: string): Message[] =>
      seen.filter((item) => item.turn === id && !isEcho(item)).map(({ message }) => message);
    expect(of(first.id)).toEqual(firstItems);
    expect(of(second.id)).toEqual(secondItems);
    for (const { message, rawJson } of seen) expect(JSON.parse(rawJson)).toEqual(message);
    expect(seen.some(({ message }) => message.type.startsWith('control_'))).toBe(false);

    const seenLate = await late;
    expect(seenLate.some(({ turn }) => turn === first.id)).toBe(false);
    expect(seenLate).toEqual(seen.slice(-seenLate.length));
  });
});

async function watch(session: Session): Promise<ObservedMessage[]> {
  const seen: ObservedMessage[] = [];
  for await (const item of session.messages()) if (item.kind === 'message') seen.push(item);
  return seen;
}
