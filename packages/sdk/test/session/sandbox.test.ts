import { describe, expect, it } from 'vitest';
import { query } from '../../src/query/query.ts';
import { FakeCli, open, silence, start } from '../support/fake-cli.ts';
import { result } from '../support/say.ts';

const REASON = 'sandbox is enabled but dependencies are missing: bubblewrap (bwrap) not installed';
const WORDS = `Error: sandbox required but unavailable: ${REASON}\n  Refusing to start without a working sandbox.\n`;
const REFUSED = result({ subtype: 'error_during_execution', is_error: true, errors: [WORDS] });

describe('an unavailable sandbox', () => {
  it('[C-13] fails the start with the missing part', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli, { sandbox: { enabled: true } });
    await cli.got('initialize');
    cli.errorOutput.push(Buffer.from(WORDS));
    cli.die(1);
    await expect(session.ready).rejects.toMatchObject({ code: 'sandbox-unavailable', reason: REASON });
  });

  it.each([
    ['one-shot', {}],
    ['two-way', { hooks: { PreToolUse: () => undefined } }],
  ])('[C-13] fails a query instead of causing a result: %s', async (_, options) => {
    const cli = new FakeCli({ initialize: silence });
    await using stream = query('go', { transport: cli, sandbox: { enabled: true }, ...options });
    cli.say(REFUSED);
    await expect(stream.text()).rejects.toMatchObject({ code: 'sandbox-unavailable', reason: REASON });
  });

  it('[C-13] causes a warning if the CLI still runs because of settings on disk', async () => {
    const { cli, session, warnings } = await start();
    cli.errorOutput.push(Buffer.from(`⚠ Sandbox disabled: ${REASON}\n  Commands will run WITHOUT sandboxing.\n`));
    const turn = session.send('go');
    cli.reply(await cli.got('prompt go'));
    await turn.result();
    expect(warnings).toMatchObject([{ code: 'sandbox-unavailable', context: { reason: REASON } }]);
  });

  it('[C-13] cannot be enabled later', async () => {
    const { session, cli } = await start();
    const settings = { sandbox: { enabled: true, failIfUnavailable: true } };
    await expect(session.applySettings(settings)).rejects.toMatchObject({ name: 'OptionsError' });
    await expect(session.request('apply_flag_settings', { settings })).rejects.toMatchObject({ name: 'OptionsError' });
    expect(cli.story).toEqual(['initialize']);
    await session.applySettings({ sandbox: { enabled: false } });
  });
});
