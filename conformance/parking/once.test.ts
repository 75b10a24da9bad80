import { writeFile } from 'node:fs/promises';
import { text, toolUse } from '@coxswain/testkit';
import { allow, decideLater } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { killQuietly } from '../harness/processes.ts';
import { realCli } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { CALL, lastingCommand, runsCommand } from '../parked/model.ts';
import { parkedVersions } from '../parked/versions.ts';
import { openParkStage } from './stage.ts';

describe.each(parkedVersions)('a parked request on %s', (version) => {
  it('[G-9] runs its tool once if two sessions resume and allow it at the same time', async () => {
    await using stage = await openParkStage(runsCommand, version);
    const parked = { ...(await stage.parkFirst()), answer: allow() };
    await using one = await stage.elsewhere(parked);
    await using other = await stage.elsewhere(parked);
    const ends = await Promise.allSettled([one.turn.text(), other.turn.text()]);
    expect(stage.read('ran')).toBe('ran\n');
    expect(ends).toContainEqual({ status: 'fulfilled', value: 'done' });
    expect(ends).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'parked-request', problem: expect.stringMatching(/answered|finished/) }),
    });
  });

  it('[G-9] is sent a third time if the process ends before it is answered', async () => {
    await using stage = await openParkStage(runsCommand, version);
    const parked = await stage.parkFirst();
    await using second = await stage.elsewhere(parked, { canUseTool: () => decideLater() });
    await waitUntil(() => second.session.pendingPermissions().length > 0, { what: 'the request' });
    killQuietly(Number(second.session.pid));
    await second.session.closed;
    await using third = await stage.elsewhere({ ...parked, answer: allow() });
    expect(await third.turn.text()).toBe('done');
    expect(stage.read('ran')).toBe('ran\n');
  });

  it('[G-9] is not allowed by a PermissionRequest hook: it waits for its answer', async () => {
    await using stage = await openParkStage(runsCommand, version);
    const parked = await stage.parkFirst();
    const hooks = { PermissionRequest: () => allow() };
    await using second = await stage.elsewhere(parked, { hooks, canUseTool: () => decideLater() });
    const [waiting] = await waitUntil(() => nonEmpty(second.session.pendingPermissions()), { what: 'the request' });
    await second.session.answerPermission(waiting?.id ?? '', allow());
    expect(await second.turn.text()).toBe('done');
    expect(stage.read('ran')).toBe('ran\n');
    // Only an answer gets a note.
    expect(JSON.stringify(await stage.entries(parked.sessionId))).toContain('coxswain-answered');
  });

  it.each([
    ['two megabytes', 'x'.repeat(2_000_000)],
    ['half a character', 'cut \ud83d'],
  ])('[G-9] is repeated with an input that has %s', async (_, description) => {
    await using stage = await openParkStage(
      (current) => [
        () => toolUse('Bash', { command: `echo ran >> ${current().path('ran')}`, description }, { id: CALL }),
        text('done'),
      ],
      version,
    );
    await using elsewhere = await stage.elsewhere({ ...(await stage.parkFirst()), answer: allow() });
    expect(await elsewhere.turn.text()).toBe('done');
    expect(stage.read('ran')).toBe('ran\n');
  });

  it('[G-9] can be parked twice', async () => {
    await using stage = await openParkStage(runsCommand, version);
    const parked = await stage.parkFirst();
    await using second = await stage.elsewhere(parked, { canUseTool: () => decideLater() });
    const [again] = await waitUntil(() => nonEmpty(second.session.pendingPermissions()), { what: 'the request' });
    const twice = await second.session.park(again?.id ?? '');
    expect(second.turn.state).toBe('parked');
    expect(twice.hash).toBe(parked.hash);
    await using third = await stage.elsewhere({ ...twice, answer: allow() });
    expect(await third.turn.text()).toBe('done');
    expect(stage.read('ran')).toBe('ran\n');
  });

  it('[G-9] does not run its tool again if the process dies while the tool runs; the model is informed that the outcome is unknown', async () => {
    await using stage = await openParkStage(
      (current) => [() => lastingCommand(current()), text('second answer')],
      version,
    );
    const parked = { ...(await stage.parkFirst()), answer: allow() };
    await using second = await stage.elsewhere(parked);
    await waitUntil(() => stage.read('ran'), { what: 'the command' });
    killQuietly(Number(second.session.pid));
    await second.session.closed;
    await using third = await stage.elsewhere(parked);
    await expect(third.turn.text()).rejects.toMatchObject({ code: 'parked-request', problem: 'answered' });
    const session = await stage.start({ sessionStore: stage.store, resume: parked.sessionId });
    expect(await session.send('second prompt').text()).toBe('second answer');
    expect(stage.read('ran')).toBe('ran\n');
    expect(JSON.stringify(stage.api.conversation.at(-1)?.body.messages)).toContain(
      'It is unknown whether this call ran',
    );
  });

  it('[G-9] does not run its tool again if its own session has allowed it and dies, although the request was saved', async () => {
    await using stage = await openParkStage((current) => [() => lastingCommand(current()), text('second')], version);
    const session = stage.open({ sessionStore: stage.store, cli: realCli(version), canUseTool: () => decideLater() });
    session
      .send('first prompt')
      .result()
      .catch(() => {});
    const [request] = await waitUntil(() => nonEmpty(session.pendingPermissions()), { what: 'the request' });
    const saved = await session.parkable(request?.id ?? '');
    await session.answerPermission(request?.id ?? '', allow());
    await waitUntil(() => stage.read('ran'), { what: 'the command' });
    killQuietly(Number(session.pid));
    await session.closed;
    await using elsewhere = await stage.elsewhere({ ...saved, answer: allow() });
    await expect(elsewhere.turn.text()).rejects.toMatchObject({ code: 'parked-request', problem: 'answered' });
    expect(stage.read('ran')).toBe('ran\n');
  });

  it('[G-9] keeps its tool running while another session tries to resume it, and the model keeps the result', async () => {
    await using stage = await openParkStage(
      (current) => [() => lastingCommand(current()), text('done'), text('second answer')],
      version,
    );
    const parked = { ...(await stage.parkFirst()), answer: allow() };
    await using second = await stage.elsewhere(parked);
    await waitUntil(() => stage.read('ran'), { what: 'the command' });
    await using third = await stage.elsewhere(parked);
    await expect(third.turn.text()).rejects.toMatchObject({ code: 'parked-request', problem: 'answered' });
    await writeFile(stage.path('go'), '');
    expect(await second.turn.text()).toBe('done');
    await second.session.close();
    const session = await stage.start({ sessionStore: stage.store, resume: parked.sessionId });
    expect(await session.send('second prompt').text()).toBe('second answer');
    expect(JSON.stringify(stage.api.conversation.at(-1)?.body.messages)).not.toContain('It is unknown');
  });

  it('[G-9] does not run its tool if the call was changed in the store', async () => {
    await using stage = await openParkStage(runsCommand, version);
    const parked = { ...(await stage.parkFirst()), answer: allow() };
    const key = { projectKey: 'default', sessionId: parked.sessionId };
    await stage.rewrite(key, (entries) => JSON.parse(JSON.stringify(entries).replaceAll('echo ran', 'echo evil')));
    await using elsewhere = await stage.elsewhere(parked);
    await expect(elsewhere.turn.text()).rejects.toMatchObject({ code: 'parked-request', problem: 'changed' });
    expect(stage.read('ran')).toBeUndefined();
  });

  it('[G-9] cannot be resumed if its call has a result, or if the conversation was continued', async () => {
    await using stage = await openParkStage(runsCommand, version);
    const parked = { ...(await stage.parkFirst()), answer: allow() };
    await using second = await stage.elsewhere(parked);
    await second.turn.text();
    await second.session.close();
    await using third = await stage.elsewhere(parked);
    await expect(third.turn.text()).rejects.toMatchObject({ code: 'parked-request', problem: 'finished' });
    const unknown = { ...parked, sessionId: crypto.randomUUID() };
    await using fourth = await stage.elsewhere(unknown);
    await expect(fourth.turn.text()).rejects.toMatchObject({ code: 'parked-request', problem: 'not-found' });
  });

  it('[G-9] does not run its tool if the conversation is continued while it waits for its answer', async () => {
    await using stage = await openParkStage(runsCommand, version);
    const parked = await stage.parkFirst();
    await using second = await stage.elsewhere(parked, { canUseTool: () => decideLater() });
    const [waiting] = await waitUntil(() => nonEmpty(second.session.pendingPermissions()), { what: 'the request' });
    const other = stage.open({ sessionStore: stage.store, cli: realCli(version), resume: parked.sessionId });
    await other.send('Never mind.').result();
    await second.session.answerPermission(waiting?.id ?? '', allow());
    // Newer releases add a result to a call without one.
    const problem = expect.stringMatching(/^(finished|superseded)$/);
    await expect(second.turn.result()).rejects.toMatchObject({ code: 'parked-request', problem });
    expect(stage.read('ran')).toBeUndefined();
  });

  it('[G-9] runs its tool although a prompt was added to its turn while it waited, before and after it was parked', async () => {
    await using stage = await openParkStage(runsCommand, version);
    const session = stage.open({ sessionStore: stage.store, cli: realCli(version), canUseTool: () => decideLater() });
    const turn = session.send('first prompt');
    turn.result().catch(() => {});
    const [first] = await waitUntil(() => nonEmpty(session.pendingPermissions()), { what: 'the request' });
    await turn.steer('be quick');
    const parked = await session.park(first?.id ?? '');
    await using second = await stage.elsewhere(parked, { canUseTool: () => decideLater() });
    const [waiting] = await waitUntil(() => nonEmpty(second.session.pendingPermissions()), {
      what: 'the second request',
    });
    await second.turn.steer('be quicker');
    await second.session.parkable(waiting?.id ?? '');
    await second.session.answerPermission(waiting?.id ?? '', allow());
    await second.turn.result();
    expect(stage.read('ran')).toBe('ran\n');
  });

  it('[A-8] is repeated by a restarting session whose CLI dies while it waits', async () => {
    await using stage = await openParkStage(runsCommand, version);
    let asked = 0;
    const session = stage.open({
      sessionStore: stage.store,
      restart: { delayMs: 0 },
      canUseTool: () => (++asked === 1 ? decideLater() : allow()),
    } as Parameters<typeof stage.open>[0]);
    const turn = session.send('first prompt');
    const [request] = await waitUntil(() => nonEmpty(session.pendingPermissions()), { what: 'the request' });
    await waitUntil(async () => JSON.stringify(await stage.entries(session.id ?? '')).includes(CALL), {
      what: 'the call in the store',
    });
    killQuietly(Number(session.pid));
    expect(await turn.text()).toBe('done');
    expect(asked).toBe(2);
    expect(request?.toolUseId).toBe(CALL);
    expect(stage.read('ran')).toBe('ran\n');
    expect(await session.send('second prompt').text()).toBe('second answer');
  });
});

function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}
