import { text } from '@coxswain/testkit';
import {
  addContext,
  allow,
  askUser,
  deferTool,
  deny,
  type Message,
  modifyInput,
  replaceOutput,
  stopTurn,
} from 'coxswain';
import { describe, expect, it } from 'vitest';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { hooked } from './hooked.ts';
import { openStage, type Played, sharedStage } from './stage.ts';

const BASE = {
  session_id: expect.any(String),
  transcript_path: expect.stringMatching(/\.jsonl$/),
  cwd: expect.stringMatching(/project$/),
};

describe.concurrent.each(testedVersions)('compaction and clearing in %s', (version) => {
  const events = ['PreCompact', 'PostCompact', 'SessionStart', 'SessionEnd'];
  const { hooks, answer, inputs } = hooked(...events);
  const stage = sharedStage(version, { hooks });
  const wasCompacted = ({ messages }: { readonly messages: readonly Message[] }): boolean =>
    messages.some((message) => message.type === 'system' && message.subtype === 'compact_boundary');
  /** Number of turns that can be compacted. */
  let turns = 0;
  const say = (words: string): Promise<Played> => {
    turns += 1;
    return stage().play([text(words)]);
  };
  const compact = async (instructions = ''): Promise<Played> => {
    // Older releases refuse a short conversation.
    while (turns < (version === pinnedVersion ? 1 : 2)) await say('something');
    const turn = await stage().play([], { prompt: `/compact ${instructions}`.trim() });
    if (wasCompacted(turn)) turns = 0;
    return turn;
  };
  const forget = (): Promise<void> => {
    turns = 0;
    return stage().session.clear();
  };
  const clear = async (): Promise<Played> => {
    if (turns === 0) await say('something');
    turns = 0;
    return await stage().play([], { prompt: '/clear' });
  };

  it.sequential('[H-1, H-3] PreCompact, SessionStart and PostCompact run during a compaction', async () => {
    answer({});
    const turn = await compact('be brief');
    expect(wasCompacted(turn)).toBe(true);
    expect(inputs('PreCompact')).toMatchObject([{ ...BASE, trigger: 'manual', custom_instructions: 'be brief' }]);
    expect(inputs('SessionStart')).toMatchObject([{ ...BASE, source: 'compact' }]);
    expect(inputs('PostCompact')).toMatchObject([{ ...BASE, trigger: 'manual', compact_summary: expect.any(String) }]);
  });

  it.sequential.each([
    ['deny', () => deny('reason-for-nobody')],
    ['stopTurn', () => stopTurn('reason-for-nobody')],
  ])('[H-4] PreCompact %s prevents the compaction, without a reason for the user or the model', async (_, act) => {
    answer({ PreCompact: act });
    const turn = await compact();
    expect(wasCompacted(turn)).toBe(false);
    expect(turn.messagesContain('reason-for-nobody')).toBe(false);
    expect(inputs('PostCompact')).toEqual([]);
    expect((await say('still here')).outcome).toMatchObject({ kind: 'completed', text: 'still here' });
  });

  it.sequential('[H-4] PreCompact addContext is not supported: the compaction runs, with a warning', async () => {
    answer({ PreCompact: () => addContext('words-for-the-summary') });
    const turn = await compact();
    expect(wasCompacted(turn)).toBe(true);
    expect(turn.warnings).toMatchObject([{ code: 'decision-not-expressible', context: { what: 'addContext' } }]);
    expect(JSON.stringify(stage().api.requests.map(({ body }) => body))).not.toContain('words-for-the-summary');
  });

  it.sequential('[H-4] PostCompact deny, addContext and stopTurn have no effect', async () => {
    for (const act of [deny('no'), addContext('no'), stopTurn('no')]) {
      answer({ PostCompact: () => act });
      expect(wasCompacted(await compact())).toBe(true);
    }
    expect((await say('next')).outcome).toMatchObject({ kind: 'completed', text: 'next' });
  });

  it.sequential.each([
    ['compact', compact],
    ['clear', clear],
  ])('[H-1, H-4] SessionStart addContext after /%s reaches the model in the next turn', async (source, act) => {
    answer({ SessionStart: () => addContext(`context-of-${source}`) });
    await act();
    expect(inputs('SessionStart')).toMatchObject([{ ...BASE, source }]);
    const next = await say('I see');
    expect(next.modelReceived(`context-of-${source}`)).toBe(true);
  });

  it.sequential('[H-4] SessionStart deny does not prevent a clear; older releases send the model the reason', async () => {
    answer({ SessionStart: () => deny('reason-of-the-start') });
    await stage().play([text('to be forgotten')]);
    await forget();
    const next = await stage().play([text('next')]);
    expect(next.modelReceived('to be forgotten')).toBe(false);
    expect(next.modelReceived('reason-of-the-start')).toBe(version !== pinnedVersion);
  });

  it.sequential('[H-4] SessionStart stopTurn does not prevent a clear, and the next turn runs', async () => {
    answer({ SessionStart: () => stopTurn('no') });
    await stage().play([text('to be forgotten')]);
    await forget();
    const next = await stage().play([text('next')]);
    expect(next.modelReceived('to be forgotten')).toBe(false);
    expect(next.outcome).toMatchObject({ kind: 'completed', text: 'next' });
  });

  it.sequential('[H-1, H-3, H-4] SessionEnd runs at a clear, and cannot prevent it', async () => {
    await say('to-be-forgotten-0');
    for (const [index, act] of [undefined, deny('no'), addContext('no'), stopTurn('no')].entries()) {
      answer({ SessionEnd: () => act });
      const before = stage().session.id;
      await forget();
      expect(inputs('SessionEnd')).toMatchObject([{ ...BASE, session_id: before, reason: 'clear' }]);
      const next = await say(`to-be-forgotten-${index + 1}`);
      expect(next.requests).toHaveLength(1);
      expect(next.modelReceived('to-be-forgotten')).toBe(false);
    }
  });

  it.sequential.each([
    ['compact', ['PreCompact', 'SessionStart', 'PostCompact'], compact],
    ['clear', ['SessionEnd', 'SessionStart'], clear],
  ])('[H-4, H-5] /%s: decisions about tools are not supported in %s', async (_, asked, act) => {
    for (const outcome of [modifyInput({ a: 1 }), askUser('who'), deferTool(), replaceOutput('x')]) {
      answer(Object.fromEntries(asked.map((event) => [event, () => outcome])));
      const { warnings } = await act();
      expect(warnings.map(({ context }) => context)).toMatchObject(
        asked.map((event) => ({ event, what: outcome.decision })),
      );
    }
  });

  it.sequential('[H-3] the inputs have neither missing nor new fields', () => {
    expect(stage().count('hook-input-changed')).toBe(0);
  });
});

describe.concurrent(`changes of the model in ${pinnedVersion}`, () => {
  const { hooks, answer, inputs } = hooked('PreModelSwitch', 'PostModelSwitch');
  const stage = sharedStage(pinnedVersion, { hooks, model: 'claude-sonnet-4-5' });
  const modelNow = async (): Promise<string | undefined> => (await stage().play([text('hm')])).requests[0]?.model;

  it.sequential('[H-1, H-3] run hooks before and after', async () => {
    answer({});
    await stage().session.setModel('claude-haiku-4-5');
    const change = {
      ...BASE,
      from_model: 'claude-sonnet-4-5',
      to_model: 'claude-haiku-4-5',
      requested_model: 'claude-haiku-4-5',
      source: expect.any(String),
    };
    expect(inputs('PreModelSwitch')).toMatchObject([change]);
    expect(await modelNow()).toBe('claude-haiku-4-5');
    expect(inputs('PostModelSwitch')).toMatchObject([change]);
  });

  it.sequential.each([
    ['deny', () => deny('reason-of-the-model')],
    ['stopTurn', () => stopTurn('reason-of-the-model')],
    ['askUser', () => askUser('reason-of-the-model')],
  ])('[H-4] PreModelSwitch %s keeps the model, and setModel fails with the reason', async (_, act) => {
    answer({ PreModelSwitch: act });
    await expect(stage().session.setModel('claude-sonnet-4-5')).rejects.toThrow('reason-of-the-model');
    answer({});
    expect(await modelNow()).toBe('claude-haiku-4-5');
  });

  it.sequential('[H-4] PreModelSwitch allow and addContext let the model change', async () => {
    answer({ PreModelSwitch: () => allow() });
    await stage().session.setModel('claude-sonnet-4-5');
    expect(await modelNow()).toBe('claude-sonnet-4-5');
    answer({ PreModelSwitch: () => addContext('words-about-the-model') });
    await stage().session.setModel('claude-haiku-4-5');
    expect(await modelNow()).toBe('claude-haiku-4-5');
    expect(stage().warnings.at(-1)).toMatchObject({
      code: 'decision-not-expressible',
      context: { what: 'addContext' },
    });
  });

  it.sequential.each([
    ['PreModelSwitch', [modifyInput({ a: 1 }), deferTool(), replaceOutput('x')]],
    ['PostModelSwitch', [deny('no'), modifyInput({ a: 1 }), askUser('who'), deferTool(), replaceOutput('x')]],
  ] as const)(
    '[H-4, H-5] %s: unsupported decisions cause a warning, and the model changes',
    async (event, outcomes) => {
      let model = await modelNow();
      for (const outcome of outcomes) {
        model = model === 'claude-haiku-4-5' ? 'claude-sonnet-4-5' : 'claude-haiku-4-5';
        answer({ [event]: () => outcome });
        await stage().session.setModel(model);
        expect(await modelNow()).toBe(model);
        expect(stage().warnings.at(-1)).toMatchObject({
          code: 'decision-not-expressible',
          context: { event, what: outcome.decision },
        });
      }
    },
  );

  it.sequential('[H-4] PostModelSwitch addContext reaches the model; stopTurn ends no turn', async () => {
    answer({});
    await stage().session.setModel('claude-haiku-4-5');
    answer({ PostModelSwitch: () => addContext('context-of-the-model') });
    await stage().session.setModel('claude-sonnet-4-5');
    expect((await stage().play([text('I see')])).modelReceived('context-of-the-model')).toBe(true);
    answer({ PostModelSwitch: () => stopTurn('enough') });
    await stage().session.setModel('claude-haiku-4-5');
    expect((await stage().play([text('I go on')])).outcome).toMatchObject({ kind: 'completed', text: 'I go on' });
  });

  it.sequential('[H-3] the inputs have neither missing nor new fields', () => {
    expect(stage().count('hook-input-changed')).toBe(0);
  });
});

describe.concurrent.each(testedVersions.filter((version) => version !== pinnedVersion))(
  'changes of the model in %s',
  (version) => {
    it('[H-1, C-5] have no hooks there: a guard that would never run is refused with the release it needs', async () => {
      const { hooks } = hooked('PreModelSwitch', 'PostModelSwitch');
      await expect(openStage(version, { hooks, model: 'claude-sonnet-4-5' })).rejects.toMatchObject({
        code: 'unsupported-option',
        message: expect.stringMatching(/hooks\.PreModelSwitch needs Claude Code 2\.1\.251.*; found 2\.1\.197/),
      });
    });
  },
);
