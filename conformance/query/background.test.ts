import { delay, text, toolUse } from '@coxswain/testkit';
import { isResult, type Message, textOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';
import { waitUntil } from '../harness/wait-until.ts';

const LAUNCHED = [text('launched')];

function inBackground(command: string) {
  return toolUse('Bash', { command, run_in_background: true });
}

describe.concurrent.each(testedVersions)('a background Bash of %s', (version) => {
  it('[Q-8] makes a second result, which is the one that counts', async () => {
    await using scene = await openScene([inBackground('sleep 1; echo bg-done'), LAUNCHED, text('it is done')], {
      version,
    });
    const stream = scene.query('start it', { allowedTools: ['Bash'] });
    const messages: Message[] = [];
    for await (const message of stream) messages.push(message);

    expect(messages.filter(isResult)).toEqual(stream.results);
    expect(stream.results).toMatchObject([
      { result: 'launched' },
      { result: 'it is done', origin: { kind: 'task-notification' } },
    ]);
    expect(await stream.text()).toBe('it is done');
    expect(stream.warnings).toEqual([]);
    expect(await stream.closed).toMatchObject({ exitCode: 0, ended: 'by-itself' });
  });

  it('[Q-8, R-1] is not waited for with backgroundWaitMs 0, and does not stay', async () => {
    await using scene = await openScene([inBackground('sleep 300'), LAUNCHED], { version });
    const limits = { backgroundWaitMs: 0, drainMs: 300, graceMs: 200 };
    const stream = scene.query('start it', { allowedTools: ['Bash'], limits });
    let resultAt = 0;
    for await (const message of stream) if (isResult(message)) resultAt = performance.now();
    expect(performance.now() - resultAt).toBeLessThan(1_000);
    expect(await stream.text()).toBe('launched');
    expect(stream.results).toHaveLength(1);
    expect(await stream.closed).not.toHaveProperty('error');
    expect(scene.processes()).toEqual([]);
  });

  it('[Q-8, R-1] is given up with a warning when it takes too long', async () => {
    await using scene = await openScene([inBackground('sleep 300'), LAUNCHED], { version });
    const limits = { backgroundWaitMs: 700, drainMs: 300, graceMs: 200 };
    const stream = scene.query('start it', { allowedTools: ['Bash'], limits });
    expect(await stream.text()).toBe('launched');
    expect(stream.warnings).toMatchObject([
      { code: 'background-tasks-abandoned', context: { tasks: [expect.any(String)] } },
    ]);
    await stream.closed;
    expect(scene.processes()).toEqual([]);
  });

  it('[Q-11, R-1] ends with close() after the first result', async () => {
    await using scene = await openScene([inBackground('sleep 300'), LAUNCHED], { version });
    const stream = scene.query('start it', { allowedTools: ['Bash'] });
    const loop = (async () => {
      for await (const _ of stream);
    })();
    await waitUntil(() => stream.results.length > 0, { timeoutMs: 20_000, what: 'the first result' });
    // The result does not wait for the shell to have begun.
    const runs = (): boolean => scene.processes().some(({ command }) => command === 'sleep 300');
    await waitUntil(runs, { timeoutMs: 20_000, what: 'the command in the background' });
    await stream.close();
    await loop;
    expect(scene.processes()).toEqual([]);
  });
});

describe.concurrent(`a subagent of ${pinnedVersion}`, () => {
  it('[Q-8] runs in the background by itself: its answer comes with the second result', async () => {
    const main = [toolUse('Agent', AGENT), LAUNCHED, text('the agent says: all clear')];
    await using scene = await openScene({ main, subagent: [[delay(800), text('all clear')]] });
    const stream = scene.query('look');
    expect(await stream.text()).toBe('the agent says: all clear');
    expect(stream.results.map(textOf)).toEqual(['launched', 'the agent says: all clear']);
    expect(stream.results[1]).toMatchObject({ origin: { kind: 'task-notification' } });
    expect(JSON.stringify(scene.api.conversation.at(-1)?.body.messages)).toContain('all clear');
  });
});

const AGENT = { description: 'look', prompt: 'Look around.', subagent_type: 'general-purpose' };
