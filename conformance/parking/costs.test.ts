import { text, usage } from '@coxswain/testkit';
import { allow, decideLater, type OpenSessionOptions } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { command } from '../parked/model.ts';
import { parkedVersions } from '../parked/versions.ts';
import { openParkStage } from './stage.ts';

/** Releases before 2.1.169 do not report their costs on request. */
const canTell = (version: string): boolean => Number(version.split('.')[2]) >= 169;

describe.each(parkedVersions)('a turn that is parked twice on %s', (version) => {
  it('[M-8, G-9] has the cost of all its parts, including those before it was parked', async () => {
    await using stage = await openParkStage(
      (current) => [
        () => [usage({ input_tokens: 1_000 }), command(current())],
        () => [usage({ input_tokens: 2_000 }), command(current(), 'toolu_two')],
        [usage({ input_tokens: 4_000 }), text('done')],
      ],
      version,
    );
    const parts: [tokens: number, complete: boolean][] = [];
    const options: OpenSessionOptions = {
      canUseTool: () => decideLater(),
      onEvent(event) {
        if (event.type === 'turn-ended') parts.push([event.cost.usage.inputTokens, event.cost.complete]);
      },
    };
    const first = await stage.parkFirst(options);
    await using second = await stage.elsewhere({ ...first, answer: allow() }, options);
    const { session } = second;
    await expect.poll(() => session.pendingPermissions(), { timeout: 10_000 }).toHaveLength(1);
    const again = await session.park(session.pendingPermissions()[0]?.id ?? '');
    const { costUsd, usage: spent, complete } = await second.turn.cost();
    expect(session.cost()).toMatchObject({ costUsd, usage: spent, complete });
    await using third = await stage.elsewhere({ ...again, answer: allow() }, options);
    expect(await third.turn.text()).toBe('done');
    await third.session.close();
    const known = canTell(version);
    expect(parts).toEqual([
      [known ? 1_000 : 0, known],
      [known ? 2_000 : 0, known],
      [4_000, true],
    ]);
  });
});
