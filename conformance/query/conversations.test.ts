import { readdirSync } from 'node:fs';
import { text } from '@coxswain/testkit';
import { outcomeOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';

const SCRIPT = [text('first answer'), text('second answer'), text('third answer')];
const ID = '22222222-2222-4222-8222-222222222222';

describe.concurrent.each(testedVersions)('a conversation with %s', (version) => {
  it('[O-2, O-6, M-4] starts when none exists, continues by its id or in a fork, and can be resumed after an answer', async () => {
    await using scene = await openScene([...SCRIPT, text('third answer'), text('third answer')], { version });
    const first = scene.query('first prompt', { continue: true, systemPrompt: 'You are old.' });
    const { messages: items } = await first.collect();
    expect(await first.text()).toBe('first answer');
    expect(historyOf(scene)).toEqual(['first prompt']);

    // The newest conversation of the directory.
    const fork = scene.query('second prompt', { continue: true, forkSession: true });
    expect(await fork.text()).toBe('second answer');
    expect(fork.sessionId).not.toBe(first.sessionId);
    expect(historyOf(scene)).toEqual(['first prompt', 'first answer', 'second prompt']);

    const chosen = scene.query('third prompt', { resume: first.sessionId, continue: true });
    await chosen.text();
    expect(chosen.sessionId).toBe(first.sessionId);
    expect(chosen.warnings).toMatchObject([{ code: 'option-ignored', context: { option: 'continue' } }]);
    expect(historyOf(scene)).toEqual(['first prompt', 'first answer', 'third prompt']);

    const { sessionId: resume } = first;
    const again = scene.query('second prompt', { resume, systemPrompt: 'You are new.' });
    expect(await again.text()).toBe('third answer');
    expect(again.sessionId).toBe(first.sessionId);
    expect(historyOf(scene)).toEqual(['first prompt', 'first answer', 'third prompt', 'third answer', 'second prompt']);
    // 2.1.325 keeps the system prompt that the conversation started with.
    const expected = version === pinnedVersion ? 'You are old.' : 'You are new.';
    expect(scene.api.conversation.at(-1)?.system).toContain(expected);

    const resumeAt = items.find((message) => message.type === 'assistant')?.uuid;
    const copy = scene.query('third prompt', { resume, resumeAt, forkSession: true, sessionId: ID });
    expect(await copy.text()).toBe('third answer');
    expect(copy.sessionId).toBe(ID);
    expect(historyOf(scene)).toEqual(['first prompt', 'first answer', 'third prompt']);
  });

  it('[O-2] has the given id, and leaves nothing on disk without persistence', async () => {
    await using scene = await openScene(SCRIPT, { version });
    const stream = scene.query('first prompt', { sessionId: ID, persistSession: false });
    await stream.text();
    await stream.closed;
    expect(stream.sessionId).toBe(ID);
    expect(transcriptsIn(scene)).toEqual([]);
    const again = await scene.query('second prompt', { resume: ID }).result();
    expect(outcomeOf(again).kind).toBe('no-such-session');
  });
});

/** The prompts and answers in the last request, in order. */
function historyOf(scene: Scene): string[] {
  const messages = JSON.stringify(scene.api.conversation.at(-1)?.body.messages);
  return [...messages.matchAll(/(?:first|second|third) (?:prompt|answer)/g)].map(([words]) => words);
}

function transcriptsIn(scene: Scene): string[] {
  return readdirSync(scene.home.configDir, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.jsonl'),
  );
}
