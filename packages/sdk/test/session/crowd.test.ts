import { describe, expect, it } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import { FakeCli, settle, silence, start } from '../support/fake-cli.ts';

const ids = Array.from({ length: 48 }, (_, i) => `h${i}`);

describe('many concurrent hooks', () => {
  it('[S-11] run up to thirty-two of forty-eight, queue the others in order, and are all answered', async () => {
    const running: { id: string; finish: () => void }[] = [];
    const { cli, warnings, events } = await start({
      hooks: {
        PreToolUse: (_, { toolUseId }) =>
          new Promise<void>((resolve) => {
            running.push({ id: toolUseId ?? '', finish: resolve });
          }),
      },
    });
    for (const id of ids) cli.askHook(id);
    await settle();
    expect(running.map(({ id }) => id)).toEqual(ids.slice(0, 32).map((id) => `use-${id}`));
    expect(warnings.filter(({ code }) => code === 'callbacks-queued')).toHaveLength(1);
    for (let i = 0; i < 48; i++) {
      running[i]?.finish();
      await settle();
      expect(running).toHaveLength(Math.min(48, 33 + i));
    }
    expect(running.map(({ id }) => id)).toEqual(ids.map((id) => `use-${id}`));
    for (const id of ids) expect(await cli.answered(id)).toEqual({});
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    expect([count('callback-started'), count('callback-ended')]).toEqual([48, 48]);
  });

  it('[S-11, H-7] are answered by the failure policy above the queue limit: guards block', async () => {
    const never = (): Promise<never> => new Promise(() => {});
    const { cli } = await start({ hooks: { PreToolUse: never }, limits: { maxRunningHooks: 1, maxWaitingHooks: 2 } });
    for (const id of ids.slice(0, 4)) cli.askHook(id);
    expect(await cli.answered('h3')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(cli.story).toEqual(['initialize', 'answer h3']);
  });

  it('[S-11, H-7] have timeouts that count from the arrival of the request', async () => {
    const ran: string[] = [];
    const { cli } = await start({
      hooks: {
        PreToolUse: {
          timeoutMs: 30,
          run: (_, { toolUseId = '' }) => {
            ran.push(toolUseId);
            return new Promise(() => {});
          },
        },
      },
      limits: { maxRunningHooks: 1 },
    });
    cli.askHook('h0');
    cli.askHook('h1');
    expect(await cli.answered('h1')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(await cli.answered('h0')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(ran.length).toBeLessThanOrEqual(2);
  });

  it('[S-11] do not delay permissions, which are counted separately', async () => {
    const never = (): Promise<never> => new Promise(() => {});
    const { cli } = await start({
      hooks: { PreToolUse: never },
      canUseTool: () => allow(),
      limits: { maxRunningHooks: 1 },
    });
    cli.askHook('h0');
    cli.askHook('h1');
    cli.askPermission('p0');
    expect(await cli.answered('p0')).toMatchObject({ behavior: 'allow' });
  });
});

describe('many control requests of a session', () => {
  it('[S-11] are limited to sixty-four unanswered ones', async () => {
    const cli = new FakeCli({ stop_task: silence });
    const { session } = await start({}, cli);
    const pending = Array.from({ length: 64 }, (_, i) => session.stopTask(String(i)));
    await expect(session.stopTask('too many')).rejects.toMatchObject({
      name: 'TooManyPendingRequestsError',
      limit: 64,
    });
    expect(cli.story).toHaveLength(65);
    cli.succeed('req_2');
    await pending[0];
    pending.push(session.stopTask('room'));
    for (let i = 3; i <= 66; i++) cli.succeed(`req_${i}`);
    await Promise.all(pending);
  });
});
