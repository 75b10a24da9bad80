import { describe, expect, it } from 'vitest';
import { FakeCli, refusal, settle, silence, start, success } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';
import { result } from '../support/say.ts';

fakeClock();

const LIMITS = { graceMs: 5_000, termMs: 3_000 };

describe('a CLI that refuses end_session', () => {
  it('[S-8, S-9] while it is idle is interrupted, then its stdin is closed', async () => {
    const cli = new FakeCli({ end_session: refusal('Unsupported control request subtype: end_session') });
    const { session } = await start({ limits: LIMITS }, cli);
    expect(await session.close()).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(cli.story).toEqual(['initialize', 'end_session', 'interrupt', 'EOF']);
  });

  it('[S-8, S-9] in a turn gets its stdin closed after the result of the interrupted turn, not before', async () => {
    const cli = new FakeCli({ end_session: refusal('no') });
    const { session } = await start({ limits: LIMITS }, cli);
    session
      .send('long')
      .result()
      .catch(() => {});
    const prompt = await cli.got('prompt long');
    cli.begin(prompt);
    const stopped = session.close();
    await cli.got('interrupt');
    await settle();
    await pass(500);
    expect(cli.story).toEqual(['initialize', 'prompt long', 'end_session', 'interrupt']);
    cli.say(result({ is_error: true, user_message_uuids: [prompt.uuid] }));
    expect(await stopped).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(cli.story).toEqual(['initialize', 'prompt long', 'end_session', 'interrupt', 'EOF']);
  });

  it('[S-8, S-9] keeps its stdin open if its turn does not end, because a guard could no longer be called', async () => {
    const cli = new FakeCli({ end_session: refusal('no') });
    const { session } = await start({ limits: LIMITS, hooks: { PreToolUse: () => {} } }, cli);
    session
      .send('long')
      .result()
      .catch(() => {});
    cli.begin(await cli.got('prompt long'));
    const stopped = session.close();
    await cli.got('interrupt');
    await pass(1_000);
    // The guarded tool is still denied.
    cli.askHook('late');
    expect(await cli.answered('late')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    await pass(3_999);
    expect(cli.story.at(-1)).toBe('answer late');
    await pass(1);
    expect(await stopped).toEqual({ exitCode: null, signal: 'SIGTERM', ended: 'terminated' });
    expect(cli.story).toEqual(['initialize', 'prompt long', 'end_session', 'interrupt', 'answer late', 'terminate']);
    expect(session.state).toBe('stopped');
  });

  it('[S-8, S-9] keeps its stdin open while a background task is open, and is terminated', async () => {
    const cli = new FakeCli({ end_session: refusal('no') });
    const { session } = await start({ limits: LIMITS }, cli);
    cli.say({ type: 'system', subtype: 'task_started', task_id: 't1' });
    await settle();
    const stopped = session.close();
    await pass(5_000);
    await stopped;
    expect(cli.story).toEqual(['initialize', 'end_session', 'interrupt', 'terminate']);
  });
});

describe('a CLI that does not answer while it is stopped', () => {
  it('[S-9, R-2] has one second for end_session and one for the interrupt, then gets EOF; after graceMs it gets SIGTERM', async () => {
    const cli = new FakeCli({ end_session: silence, interrupt: silence });
    cli.ignores.add('EOF');
    const { session, events } = await start({ limits: LIMITS }, cli);
    const stopped = session.close();
    await cli.got('end_session');
    await pass(999);
    expect(cli.story.at(-1)).toBe('end_session');
    await pass(1);
    expect(cli.story.at(-1)).toBe('interrupt');
    await pass(1_000);
    expect(cli.story.at(-1)).toBe('EOF');
    await pass(2_998);
    expect(cli.story.at(-1)).toBe('EOF');
    await pass(10);
    expect(await stopped).toEqual({ exitCode: null, signal: 'SIGTERM', ended: 'terminated' });
    expect(cli.story).toEqual(['initialize', 'end_session', 'interrupt', 'EOF', 'terminate']);
    expect(events.slice(-2)).toMatchObject([
      { type: 'exit', signal: 'SIGTERM', ended: 'terminated' },
      { type: 'stopped' },
    ]);
  });

  it('[S-9, R-2] gets SIGTERM after graceMs, even if the earlier steps would take longer', async () => {
    const cli = new FakeCli({ end_session: silence, interrupt: silence });
    const { session } = await start({ limits: { graceMs: 1_500, termMs: 3_000 } }, cli);
    const stopped = session.close();
    await pass(1_490);
    expect(cli.story).toEqual(['initialize', 'end_session', 'interrupt']);
    await pass(20);
    expect(await stopped).toEqual({ exitCode: null, signal: 'SIGTERM', ended: 'terminated' });
    expect(cli.story).toEqual(['initialize', 'end_session', 'interrupt', 'terminate']);
  });

  it('[S-9, R-2] gets SIGTERM immediately if graceMs is 0', async () => {
    const cli = new FakeCli({ end_session: silence, interrupt: silence });
    const { session } = await start({ limits: { graceMs: 0 } }, cli);
    const stopped = session.close();
    await pass(10);
    expect(await stopped).toMatchObject({ signal: 'SIGTERM', ended: 'terminated' });
    expect(cli.story).not.toContain('EOF');
  });

  it('[S-9, R-2] is killed after termMs if it ignores SIGTERM', async () => {
    const cli = new FakeCli({ end_session: silence, interrupt: silence });
    cli.ignores.add('EOF').add('terminate');
    const { session } = await start({ limits: LIMITS }, cli);
    const stopped = session.close();
    await pass(5_010);
    expect(cli.story.at(-1)).toBe('terminate');
    await pass(3_000);
    expect(await stopped).toEqual({ exitCode: null, signal: 'SIGKILL', ended: 'killed' });
    expect(cli.signals).toEqual(['terminate', 'kill']);
  });

  it('[S-9, R-2] is abandoned with the reason in the report if it cannot be killed', async () => {
    const cli = new FakeCli({ end_session: silence, interrupt: silence });
    cli.ignores.add('EOF').add('terminate').add('kill');
    const { session } = await start({ limits: LIMITS }, cli);
    const stopped = session.close();
    await pass(15_000);
    expect(await stopped).toMatchObject({ exitCode: null, ended: 'killed', error: { name: 'TransportError' } });
    expect(session.state).toBe('stopped');
  });

  it('[S-9] gets EOF after a second if it accepts end_session but does not exit', async () => {
    const cli = new FakeCli({ end_session: success() });
    const { session } = await start({ limits: LIMITS }, cli);
    const stopped = session.close();
    await cli.got('end_session');
    await pass(1_000);
    expect(await stopped).toMatchObject({ exitCode: 0, ended: 'by-itself' });
    expect(cli.story).toEqual(['initialize', 'end_session', 'EOF']);
  });
});

describe('the stdin of a session', () => {
  it('[S-8] stays open until close()', async () => {
    const { session, cli } = await start();
    const turn = session.send('one');
    cli.reply(await cli.got('prompt one'));
    await turn.result();
    await pass(600_000);
    expect(cli.inputEnded).toBe(false);
    expect(session.state).toBe('running');
  });
});
