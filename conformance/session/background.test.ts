import { delay, text, toolUse, until } from '@coxswain/testkit';
import { isAssistant, isResult, type ObservedMessage, type Session, textOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { Gate, openStage, type Stage } from './stage.ts';

/** Ends once the test makes the file `end`. */
const LONG = toolUse('Bash', { command: 'while [ ! -e end ]; do sleep 0.04; done', run_in_background: true });

const AGENT = {
  description: 'look',
  prompt: 'Look around.',
  subagent_type: 'general-purpose',
  run_in_background: true,
};

describe.concurrent.each(testedVersions)('a background task of %s', (version) => {
  it('[S-3, S-4] that is a Bash brings a turn nobody sent, and idle() waits for it', async () => {
    const script = [LONG, text('launched'), text('it is done'), text('second answer')];
    await using stage = await openStage(script, { version });
    const session = await stage.start({ allowedTools: ['Bash'] });
    const seen = watch(session);
    const turn = session.send('first prompt');
    expect(await turn.text()).toBe('launched');
    await stage.touch('end');
    await session.idle();
    expect(stage.api.conversation).toHaveLength(3);

    const next = session.send('second prompt');
    expect(await next.text()).toBe('second answer');
    expect(turn.results).toHaveLength(1);
    await session.stop();
    expect(await seen).toEqual([
      [turn.id, 'launched'],
      [null, 'it is done'],
      [next.id, 'second answer'],
    ]);
  });

  it('[S-3, S-4] that is a subagent does so too', async () => {
    const main = [toolUse('Agent', AGENT), text('launched'), text('the agent says: all clear')];
    await using stage = await openStage({ main, subagent: [[delay(500), text('all clear')]] }, { version });
    const session = await stage.start();
    const seen = watch(session);
    const turn = session.send('first prompt');
    expect(await turn.text()).toBe('launched');
    await session.idle();
    await session.stop();
    expect(await seen).toEqual([
      [turn.id, 'launched'],
      [null, 'the agent says: all clear'],
    ]);
  });

  it('[S-3] may be one of several that end at once: idle() waits for the turn of each', async () => {
    await using stage = await openStage([[LONG, LONG], text('launched')], { version, fallback: text('it is done') });
    const session = await stage.start({ allowedTools: ['Bash'] });
    const seen = watch(session);
    const turn = session.send('first prompt');
    await turn.text();
    await stage.touch('end');
    await session.idle();
    await session.stop();
    const [first, ...others] = await seen;
    expect(first).toEqual([turn.id, 'launched']);
    expect(others.map(([id]) => id)).toEqual([null, null]);
    expect(others.at(-1)).toEqual([null, 'it is done']);
  });

  it('[S-3] that ends in another turn is dealt with there, and nothing is waited for after it', async () => {
    const script = [
      LONG,
      text('launched'),
      toolUse('Bash', { command: 'touch end; while [ ! -e gone ]; do sleep 0.05; done' }),
      text('second answer'),
      text('it is done'),
    ];
    await using stage = await openStage(script, { version });
    const session = await stage.start({ allowedTools: ['Bash'] });
    const seen = watch(session);
    expect(await session.send('first prompt').text()).toBe('launched');
    const turn = session.send('second prompt');
    for await (const { message } of observed(session)) {
      if (message.type === 'system' && message.subtype === 'task_updated') break;
    }
    await stage.touch('gone');
    expect(await turn.text()).toBe('second answer');
    await session.idle();
    await session.stop();
    expect((await seen).filter(([id]) => id === turn.id)).toEqual([[turn.id, 'second answer']]);
  });
});

describe.concurrent.each(testedVersions)('a prompt sent while %s is at a turn of its own', (version) => {
  it('[S-3] gets its own answer when the CLI speaks', async () => {
    const gate = new Gate();
    const noted = [until(gate.opened), text('it is done')];
    const script = [LONG, text('launched'), noted, text('second answer')];
    await using stage = await openStage(script, { version });
    const session = await stage.start({ allowedTools: ['Bash'] });
    const seen = watch(session);
    const first = session.send('first prompt');
    await first.text();
    await stage.touch('end');
    await notification(stage);
    const turn = session.send('second prompt');
    // The CLI reads its input in order: once this is answered, it has the prompt too.
    await session.request('get_binary_version');
    gate.open();
    const { items } = await turn.collect();
    expect(items.filter(isAssistant).map(textOf)).toEqual(['second answer']);
    expect(await turn.text()).toBe('second answer');
    await session.stop();
    expect(await seen).toEqual([
      [first.id, 'launched'],
      [null, 'it is done'],
      [turn.id, 'second answer'],
    ]);
  });

  it('[S-3] gets an answer when the CLI uses a tool', async () => {
    const script = [
      LONG,
      text('launched'),
      toolUse('Bash', { command: 'while [ ! -e go ]; do sleep 0.05; done' }),
      text('second answer'),
      text('second answer'),
    ];
    await using stage = await openStage(script, { version });
    const session = await stage.start({ allowedTools: ['Bash'] });
    expect(await session.send('first prompt').text()).toBe('launched');
    await stage.touch('end');
    await notification(stage);
    await stage.runs('sleep 0.05');
    const turn = session.send('second prompt');
    await session.request('get_binary_version');
    await stage.touch('go');
    expect(await turn.text()).toBe('second answer');
    expect(stage.said()).toContain('second prompt');
    await session.idle();
  });
});

/** Waits until the CLI has asked the model what to make of the end of a task. */
async function notification(stage: Stage): Promise<void> {
  await stage.api.waitForRequest(({ body }) => JSON.stringify(body.messages ?? '').includes('<task-notification>'));
}

/** The results of a session until it ends, each with the turn it was for. */
async function watch(session: Session): Promise<[string | null, string][]> {
  const seen: [string | null, string][] = [];
  for await (const { turn, message } of observed(session)) if (isResult(message)) seen.push([turn, textOf(message)]);
  return seen;
}

async function* observed(session: Session): AsyncGenerator<ObservedMessage> {
  for await (const item of session.messages()) if (item.kind === 'message') yield item;
}
