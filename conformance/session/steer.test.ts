import { text, toolUse, until } from '@coxswain/testkit';
import { isInit, isResult, isUser, type ObservedMessage, outcomeOf, TurnEndedError, textOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { Gate, openStage } from './stage.ts';

/** Ends once the test lets it. */
const UNTIL_TOLD = toolUse('Bash', { command: 'while [ ! -e go ]; do sleep 0.05; done; echo bash-finished' });

describe.concurrent.each(testedVersions)('steering %s', (version) => {
  it('[S-3] while a tool runs: the model hears it in the same turn, after the tool', async () => {
    await using stage = await openStage([UNTIL_TOLD, text('second answer'), text('third answer')], { version });
    const session = await stage.start({ allowedTools: ['Bash'] });
    const turn = session.send('first prompt');
    const next = session.send('third prompt');
    await stage.api.waitForRequest((request) => request.isMainConversation);
    await stage.runs('sleep 0.05');
    await turn.steer('second prompt');
    // The CLI reads its input in order: once this is answered, it has the steering too.
    await session.request('get_binary_version');
    await stage.touch('go');

    const { items } = await turn.collect();
    expect(await turn.text()).toBe('second answer');
    expect(turn.results).toHaveLength(1);
    expect(items.filter(isInit)).toHaveLength(1);
    expect(items.filter(isUser).filter(({ isReplay }) => isReplay)).toEqual([]);
    expect(stage.said(stage.api.conversation[1])).toEqual(['first prompt', 'second prompt']);
    expect(stage.api.conversation[1]?.toolResults).toMatchObject([{ text: 'bash-finished' }]);
    expect(await next.text()).toBe('third answer');
    await expect(turn.steer('too late')).rejects.toBeInstanceOf(TurnEndedError);
  });

  it('[S-3] while it speaks: it says its say, then answers in the same turn', async () => {
    const gate = new Gate();
    const script = [[text('first answer'), until(gate.opened)], text('second answer'), text('third answer')];
    await using stage = await openStage(script, { version });
    const session = await stage.start();
    const turn = session.send('first prompt');
    const next = session.send('third prompt');
    await stage.api.waitForRequest((request) => request.isMainConversation);
    await turn.steer('second prompt');
    await session.request('get_binary_version');
    gate.open();

    const { items } = await turn.collect();
    expect(await turn.text()).toBe('second answer');
    expect(turn.results.map(textOf)).toEqual(['first answer', 'second answer']);
    expect(items.filter(isUser)).toEqual([]);
    expect(await next.text()).toBe('third answer');
    expect(stage.said()).toEqual(['first prompt', 'first answer', 'second prompt', 'second answer', 'third prompt']);
  });

  it('[S-3, X-1] and then interrupting takes the steering back: the turn ends, and the next one is asked alone', async () => {
    await using stage = await openStage([UNTIL_TOLD, text('third answer'), text('no answer')], { version });
    const session = await stage.start({ allowedTools: ['Bash'] });
    const turn = session.send('first prompt');
    const next = session.send('third prompt');
    await stage.runs('sleep 0.05');
    await turn.steer('second prompt');
    await turn.interrupt();
    expect(outcomeOf(await turn.result())).toMatchObject({ kind: 'interrupted', during: 'tools' });
    expect(turn.results).toHaveLength(1);
    expect(await next.text()).toBe('third answer');
    expect(stage.said()).toEqual(['first prompt', 'third prompt']);
  });
});

describe.concurrent.each(testedVersions)('a raw frame to %s', (version) => {
  it('[S-3] runs a turn of nobody, and the next prompt still gets its own answer', async () => {
    const gate = new Gate();
    await using stage = await openStage([[until(gate.opened), text('first answer')], text('second answer')], {
      version,
    });
    const session = await stage.start();
    const seen: ObservedMessage[] = [];
    const watched = (async () => {
      for await (const item of session.messages()) if (item.kind === 'message') seen.push(item);
    })();
    await session.push({ type: 'user', message: { role: 'user', content: 'first prompt' } });
    await stage.api.waitForRequest((request) => request.isMainConversation);
    const turn = session.send('second prompt');
    gate.open();
    expect(await turn.text()).toBe('second answer');
    const { items } = await turn.collect();
    expect(items.filter(isResult)).toHaveLength(1);
    expect(JSON.stringify(items)).not.toContain('first answer');

    await session.stop();
    await watched;
    const results = seen.filter(({ message }) => isResult(message));
    expect(results.map(({ turn: id, message }) => [id, textOf(message)])).toEqual([
      [null, 'first answer'],
      [turn.id, 'second answer'],
    ]);
  });
});
