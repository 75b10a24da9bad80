import { describe, expect, it } from 'vitest';
import { SettingsKeeper, type TurnSettings } from '../../src/conversation/turn-settings.ts';

interface Stage {
  readonly keeper: SettingsKeeper;
  /** The requests that the CLI received, in order. */
  readonly received: unknown[][];
  /** Names that the CLI refuses to change. */
  readonly refuses: Set<string>;
}

const NAMES: Readonly<Record<string, string>> = {
  set_model: 'model',
  set_permission_mode: 'permissionMode',
  set_max_thinking_tokens: 'maxThinkingTokens',
};

function stage(known: TurnSettings = {}, currentModel?: string): Stage {
  const received: unknown[][] = [];
  const refuses = new Set<string>();
  const keeper = new SettingsKeeper(
    {
      async request(subtype, payload) {
        const name = NAMES[subtype];
        if (name === undefined) {
          received.push(['get_settings']);
          return { applied: { model: currentModel } };
        }
        received.push([name, ...Object.values(payload ?? {})]);
        if (refuses.has(name)) throw new Error(`no ${name}`);
        return undefined;
      },
    },
    known,
  );
  return { keeper, received, refuses };
}

const START: TurnSettings = { model: 'sonnet', permissionMode: 'default', maxThinkingTokens: 1_000 };

describe('the settings of one turn', () => {
  it('[S-7] are sent if they differ, and restored to their earlier value', async () => {
    const { keeper, received } = stage(START);
    await keeper.apply({ model: 'opus', permissionMode: 'default', maxThinkingTokens: 0 });
    expect(received).toEqual([
      ['model', 'opus'],
      ['maxThinkingTokens', 0],
    ]);
    expect(keeper.known).toEqual({ model: 'opus', permissionMode: 'default', maxThinkingTokens: 0 });
    await keeper.restore();
    expect(received.slice(2)).toEqual([
      ['model', 'sonnet'],
      ['maxThinkingTokens', 1_000],
    ]);
    expect(keeper.known).toEqual(START);
  });

  it('[S-7] are not sent if they are empty or unchanged', async () => {
    const { keeper, received } = stage(START);
    await keeper.apply({});
    await keeper.apply(START);
    expect(keeper.overridden).toBe(false);
    expect(received).toEqual([]);
  });

  it('[S-7] request an unknown model first, and restore it by name', async () => {
    const { keeper, received } = stage({}, 'claude-opus-5');
    await keeper.apply({ model: 'haiku' });
    await keeper.restore();
    expect(received).toEqual([['get_settings'], ['model', 'haiku'], ['model', 'claude-opus-5']]);
  });

  it('[S-7] never restore an unreported model as null', async () => {
    const { keeper, received } = stage({});
    await keeper.apply({ model: 'haiku' });
    await keeper.restore();
    expect(received).toEqual([['get_settings'], ['model', 'haiku']]);
  });

  it('[S-7] restore the mode and thinking to their defaults if they were never set', async () => {
    const { keeper, received } = stage({});
    await keeper.apply({ permissionMode: 'plan', maxThinkingTokens: 5 });
    await keeper.restore();
    expect(received).toEqual([
      ['permissionMode', 'plan'],
      ['maxThinkingTokens', 5],
      ['permissionMode', 'default'],
      ['maxThinkingTokens', null],
    ]);
  });

  it('[S-7] do not restore a value that was changed meanwhile', async () => {
    const { keeper, received } = stage(START);
    await keeper.apply({ model: 'opus', permissionMode: 'plan' });
    keeper.note({ permissionMode: 'acceptEdits' });
    await keeper.restore();
    expect(received.slice(2)).toEqual([['model', 'sonnet']]);
    expect(keeper.known).toMatchObject({ model: 'sonnet', permissionMode: 'acceptEdits' });
  });
});

describe('the model name reported by the CLI', () => {
  it('[S-7] does not count as a change if it is the full name of an alias', async () => {
    const { keeper, received } = stage(START);
    keeper.noteModelName('claude-sonnet-5');
    await keeper.apply({ model: 'opus' });
    keeper.noteModelName('claude-opus-5');
    await keeper.restore();
    expect(received).toEqual([
      ['model', 'opus'],
      ['model', 'sonnet'],
    ]);
  });

  it('[S-7] counts as a change of the CLI if it differs later', async () => {
    const { keeper, received } = stage(START);
    await keeper.apply({ model: 'opus' });
    keeper.noteModelName('claude-opus-5');
    keeper.noteModelName('claude-fallback');
    await keeper.restore();
    expect(received).toEqual([['model', 'opus']]);
    expect(keeper.known.model).toBe('claude-fallback');
  });

  it('[S-7] is used if no model was set', async () => {
    const { keeper, received } = stage({});
    keeper.noteModelName('claude-sonnet-5');
    await keeper.apply({ model: 'opus' });
    await keeper.restore();
    expect(received).toEqual([
      ['model', 'opus'],
      ['model', 'claude-sonnet-5'],
    ]);
  });
});

describe('a CLI that refuses a setting', () => {
  it('[S-7] is reported, and earlier changes can be restored', async () => {
    const { keeper, received, refuses } = stage(START);
    refuses.add('permissionMode');
    const wanted = { model: 'opus', permissionMode: 'plan', maxThinkingTokens: 3 } as const;
    await expect(keeper.apply(wanted)).rejects.toThrow('no permissionMode');
    await keeper.restore();
    expect(received).toEqual([
      ['model', 'opus'],
      ['permissionMode', 'plan'],
      ['model', 'sonnet'],
    ]);
    expect(keeper.known).toEqual(START);
  });

  it('[S-7] on restore does not prevent the others from being restored', async () => {
    const { keeper, refuses } = stage(START);
    await keeper.apply({ model: 'opus', permissionMode: 'acceptEdits' });
    refuses.add('model');
    await expect(keeper.restore()).rejects.toThrow('no model');
    expect(keeper.known).toMatchObject({ model: 'opus', permissionMode: 'default' });
  });

  it('[S-7] does not override a later choice of the caller, even the same value', async () => {
    const { keeper, received } = stage(START);
    await keeper.apply({ permissionMode: 'plan' });
    await keeper.choose('permissionMode', 'plan');
    await keeper.restore();
    expect(received).toEqual([
      ['permissionMode', 'plan'],
      ['permissionMode', 'plan'],
    ]);
  });

  it('[S-7] does not override a choice of the caller in the tick of the turn', async () => {
    const { keeper, received } = stage(START);
    const applied = keeper.apply({ permissionMode: 'plan' });
    await Promise.all([applied, keeper.choose('permissionMode', 'acceptEdits')]);
    await keeper.restore();
    expect(received.map(([, value]) => value)).toEqual(['plan', 'acceptEdits']);
    expect(keeper.known).toMatchObject({ permissionMode: 'acceptEdits' });
  });

  it('[S-7] does not override a choice of the caller while the model of the session is requested', async () => {
    const { keeper, received } = stage({}, 'claude-opus-5');
    await Promise.all([keeper.apply({ model: 'haiku' }), keeper.choose('model', 'sonnet')]);
    await keeper.restore();
    expect(received).toEqual([['get_settings'], ['model', 'sonnet']]);
  });

  it('[S-7] still receives the model of a turn after a /model prompt', async () => {
    const { keeper, received } = stage({ model: 'sonnet' }, 'claude-haiku-5');
    keeper.promptWritten('/model haiku');
    keeper.noteModelName('claude-sonnet-5');
    await keeper.apply({ model: 'sonnet' });
    expect(received).toEqual([['get_settings'], ['model', 'sonnet']]);
    await keeper.restore();
    expect(received.at(-1)).toEqual(['model', 'claude-haiku-5']);
  });

  it('[S-7, A-2] is replaced by a process with the model of the session after a turn with its own', async () => {
    const { keeper } = stage({}, 'claude-opus-5');
    keeper.noteModelName('claude-opus-5');
    expect(keeper.modelToKeep).toBeUndefined();
    await keeper.apply({ model: 'haiku' });
    expect(keeper.modelToKeep).toBe('claude-opus-5');
    await keeper.restore();
    expect(keeper.modelToKeep).toBe('claude-opus-5');
  });

  it('[S-7] does not override a choice of the caller while the value of the turn is set, whichever answer arrives first', async () => {
    const { keeper, received } = stage(START);
    const applied = keeper.apply({ permissionMode: 'acceptEdits' });
    // The value of the turn is written in the next tick, immediately followed by the caller's.
    await Promise.resolve();
    await Promise.all([applied, keeper.choose('permissionMode', 'plan')]);
    expect(keeper.known).toMatchObject({ permissionMode: 'plan' });
    await keeper.restore();
    expect(received).toEqual([
      ['permissionMode', 'acceptEdits'],
      ['permissionMode', 'plan'],
    ]);
  });

  it('[S-7] makes the next turn restore the caller’s choice made during an earlier restore', async () => {
    const { keeper, received } = stage(START);
    await keeper.apply({ permissionMode: 'acceptEdits' });
    const given = keeper.restore();
    const chosen = keeper.choose('permissionMode', 'plan');
    const applied = keeper.apply({ permissionMode: 'acceptEdits' });
    await Promise.all([given, chosen, applied]);
    await keeper.restore();
    expect(received.map(([, value]) => value)).toEqual(['acceptEdits', 'default', 'plan', 'acceptEdits', 'plan']);
    expect(keeper.known).toMatchObject({ permissionMode: 'plan' });
  });

  it('[S-7] on restore is retried before the next turn, until the caller chooses a value', async () => {
    const { keeper, received, refuses } = stage(START);
    await keeper.apply({ permissionMode: 'plan' });
    refuses.add('permissionMode');
    await expect(keeper.restore()).rejects.toThrow('no permissionMode');
    expect(keeper.overridden).toBe(false);
    await expect(keeper.apply({})).rejects.toThrow('no permissionMode');
    refuses.delete('permissionMode');
    await keeper.choose('permissionMode', 'plan');
    await keeper.apply({ model: 'opus' });
    expect(keeper.overridden).toBe(true);
    await keeper.restore();
    expect(received.slice(-2)).toEqual([
      ['model', 'opus'],
      ['model', 'sonnet'],
    ]);
  });
});
