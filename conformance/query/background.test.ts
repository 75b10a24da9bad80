import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, toolUse, until } from '@coxswain/testkit';
import { type Message, textOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { Gate } from '../harness/gate.ts';
import { noneLeft } from '../harness/none-left.ts';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';
import { waitUntil } from '../harness/wait-until.ts';

const LAUNCHED = [text('launched')];

function inBackground(command: string) {
  return toolUse('Bash', { command, run_in_background: true });
}

describe.concurrent.each(testedVersions)('a background Bash of %s', (version) => {
  it('[Q-8] causes a second result, which is the one that counts', async () => {
    const untilGo = 'until [ -e go ]; do sleep 0.05; done; echo bg-done';
    await using scene = await openScene([inBackground(untilGo), LAUNCHED, text('it is done')], { version });
    const stream = scene.query('start it', { allowedTools: ['Bash'] });
    const messages: Message[] = [];
    for await (const message of stream) {
      messages.push(message);
      if (message.type === 'result') writeFileSync(join(scene.home.project, 'go'), '');
    }

    expect(messages.filter((message) => message.type === 'result')).toEqual(stream.results);
    expect(stream.results).toMatchObject([
      { result: 'launched' },
      { result: 'it is done', origin: { kind: 'task-notification' } },
    ]);
    expect(await stream.text()).toBe('it is done');
    expect(stream.warnings).toEqual([]);
    expect(await stream.closed).toMatchObject({ exitCode: 0, ended: 'by-itself' });
  });

  it('[Q-8, R-1] is ended immediately with backgroundWaitMs 0', async () => {
    await using scene = await openScene([inBackground('sleep 300'), LAUNCHED], { version });
    const limits = { backgroundWaitMs: 0, drainMs: 300, graceMs: 200 };
    const stream = scene.query('start it', { allowedTools: ['Bash'], limits });
    let resultAt = 0;
    for await (const message of stream) if (message.type === 'result') resultAt = performance.now();
    expect(performance.now() - resultAt).toBeLessThan(10_000);
    expect(await stream.text()).toBe('launched');
    expect(stream.results).toHaveLength(1);
    expect(await stream.closed).not.toHaveProperty('error');
    await noneLeft(scene);
  });

  it('[Q-8, R-1] is ended with a warning when it takes too long', async () => {
    await using scene = await openScene([inBackground('sleep 300'), LAUNCHED], { version });
    const limits = { backgroundWaitMs: 700, drainMs: 300, graceMs: 200 };
    const stream = scene.query('start it', { allowedTools: ['Bash'], limits });
    expect(await stream.text()).toBe('launched');
    expect(stream.warnings).toMatchObject([
      { code: 'background-tasks-abandoned', context: { tasks: [expect.any(String)] } },
    ]);
    await stream.closed;
    await noneLeft(scene);
  });

  it('[Q-11, R-1] ends with close() after the first result', async () => {
    await using scene = await openScene([inBackground('sleep 300'), LAUNCHED], { version });
    const stream = scene.query('start it', { allowedTools: ['Bash'] });
    const loop = (async () => {
      for await (const _ of stream);
    })();
    await waitUntil(() => stream.results.length > 0, { timeoutMs: 20_000, what: 'the first result' });
    // The result may arrive before the shell has started.
    const runs = (): boolean => scene.processes().some(({ command }) => command === 'sleep 300');
    await waitUntil(runs, { timeoutMs: 20_000, what: 'the command in the background' });
    await stream.close();
    await loop;
    await noneLeft(scene);
  });
});

describe.concurrent(`a subagent of ${pinnedVersion}`, () => {
  it('[Q-8] runs in the background by default: its answer is in the second result', async () => {
    const main = [toolUse('Agent', AGENT), LAUNCHED, text('the agent says: all clear')];
    const launched = new Gate();
    await using scene = await openScene({ main, subagent: [[until(launched.opened), text('all clear')]] });
    const stream = scene.query('look');
    for await (const message of stream) {
      // It delays the first result until the subagent is done.
      if (message.type === 'assistant' && textOf(message) === 'launched') launched.open();
    }
    expect(await stream.text()).toBe('the agent says: all clear');
    expect(stream.results.map(textOf)).toEqual(['launched', 'the agent says: all clear']);
    expect(stream.results[1]).toMatchObject({ origin: { kind: 'task-notification' } });
    expect(JSON.stringify(scene.api.conversation.at(-1)?.body.messages)).toContain('all clear');
  });
});

const AGENT = { description: 'look', prompt: 'Look around.', subagent_type: 'general-purpose' };
