import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/conversation/turn.ts';
import type { Session } from '../../src/session/session.ts';
import { FakeCli, type Frame, refusal, settle, start, success } from '../support/fake-cli.ts';
import { assistant, INIT, result } from '../support/say.ts';

const REFUSED = { type: 'system', subtype: 'informational', content: 'UserPromptSubmit operation blocked by hook' };
const TOOL_RESULT = {
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'u', content: 'ran' }] },
};
const lifecycle = (uuid: string | undefined, state: string): object => ({
  type: 'command_lifecycle',
  command_uuid: uuid,
  state,
});
const naming = (uuid: string | undefined, text: string): object =>
  result({ result: text, user_message_uuid: uuid, user_message_uuids: [uuid] });

interface Steered {
  readonly session: Session;
  readonly cli: FakeCli;
  readonly turn: Turn;
  readonly next: Turn;
  readonly prompt: Frame;
  readonly added: Frame;
}

/** A turn with an added prompt, and another turn that waits. */
async function steered(cli = new FakeCli(), names = true): Promise<Steered> {
  const { session } = await start({ limits: { interruptTimeoutMs: 100 } }, cli);
  const turn = session.send('one');
  const next = session.send('two');
  const prompt = await cli.got('prompt one');
  if (names) cli.begin(prompt);
  else cli.say(INIT, { ...prompt, isReplay: true });
  await turn.steer('refused');
  return { session, cli, turn, next, prompt, added: await cli.got('prompt refused') };
}

/** Expects the turn to end with this answer, and the next turns to run. */
async function expectToGoOn({ session, cli, turn, next }: Steered, texts: readonly string[]): Promise<void> {
  expect(await turn.text()).toBe(texts.at(-1));
  expect(turn.results.map((one) => Reflect.get(one, 'result'))).toEqual(texts);
  cli.reply(await cli.got('prompt two'), 'second');
  expect(await next.text()).toBe('second');
  const more = session.send('three');
  cli.reply(await cli.got('prompt three'), 'third');
  expect(await more.text()).toBe('third');
  await session.idle();
}

describe('a steered prompt that a hook refuses', () => {
  it('[S-3, H-4] in the turn it joins, as reported by 2.1.325, ends the turn with its own result', async () => {
    const stage = await steered();
    const { cli, turn, added } = stage;
    cli.say(
      lifecycle(added.uuid, 'queued'),
      TOOL_RESULT,
      lifecycle(added.uuid, 'started'),
      lifecycle(added.uuid, 'completed'),
      REFUSED,
      assistant('first'),
      naming(turn.id, 'first'),
      lifecycle(turn.id, 'completed'),
    );
    await expectToGoOn(stage, ['first']);
  });

  it('[S-3, H-4] in a separate run, as reported by 2.1.325, ends the turn with that result', async () => {
    const stage = await steered();
    const { cli, turn, added } = stage;
    cli.say(lifecycle(added.uuid, 'queued'), naming(turn.id, 'first'), lifecycle(turn.id, 'completed'));
    await settle();
    expect(cli.story).not.toContain('prompt two');
    cli.say(
      lifecycle(added.uuid, 'started'),
      { ...INIT, user_message_uuids: [added.uuid] },
      REFUSED,
      naming(added.uuid, ''),
      lifecycle(added.uuid, 'completed'),
    );
    await expectToGoOn(stage, ['first', '']);
    const { messages: items } = await turn.collect();
    expect(items.map(({ type }) => type).filter((type) => type !== 'command_lifecycle')).toEqual([
      'system',
      'result',
      'system',
      'system',
      'result',
    ]);
  });

  it('[S-3, H-4] in a separate run, as reported by 2.1.197, ends the turn with the second result', async () => {
    const stage = await steered(new FakeCli(), false);
    const { cli } = stage;
    cli.say(assistant('first'), result({ result: 'first' }));
    await settle();
    expect(cli.story).not.toContain('prompt two');
    cli.say(INIT, REFUSED, result({ result: '' }));
    await expectToGoOn(stage, ['first', '']);
  });

  it('[S-3, H-4] is not ended by the result of a task in between', async () => {
    const stage = await steered(new FakeCli(), false);
    const { cli } = stage;
    cli.say(result({ result: 'first' }), INIT, result({ result: 'task', origin: { kind: 'task-notification' } }));
    await settle();
    expect(cli.story).not.toContain('prompt two');
    cli.say(INIT, REFUSED, result({ result: '' }));
    expect(await stage.turn.text()).toBe('');
    cli.reply(await cli.got('prompt two'));
    await stage.next.result();
  });

  it('[S-3, H-4] is one of two in the turn they join, as reported by 2.1.325', async () => {
    const stage = await steered();
    const { cli, turn, added } = stage;
    await turn.steer('taken');
    const taken = await cli.got('prompt taken');
    cli.say(
      lifecycle(added.uuid, 'queued'),
      lifecycle(taken.uuid, 'queued'),
      TOOL_RESULT,
      lifecycle(added.uuid, 'started'),
      lifecycle(added.uuid, 'completed'),
      REFUSED,
      { ...taken, isReplay: true },
      lifecycle(taken.uuid, 'started'),
      assistant('first'),
      lifecycle(taken.uuid, 'completed'),
      naming(turn.id, 'first'),
      lifecycle(turn.id, 'completed'),
    );
    await expectToGoOn(stage, ['first']);
  });

  it('[S-3, H-4] is merged with another by 2.1.325, in a separate turn', async () => {
    const stage = await steered();
    const { cli, turn, added } = stage;
    await turn.steer('with it');
    const { uuid } = await cli.got('prompt with it');
    cli.say(
      lifecycle(added.uuid, 'queued'),
      lifecycle(uuid, 'queued'),
      naming(turn.id, 'first'),
      lifecycle(turn.id, 'completed'),
      { ...added, isReplay: true },
      lifecycle(added.uuid, 'started'),
      lifecycle(uuid, 'started'),
      INIT,
      REFUSED,
      result({ result: 'blocked', user_message_uuid: uuid, user_message_uuids: [added.uuid, uuid] }),
      lifecycle(added.uuid, 'completed'),
      lifecycle(uuid, 'completed'),
    );
    await expectToGoOn(stage, ['first', 'blocked']);
  });
});

describe('interrupting a turn with a result and an unacknowledged addition', () => {
  it.each([
    ['the CLI does not know the addition', success({ cancelled: false })],
    ['the CLI does not support withdrawing it', refusal('Unsupported control request subtype', 'unsupported_request')],
  ])('[S-3, X-1] ends the turn: %s', async (_, cancel) => {
    const stage = await steered(new FakeCli({ cancel_async_message: cancel }));
    const { cli, turn } = stage;
    cli.say(naming(turn.id, 'first'), lifecycle(turn.id, 'completed'));
    await settle();
    expect(cli.story).not.toContain('prompt two');
    await turn.interrupt();
    await expectToGoOn(stage, ['first']);
  });
});

it('[S-3, H-4] two steered prompts that 2.1.197 merges and a hook refuses end with their separate turn', async () => {
  const { cli, turn, next, added } = await steered(new FakeCli(), false);
  await turn.steer('with it');
  const echo = { ...added, isReplay: true }; // The last one has no echo.
  cli.say(result({ result: 'first' }), echo, INIT, REFUSED, result({ result: 'blocked' }));
  cli.reply(await cli.got('prompt two'));
  await next.result();
  expect(turn.results).toMatchObject([{ result: 'first' }, { result: 'blocked' }]);
});

it('[S-3, H-4] a pushed frame that 2.1.197 merges with a prompt and a hook refuses delays the next prompt for a limited time', async () => {
  const cli = new FakeCli();
  const { session } = await start({ limits: { interruptTimeoutMs: 100 } }, cli);
  const turn = session.send('one');
  const next = session.send('two');
  const prompt = await cli.got('prompt one');
  await session.push({ type: 'user', message: { role: 'user', content: 'raw' } });
  cli.say({ ...prompt, isReplay: true }, INIT, REFUSED, result({ result: 'blocked' })); // The frame is not acknowledged.
  await turn.result();
  expect(cli.story).not.toContain('prompt two');
  cli.reply(await cli.got('prompt two'), 'second');
  expect(await next.text()).toBe('second');
  await session.idle();
});
