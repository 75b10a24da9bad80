import { describe, expect, it } from 'vitest';
import { SettingsKeeper, type TurnSettings } from '../../src/conversation/turn-settings.ts';

interface Desk {
  readonly keeper: SettingsKeeper;
  /** What the CLI was told, in order. */
  readonly told: unknown[][];
  /** Names the CLI refuses to change. */
  readonly refuses: Set<string>;
}

const NAMES: Readonly<Record<string, string>> = {
  set_model: 'model',
  set_permission_mode: 'permissionMode',
  set_max_thinking_tokens: 'maxThinkingTokens',
};

function desk(known: TurnSettings = {}, currentModel?: string): Desk {
  const told: unknown[][] = [];
  const refuses = new Set<string>();
  const keeper = new SettingsKeeper(
    {
      async request(subtype, payload) {
        const name = NAMES[subtype];
        if (name === undefined) {
          told.push(['which model?']);
          return { applied: { model: currentModel } };
        }
        told.push([name, ...Object.values(payload ?? {})]);
        if (refuses.has(name)) throw new Error(`no ${name}`);
        return undefined;
      },
    },
    known,
  );
  return { keeper, told, refuses };
}

const START: TurnSettings = { model: 'sonnet', permissionMode: 'default', maxThinkingTokens: 1_000 };

describe('a turn’s own settings', () => {
  it('[S-7] are sent where they differ, and given back by their earlier value', async () => {
    const { keeper, told } = desk(START);
    await keeper.apply({ model: 'opus', permissionMode: 'default', maxThinkingTokens: 0 });
    expect(told).toEqual([
      ['model', 'opus'],
      ['maxThinkingTokens', 0],
    ]);
    expect(keeper.known).toEqual({ model: 'opus', permissionMode: 'default', maxThinkingTokens: 0 });
    await keeper.giveBack();
    expect(told.slice(2)).toEqual([
      ['model', 'sonnet'],
      ['maxThinkingTokens', 1_000],
    ]);
    expect(keeper.known).toEqual(START);
  });

  it('[S-7] none, or the same as before: nothing is sent', async () => {
    const { keeper, told } = desk(START);
    await keeper.apply({});
    await keeper.apply(START);
    expect(keeper.lent).toBe(false);
    expect(told).toEqual([]);
  });

  it('[S-7] a model that is unknown is asked for first, and restored by name', async () => {
    const { keeper, told } = desk({}, 'claude-opus-5');
    await keeper.apply({ model: 'haiku' });
    await keeper.giveBack();
    expect(told).toEqual([['which model?'], ['model', 'haiku'], ['model', 'claude-opus-5']]);
  });

  it('[S-7] a model the CLI does not tell is never given back as null', async () => {
    const { keeper, told } = desk({});
    await keeper.apply({ model: 'haiku' });
    await keeper.giveBack();
    expect(told).toEqual([['which model?'], ['model', 'haiku']]);
  });

  it('[S-7] mode and thinking that were never set are restored to their defaults', async () => {
    const { keeper, told } = desk({});
    await keeper.apply({ permissionMode: 'plan', maxThinkingTokens: 5 });
    await keeper.giveBack();
    expect(told).toEqual([
      ['permissionMode', 'plan'],
      ['maxThinkingTokens', 5],
      ['permissionMode', 'default'],
      ['maxThinkingTokens', null],
    ]);
  });

  it('[S-7] a value that was changed meanwhile stays', async () => {
    const { keeper, told } = desk(START);
    await keeper.apply({ model: 'opus', permissionMode: 'plan' });
    keeper.note({ permissionMode: 'acceptEdits' });
    await keeper.giveBack();
    expect(told.slice(2)).toEqual([['model', 'sonnet']]);
    expect(keeper.known).toMatchObject({ model: 'sonnet', permissionMode: 'acceptEdits' });
  });
});

describe('what the CLI calls a model', () => {
  it('[S-7] the full name of an alias is no change: it is given back all the same', async () => {
    const { keeper, told } = desk(START);
    keeper.noteModelName('claude-sonnet-5');
    await keeper.apply({ model: 'opus' });
    keeper.noteModelName('claude-opus-5');
    await keeper.giveBack();
    expect(told).toEqual([
      ['model', 'opus'],
      ['model', 'sonnet'],
    ]);
  });

  it('[S-7] another name after that is a change by the CLI', async () => {
    const { keeper, told } = desk(START);
    await keeper.apply({ model: 'opus' });
    keeper.noteModelName('claude-opus-5');
    keeper.noteModelName('claude-fallback');
    await keeper.giveBack();
    expect(told).toEqual([['model', 'opus']]);
    expect(keeper.known.model).toBe('claude-fallback');
  });

  it('[S-7] the first name is what is known when no model was set', async () => {
    const { keeper, told } = desk({});
    keeper.noteModelName('claude-sonnet-5');
    await keeper.apply({ model: 'opus' });
    await keeper.giveBack();
    expect(told).toEqual([
      ['model', 'opus'],
      ['model', 'claude-sonnet-5'],
    ]);
  });
});

describe('a CLI that refuses', () => {
  it('[S-7] what was changed before can be restored, and the refusal is reported', async () => {
    const { keeper, told, refuses } = desk(START);
    refuses.add('permissionMode');
    const wanted = { model: 'opus', permissionMode: 'plan', maxThinkingTokens: 3 } as const;
    await expect(keeper.apply(wanted)).rejects.toThrow('no permissionMode');
    await keeper.giveBack();
    expect(told).toEqual([
      ['model', 'opus'],
      ['permissionMode', 'plan'],
      ['model', 'sonnet'],
    ]);
    expect(keeper.known).toEqual(START);
  });

  it('[S-7] to take one value back: the others are given back all the same', async () => {
    const { keeper, refuses } = desk(START);
    await keeper.apply({ model: 'opus', permissionMode: 'acceptEdits' });
    refuses.add('model');
    await expect(keeper.giveBack()).rejects.toThrow('no model');
    expect(keeper.known).toMatchObject({ model: 'opus', permissionMode: 'default' });
  });

  it('[S-7] what the caller has chosen since is not given back, though it is the same', async () => {
    const { keeper, told } = desk(START);
    await keeper.apply({ permissionMode: 'plan' });
    await keeper.choose('permissionMode', 'plan');
    await keeper.giveBack();
    expect(told).toEqual([
      ['permissionMode', 'plan'],
      ['permissionMode', 'plan'],
    ]);
  });

  it('[S-7] what the caller chooses in the tick of the turn stays', async () => {
    const { keeper, told } = desk(START);
    const applied = keeper.apply({ permissionMode: 'plan' });
    await Promise.all([applied, keeper.choose('permissionMode', 'acceptEdits')]);
    await keeper.giveBack();
    expect(told.map(([, value]) => value)).toEqual(['plan', 'acceptEdits']);
    expect(keeper.known).toMatchObject({ permissionMode: 'acceptEdits' });
  });

  it('[S-7] what the caller chooses while the session’s model is asked for stays', async () => {
    const { keeper, told } = desk({}, 'claude-opus-5');
    await Promise.all([keeper.apply({ model: 'haiku' }), keeper.choose('model', 'sonnet')]);
    await keeper.giveBack();
    expect(told).toEqual([['which model?'], ['model', 'sonnet']]);
  });

  it('[S-7] a turn that names its model is given it after a /model prompt, which tells nothing', async () => {
    const { keeper, told } = desk({ model: 'sonnet' }, 'claude-haiku-5');
    keeper.promptWritten('/model haiku');
    keeper.noteModelName('claude-sonnet-5');
    await keeper.apply({ model: 'sonnet' });
    expect(told).toEqual([['which model?'], ['model', 'sonnet']]);
    await keeper.giveBack();
    expect(told.at(-1)).toEqual(['model', 'claude-haiku-5']);
  });

  it('[S-7, A-2] the session’s own model is what another process is to be given, once a turn had its own', async () => {
    const { keeper } = desk({}, 'claude-opus-5');
    keeper.noteModelName('claude-opus-5');
    expect(keeper.modelToKeep).toBeUndefined();
    await keeper.apply({ model: 'haiku' });
    expect(keeper.modelToKeep).toBe('claude-opus-5');
    await keeper.giveBack();
    expect(keeper.modelToKeep).toBe('claude-opus-5');
  });

  it('[S-7] what the caller chooses while the turn’s own value is being set stays, whichever answer is heard first', async () => {
    const { keeper, told } = desk(START);
    const applied = keeper.apply({ permissionMode: 'acceptEdits' });
    // The turn's own value is written in the next tick, the caller's right after it.
    await Promise.resolve();
    await Promise.all([applied, keeper.choose('permissionMode', 'plan')]);
    expect(keeper.known).toMatchObject({ permissionMode: 'plan' });
    await keeper.giveBack();
    expect(told).toEqual([
      ['permissionMode', 'acceptEdits'],
      ['permissionMode', 'plan'],
    ]);
  });

  it('[S-7] what the caller chooses while an earlier value is being given back is what the next turn gives back', async () => {
    const { keeper, told } = desk(START);
    await keeper.apply({ permissionMode: 'acceptEdits' });
    const given = keeper.giveBack();
    const chosen = keeper.choose('permissionMode', 'plan');
    const applied = keeper.apply({ permissionMode: 'acceptEdits' });
    await Promise.all([given, chosen, applied]);
    await keeper.giveBack();
    expect(told.map(([, value]) => value)).toEqual(['acceptEdits', 'default', 'plan', 'acceptEdits', 'plan']);
    expect(keeper.known).toMatchObject({ permissionMode: 'plan' });
  });

  it('[S-7] to take a value back is tried again before the next turn, until the caller chooses', async () => {
    const { keeper, told, refuses } = desk(START);
    await keeper.apply({ permissionMode: 'plan' });
    refuses.add('permissionMode');
    await expect(keeper.giveBack()).rejects.toThrow('no permissionMode');
    expect(keeper.lent).toBe(false);
    await expect(keeper.apply({})).rejects.toThrow('no permissionMode');
    refuses.delete('permissionMode');
    await keeper.choose('permissionMode', 'plan');
    await keeper.apply({ model: 'opus' });
    expect(keeper.lent).toBe(true);
    await keeper.giveBack();
    expect(told.slice(-2)).toEqual([
      ['model', 'opus'],
      ['model', 'sonnet'],
    ]);
  });
});
