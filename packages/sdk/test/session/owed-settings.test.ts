import { describe, expect, it } from 'vitest';
import { deny } from '../../src/callbacks/decisions.ts';
import type { Turn } from '../../src/conversation/turn.ts';
import { type Answer, FakeCli, type Frame, refusal, type Stage, settle, silence, start } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';

fakeClock();

/** Requests a permission only in the mode that requires it, and accepts every mode except the one to restore. */
class StuckCli extends FakeCli {
  mode: unknown = 'default';

  constructor(otherwise: Answer) {
    super();
    this.answers.set_permission_mode = (_, id, request) => {
      if (request.mode === 'default') otherwise(this, id, request);
      else this.take(id, request.mode);
    };
  }

  take(id: string, mode: unknown): void {
    this.mode = mode;
    this.succeed(id);
  }

  /** Plays a turn that writes, and returns its outcome. */
  async writes(prompt: Frame): Promise<unknown> {
    this.begin(prompt);
    const id = `write-${prompt.uuid}`;
    if (this.mode !== 'acceptEdits') this.askPermission(id);
    const answer = this.mode === 'acceptEdits' ? 'unasked' : await this.answered(id);
    this.finish(prompt);
    return answer;
  }
}

const modes = ({ cli }: Stage): unknown[] =>
  cli.log.flatMap((entry) =>
    typeof entry !== 'string' && entry.request?.subtype === 'set_permission_mode' ? [entry.request.mode] : [],
  );
const prompts = ({ cli }: Stage): string[] => cli.story.filter((words) => words.startsWith('prompt'));

/** A session after a turn that accepted edits, whose CLI has not restored the mode. */
async function stuck(answer: Answer): Promise<Stage & { readonly cli: StuckCli; readonly asked: string[] }> {
  const asked: string[] = [];
  const cli = new StuckCli(answer);
  const stage = await start(
    {
      permissionMode: 'default',
      limits: { controlTimeoutMs: 1_000 },
      canUseTool: ({ toolName }) => {
        asked.push(toolName);
        return deny('no');
      },
    },
    cli,
  );
  const turn = stage.session.send('one', { permissionMode: 'acceptEdits' });
  expect(await cli.writes(await cli.got('prompt one'))).toBe('unasked');
  await turn.result();
  await cli.got('set_permission_mode', 2);
  await pass(1_000);
  return { ...stage, cli, asked };
}

/** Expects a turn to fail with this error once the timeout of the CLI has expired. */
async function expectToFail(turn: Turn, error: object): Promise<void> {
  const failed = expect(turn.result()).rejects.toMatchObject(error);
  await pass(1_000);
  await failed;
}

describe.each<[string, Answer, object]>([
  ['leaves unanswered', silence, { name: 'ControlTimeoutError', kind: 'set_permission_mode' }],
  ['refuses', refusal('not now', 'busy'), { name: 'ControlRequestError', errorCode: 'busy' }],
])('the mode of a turn whose restoration the CLI %s', (_, answer, error) => {
  it('[S-7] makes the next turns fail with that error, unsent', async () => {
    const stage = await stuck(answer);
    const [second, third] = [stage.session.send('two'), stage.session.send('three')];
    await expectToFail(second, error);
    await expectToFail(third, error);
    expect(prompts(stage)).toEqual(['prompt one']);
    expect(modes(stage)).toEqual(['acceptEdits', 'default', 'default', 'default']);
    await stage.session.idle();
    expect(stage.session.state).toBe('running');
  });

  it('[S-7] also fails a turn with a permission mode in its options', async () => {
    const stage = await stuck(answer);
    await expectToFail(stage.session.send('two', { permissionMode: 'acceptEdits' }), error);
    expect(prompts(stage)).toEqual(['prompt one']);
  });

  it('[S-7, P-1] lets turns run again, with permission requests, once the CLI accepts it', async () => {
    const stage = await stuck(answer);
    const { session, cli, asked } = stage;
    await expectToFail(session.send('two'), error);
    cli.answers.set_permission_mode = (_, id, { mode }) => cli.take(id, mode);
    const turn = session.send('three');
    expect(await cli.writes(await cli.got('prompt three'))).toMatchObject({ behavior: 'deny' });
    await turn.result();
    expect(asked).toEqual(['Write']);
    const more = session.send('four');
    cli.reply(await cli.got('prompt four'));
    await more.result();
    // The mode is restored once, not before each turn.
    expect(modes(stage)).toEqual(['acceptEdits', 'default', 'default', 'default']);
    expect(prompts(stage)).toEqual(['prompt one', 'prompt three', 'prompt four']);
  });

  it('[S-7] is not restored once the caller sets a mode, in which turns then run', async () => {
    const stage = await stuck(answer);
    const { session, cli } = stage;
    await expectToFail(session.send('two'), error);
    await session.setPermissionMode('plan');
    const turn = session.send('three');
    expect(await cli.writes(await cli.got('prompt three'))).toMatchObject({ behavior: 'deny' });
    await turn.result();
    expect(modes(stage)).toEqual(['acceptEdits', 'default', 'default', 'plan']);
  });

  it('[S-7] does not delay the failure of a turn that is aborted during the retry; the next one runs', async () => {
    const stage = await stuck(answer);
    const { session, cli } = stage;
    const controller = new AbortController();
    await expectToFail(session.send('two'), error);
    let release: () => void = () => {};
    cli.answers.set_permission_mode = (fake, id) => {
      release = () => fake.succeed(id);
    };
    const aborted = session.send('three', { signal: controller.signal });
    const next = session.send('four');
    await cli.got('set_permission_mode', 4);
    controller.abort();
    await expect(aborted.result()).rejects.toMatchObject({ name: 'AbortError' });
    release();
    cli.reply(await cli.got('prompt four'));
    await next.result();
    expect(prompts(stage)).toEqual(['prompt one', 'prompt four']);
  });
});

it('[S-7] settings of an interrupted turn are restored before the next prompt', async () => {
  let answer: () => void = () => {};
  const cli = new FakeCli({
    set_permission_mode: (fake, id, request) => {
      if (request.mode === 'default') fake.refuse(id, 'not now', 'busy');
      else answer = () => fake.succeed(id);
    },
  });
  const stage = await start({ permissionMode: 'default' }, cli);
  const turn = stage.session.send('one', { permissionMode: 'acceptEdits' });
  await cli.got('set_permission_mode');
  await turn.interrupt();
  await expect(turn.result()).rejects.toMatchObject({ name: 'TurnCancelledError' });
  answer();
  await cli.got('set_permission_mode', 2);
  await settle();
  await expect(stage.session.send('two').result()).rejects.toMatchObject({ errorCode: 'busy' });
  expect(prompts(stage)).toEqual([]);
});

describe('settings that the CLI accepts only in part', () => {
  const modesWith = (answer: Answer): FakeCli =>
    new FakeCli({
      set_permission_mode: (cli, id, request) =>
        request.mode === 'default' ? refusal('not now', 'busy')(cli, id, request) : answer(cli, id, request),
      set_max_thinking_tokens: refusal('no', 'bad'),
    });

  it('[S-7] delay the next prompt until they are restored', async () => {
    const { session, cli } = await start(
      { permissionMode: 'default' },
      modesWith((fake, id) => fake.succeed(id)),
    );
    const turn = session.send('one', { permissionMode: 'acceptEdits', maxThinkingTokens: 5 });
    await expect(turn.result()).rejects.toMatchObject({ errorCode: 'bad' });
    await expect(session.send('two').result()).rejects.toMatchObject({ errorCode: 'busy' });
    await session.setPermissionMode('plan');
    const third = session.send('three');
    cli.reply(await cli.got('prompt three'));
    await third.result();
    expect(cli.story).not.toContain('prompt two');
  });

  it('[S-7] delay the next prompt if a mode was never confirmed', async () => {
    const { session, cli } = await start(
      { permissionMode: 'default', limits: { controlTimeoutMs: 1_000 } },
      modesWith(silence),
    );
    const turn = session.send('one', { permissionMode: 'acceptEdits' });
    const failed = expect(turn.result()).rejects.toMatchObject({ name: 'ControlTimeoutError' });
    await cli.got('set_permission_mode');
    await pass(1_000);
    await failed;
    await expect(session.send('two').result()).rejects.toMatchObject({ errorCode: 'busy' });
    expect(cli.story).not.toContain('prompt two');
  });
});
