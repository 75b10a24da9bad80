import { script, scriptedCli } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { allow, decideLater } from '../../src/callbacks/decisions.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { COMMAND, deletes, parkStage, requested } from './stage.ts';

const ran = [{ name: 'Bash', input: COMMAND, outcome: 'ran' }];

describe('a restarting session', () => {
  it('[G-9, A-3] repeats a waiting permission request after its CLI has died', async () => {
    const stage = parkStage();
    await using cli = await scriptedCli(deletes);
    const warnings: Warning[] = [];
    const session = stage.open({
      cli: cli.path,
      transport: undefined,
      restart: true,
      canUseTool: () => decideLater(),
      onWarning: (warning) => void warnings.push(warning),
    });
    const turn = session.send('Delete it.');
    const first = await requested(turn);
    await expect.poll(async () => JSON.stringify(await stage.entries(session.id ?? ''))).toContain('"tool_use"');
    process.kill(Number(session.pid), 'SIGKILL');
    await expect.poll(() => session.pendingPermissions().filter(({ id }) => id !== first).length).toBe(1);
    const [again] = session.pendingPermissions();
    await session.answerPermission(again?.id ?? '', allow());
    expect(await turn.text()).toBe('It is gone.');
    expect(warnings.map(({ code }) => code)).toContain('permission-repeated');
    expect(await session.send('And now?').text()).toBe('Heard.');
    await session.close();
    expect((await cli.runs()).map(({ tools }) => tools)).toEqual([[], ran]);
  });

  it('[G-9, A-3] resumes a parked request even if the CLI that repeated it dies', async () => {
    const stage = parkStage();
    const { parked } = await stage.park();
    await using cli = await scriptedCli(deletes);
    const options = { cli: cli.path, transport: undefined, restart: true, canUseTool: () => decideLater() };
    const { session, turn } = stage.resume(parked, options);
    const first = await requested(turn);
    await session.ready;
    process.kill(Number(session.pid), 'SIGKILL');
    await expect.poll(() => session.pendingPermissions().filter(({ id }) => id !== first).length).toBe(1);
    await session.answerPermission(session.pendingPermissions()[0]?.id ?? '', allow());
    expect(await turn.text()).toBe('It is gone.');
    await session.close();
    expect((await cli.runs()).map(({ tools }) => tools)).toEqual([[], ran]);
  });

  it('[G-9, A-3] fails the turn instead of repeating a request that was allowed', async () => {
    const agent = script().otherwise((turn) =>
      turn.useTool('Bash', COMMAND, { permission: 'ask', durationMs: 600_000 }).say('It is gone.'),
    );
    const stage = parkStage(agent);
    const { parked } = await stage.park();
    await using cli = await scriptedCli(agent);
    const options = { cli: cli.path, transport: undefined, restart: true, canUseTool: () => allow() };
    const { session, turn } = stage.resume(parked, options);
    await expect.poll(async () => (await cli.runs())[0]?.tools).toEqual(ran);
    process.kill(Number(session.pid), 'SIGKILL');
    await expect(turn.result()).rejects.toMatchObject({ code: 'turn-interrupted' });
    await session.close();
    expect((await cli.runs()).flatMap(({ tools }) => tools)).toEqual(ran);
  });
});
