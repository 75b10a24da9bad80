import { describe, expect, it } from 'vitest';
import { type AgentOptions, allow, createPool, decideLater, type Logger, modifyInput, query } from '../../src/index.ts';
import type { RunObserver } from '../../src/report/run-observer.ts';
import { fakeClis, hold } from '../pool/fake-pool.ts';
import { FakeCli, settle, start } from '../support/fake-cli.ts';

/** Replaces every text in a value, in place, as a redaction for a log does. */
function mask(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    if (typeof field === 'string') Reflect.set(value, name, '***');
    else mask(field);
  }
}

const logger: Logger = { trace: mask, debug: mask, info: mask, warn: mask, error: mask };
const observer: RunObserver = {
  opened(run) {
    mask(run);
    mask(run.options);
    return { prompt: mask, message: mask, event: mask, turnEnded: mask };
  },
};

/** Everything that watches a run, masking what it gets. */
const WATCHERS: readonly (readonly [string, AgentOptions])[] = [
  ['onEvent', { onEvent: mask }],
  ['onWarning', { onWarning: mask }],
  ['a logger', { logger }],
  ['an observer', { observers: [observer] }],
];

const COMMAND = { command: 'psql "password=hunter2"' };

describe('a watcher that masks what it gets in place', () => {
  it.each(WATCHERS)('[P-10] does not change the command that runs: %s', async (_, watching) => {
    const { session, cli } = await start({ ...watching, canUseTool: () => allow() });
    cli.askPermission('p1', 'Bash', COMMAND);
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'allow', updatedInput: COMMAND });
    const later = await start({ ...watching, canUseTool: () => decideLater() });
    later.cli.askPermission('p2', 'Bash', COMMAND);
    await settle();
    mask(later.session.pendingPermissions());
    const [request] = later.session.pendingPermissions();
    expect(request).toMatchObject({ input: COMMAND, raw: { input: COMMAND } });
    await later.session.answerPermission(request?.id ?? '', allow());
    expect(await later.cli.answered('p2')).toMatchObject({ behavior: 'allow', updatedInput: COMMAND });
    await session.close();
  });

  it.each(WATCHERS)('[P-10] does not change what another one gets: %s', async (_, watching) => {
    const seen: unknown[] = [];
    const other: RunObserver = {
      opened: () => ({
        event: (event) => void (event.type === 'permission-requested' && seen.push(event.request.input)),
      }),
    };
    const { cli } = await start({ ...watching, observers: [...(watching.observers ?? []), other] });
    cli.askPermission('p1', 'Bash', COMMAND);
    await cli.answered('p1');
    expect(seen).toEqual([COMMAND]);
  });

  it.each(WATCHERS)('[P-10] changes neither the prompt nor the text of a turn: %s', async (_, watching) => {
    const { session, cli } = await start({ ...watching, addDirs: ['/data'] });
    const watched = session.messages();
    const events = session.events();
    const turn = session.send([{ type: 'text', text: 'hello' }]);
    const prompt = await cli.got('prompt [{"type":"text","text":"hello"}]');
    cli.begin(prompt);
    mask((await watched.next()).value);
    mask((await events.next()).value);
    cli.finish(prompt, 'the secret is hunter2');
    expect(await turn.text()).toBe('the secret is hunter2');
    expect(cli.request?.argv).toContain('/data');
  });

  it('[P-10] does not change the command of a query, whose items are masked too', async () => {
    const cli = new FakeCli();
    const stream = query('go', { transport: cli, canUseTool: () => decideLater(), onEvent: mask });
    const prompt = await cli.got('prompt go');
    cli.begin(prompt);
    cli.askPermission('p1', 'Bash', COMMAND);
    for await (const item of stream.items({ permissions: true })) {
      const { kind } = item;
      const id = 'id' in item ? item.id : '';
      mask(item);
      if (kind !== 'permission-requested') continue;
      await stream.answerPermission(id, allow());
      cli.finish(prompt);
    }
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'allow', updatedInput: COMMAND });
  });

  it('[P-10] does not change the command, or the outcome, of a job', async () => {
    const { clis, transport } = fakeClis(hold);
    await using pool = createPool({
      size: 1,
      defaults: { transport, canUseTool: () => decideLater(), onEvent: mask },
      onEvent: mask,
    });
    const events = pool.events();
    const job = pool.submit({ prompt: 'hold' });
    await expect.poll(() => clis[0]?.story.includes('prompt hold')).toBe(true);
    const [cli] = clis;
    cli?.askPermission('p1', 'Bash', COMMAND);
    await expect.poll(() => pool.pendingPermissions()).toHaveLength(1);
    const [{ id } = { id: '' }] = pool.pendingPermissions();
    for await (const event of events) {
      const { type } = event;
      mask(event);
      if (type === 'permission-requested') break;
    }
    await pool.answerPermission(id, allow());
    expect(await cli?.answered('p1')).toMatchObject({ behavior: 'allow', updatedInput: COMMAND });
    cli?.finish(await cli.got('prompt hold'), 'the secret is hunter2');
    expect(await job.text()).toBe('the secret is hunter2');
    expect(await job.outcome).toMatchObject({ status: 'finished' });
  });
});

describe('a hook that changes its input in place', () => {
  function strip(input: { readonly tool_input: unknown }): void {
    Reflect.set(Object(input.tool_input), 'command', 'ls');
  }

  it('[H-10] cannot allow the original input', async () => {
    const { cli, warnings } = await start({
      hooks: {
        PreToolUse(input) {
          strip(input);
          return allow();
        },
      },
    });
    cli.askHook('h1', 'PreToolUse', 'hook_0', { tool_input: COMMAND });
    expect(await cli.answered('h1')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(warnings.at(-1)).toMatchObject({ message: expect.stringContaining('it changed tool_input in place') });
  });

  it('[H-10] gets a warning if it decides nothing, and none if it returns the input', async () => {
    const watching = await start({ hooks: { PreToolUse: strip } });
    watching.cli.askHook('h1', 'PreToolUse', 'hook_0', { tool_input: COMMAND });
    expect(await watching.cli.answered('h1')).toEqual({});
    expect(watching.warnings.at(-1)).toMatchObject({ code: 'hook-output-suspect' });

    const changing = await start({
      hooks: {
        PreToolUse(input) {
          strip(input);
          return modifyInput(Object(input.tool_input));
        },
      },
    });
    changing.cli.askHook('h1', 'PreToolUse', 'hook_0', { tool_input: COMMAND });
    expect(await changing.cli.answered('h1')).toMatchObject({
      hookSpecificOutput: { updatedInput: { command: 'ls' } },
    });
    expect(changing.warnings.filter(({ code }) => code === 'hook-output-suspect')).toEqual([]);
  });

  it('[P-10] warnings about a result do not change the result', async () => {
    const { cli } = await start({
      onWarning: mask,
      hooks: {
        PreToolUse: () => ({
          hookSpecificOutput: { hookEventName: 'Stop', permissionDecision: 'allow', updatedInput: { ...COMMAND } },
        }),
      },
    });
    cli.askHook('h1', 'PreToolUse', 'hook_0', { tool_input: COMMAND });
    expect(await cli.answered('h1')).toMatchObject({ hookSpecificOutput: { updatedInput: COMMAND } });
  });
});
