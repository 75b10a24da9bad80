import { readdirSync } from 'node:fs';
import { text } from '@coxswain/testkit';
import { isAssistant, outcomeOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';

const SCRIPT = [text('first answer'), text('second answer'), text('third answer')];

describe.concurrent.each(testedVersions)('a conversation with %s', (version) => {
  it('[O-2, M-4] goes on by its id', async () => {
    await using scene = await openScene(SCRIPT, { version });
    const first = scene.query('first prompt');
    await first.text();
    const second = scene.query('second prompt', { resume: first.sessionId });
    expect(await second.text()).toBe('second answer');
    expect(second.sessionId).toBe(first.sessionId);
    expect(historyOf(scene)).toEqual(['first prompt', 'first answer', 'second prompt']);
  });

  it('[O-2] goes on where the newest one of the directory stopped, and a fork leaves it alone', async () => {
    await using scene = await openScene(SCRIPT, { version });
    const first = scene.query('first prompt');
    await first.text();

    const fork = scene.query('second prompt', { continue: true, forkSession: true });
    await fork.text();
    expect(fork.sessionId).not.toBe(first.sessionId);
    expect(historyOf(scene)).toEqual(['first prompt', 'first answer', 'second prompt']);

    await scene.query('third prompt', { resume: first.sessionId }).text();
    expect(historyOf(scene)).toEqual(['first prompt', 'first answer', 'third prompt']);
  });

  it('[O-2, O-6] is taken up after a given answer, in a copy with a given id', async () => {
    await using scene = await openScene(SCRIPT, { version });
    const first = scene.query('first prompt');
    const { items } = await first.collect();
    const resumeAt = items.find(isAssistant)?.uuid;
    await scene.query('second prompt', { resume: first.sessionId }).text();

    const copy = scene.query('third prompt', { resume: first.sessionId, resumeAt, forkSession: true, sessionId: ID });
    expect(await copy.text()).toBe('third answer');
    expect(copy.sessionId).toBe(ID);
    expect(historyOf(scene)).toEqual(['first prompt', 'first answer', 'third prompt']);
  });

  it('[O-2] has the id it is given, and leaves nothing on disk if it should not', async () => {
    await using scene = await openScene(SCRIPT, { version });
    const stream = scene.query('first prompt', { sessionId: ID, persistSession: false });
    await stream.text();
    expect(stream.sessionId).toBe(ID);
    expect(transcriptsIn(scene)).toEqual([]);
    const again = await scene.query('second prompt', { resume: ID }).result();
    expect(outcomeOf(again).kind).toBe('no-such-session');
  });

  it('[O-2] keeps the system prompt it began with on 2.1.325, and takes the new one on 2.1.197', async () => {
    await using scene = await openScene(SCRIPT, { version });
    const first = scene.query('first prompt', { systemPrompt: 'You are old.' });
    await first.text();
    await scene.query('second prompt', { resume: first.sessionId, systemPrompt: 'You are new.' }).text();
    const expected = version === '2.1.325' ? 'You are old.' : 'You are new.';
    expect(scene.api.conversation.at(-1)?.system).toContain(expected);
  });
});

describe.concurrent('a conversation', () => {
  it('[O-2] starts anew with continue when there is none', async () => {
    await using scene = await openScene(SCRIPT);
    expect(await scene.query('first prompt', { continue: true }).text()).toBe('first answer');
    expect(historyOf(scene)).toEqual(['first prompt']);
  });

  it('[O-6] is chosen by resume, not by continue, when both are given', async () => {
    await using scene = await openScene(SCRIPT);
    const first = scene.query('first prompt');
    await first.text();
    await scene.query('second prompt').text();
    const third = scene.query('third prompt', { resume: first.sessionId, continue: true });
    await third.text();
    expect(third.sessionId).toBe(first.sessionId);
    expect(third.warnings).toMatchObject([{ code: 'option-ignored', context: { option: 'continue' } }]);
    expect(historyOf(scene)).toEqual(['first prompt', 'first answer', 'third prompt']);
  });
});

const ID = '22222222-2222-4222-8222-222222222222';

/** What the last request says was said, in order. */
function historyOf(scene: Scene): string[] {
  const messages = JSON.stringify(scene.api.conversation.at(-1)?.body.messages);
  return [...messages.matchAll(/(?:first|second|third) (?:prompt|answer)/g)].map(([words]) => words);
}

function transcriptsIn(scene: Scene): string[] {
  return readdirSync(scene.home.configDir, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.jsonl'),
  );
}
