import { apiError, text, toolUse } from '@coxswain/testkit';
import {
  allow,
  ask,
  context,
  defer,
  deny,
  isSystem,
  type Message,
  modify,
  outcomeOf,
  replaceOutput,
  stop,
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

const AGENT = {
  description: 'look',
  prompt: 'Look around.',
  subagent_type: 'general-purpose',
  run_in_background: false,
};

/** The outcomes that belong to tools alone, and what the warning calls them. */
const OF_TOOLS = [
  ['modify', modify({ a: 1 })],
  ['ask', ask('who')],
  ['defer', defer()],
  ['replace-output', replaceOutput('x')],
] as const;

describe.each(testedVersions)('prompts and answers in %s', (version) => {
  const { hooks, answer, inputs } = hooked('UserPromptSubmit', 'Stop', 'StopFailure', 'MessageDisplay');
  const stage = sharedStage(version, { hooks });
  const goingOn = (event: string, outcome: unknown): Promise<Played> => {
    answer({ [event]: () => Object(outcome) });
    return stage().play([text('as usual')]);
  };

  it('[H-1, H-3] all three of a turn are asked with what it is about', async () => {
    answer({});
    const turn = await stage().play([text('the answer')], { prompt: 'the prompt' });
    expect(inputs('UserPromptSubmit')).toMatchObject([{ ...BASE, prompt: expect.stringMatching(/^the prompt/) }]);
    expect(inputs('MessageDisplay')).toMatchObject([
      {
        ...BASE,
        turn_id: expect.any(String),
        message_id: expect.any(String),
        index: 0,
        final: true,
        delta: 'the answer',
      },
    ]);
    expect(inputs('Stop')).toMatchObject([{ ...BASE, stop_hook_active: false, last_assistant_message: 'the answer' }]);
    expect(inputs('StopFailure')).toEqual([]);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'the answer' });
  });

  it.each([
    ['deny', () => deny('reason-of-the-prompt')],
    ['deny with interrupt', () => deny('reason-of-the-prompt', { interrupt: true })],
    ['stop', () => stop('reason-of-the-prompt')],
  ])('[H-4] UserPromptSubmit %s: the model is never asked', async (_, act) => {
    answer({ UserPromptSubmit: act });
    const turn = await stage().play([text('unheard')]);
    expect(turn.requests).toEqual([]);
    expect(turn.outcome).toMatchObject({ kind: 'stopped-by-hook', at: 'prompt' });
    expect(turn.outcome).toHaveProperty('message', expect.stringContaining('reason-of-the-prompt'));
    expect(turn.warnings).toEqual([]);
  });

  it.each([
    ['context', () => context('context-of-the-prompt')],
    ['allow with context', () => allow({ context: 'context-of-the-prompt' })],
  ])('[H-4] UserPromptSubmit %s: the model is told', async (_, act) => {
    answer({ UserPromptSubmit: act });
    const turn = await stage().play([text('I see')]);
    expect(turn.told('context-of-the-prompt')).toBe(true);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'I see' });
  });

  it.each([
    ['deny', () => deny('words-at-the-stop')],
    ['context', () => context('words-at-the-stop')],
  ])('[H-4] Stop %s: the model is told and goes on', async (_, act) => {
    answer({ Stop: ({ stop_hook_active }) => (stop_hook_active ? undefined : act()) });
    const turn = await stage().play([text('I am done'), text('now I am')]);
    expect(turn.requests).toHaveLength(2);
    expect(turn.told('words-at-the-stop')).toBe(true);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'now I am' });
    expect(inputs('Stop')).toMatchObject([{ stop_hook_active: false }, { stop_hook_active: true }]);
  });

  it('[H-4] Stop stop: the turn ends, and its result says so', async () => {
    answer({ Stop: () => stop('enough') });
    const turn = await stage().play([text('I am done'), text('unheard')]);
    expect(turn.requests).toHaveLength(1);
    expect(turn.outcome).toMatchObject({ kind: 'stopped-by-hook', at: 'stop', message: 'I am done' });
  });

  it.each(['UserPromptSubmit', 'Stop', 'MessageDisplay'])(
    '[H-4, H-5] %s: what belongs to tools has no place, and things go on',
    async (event) => {
      for (const [what, outcome] of OF_TOOLS) {
        const turn = await goingOn(event, outcome);
        expect(turn.requests).toHaveLength(1);
        expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'as usual' });
        expect(turn.warnings).toMatchObject([{ code: 'outcome-not-expressible', context: { event, what } }]);
      }
      const turn = await goingOn(event, { async: true });
      expect(turn).toMatchObject({ outcome: { kind: 'completed', text: 'as usual' }, warnings: [] });
    },
  );

  it('[H-4] MessageDisplay deny and context have no place: the text is shown all the same', async () => {
    for (const outcome of [deny('no'), context('words-nobody-hears')]) {
      const turn = await goingOn('MessageDisplay', outcome);
      expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'as usual' });
      expect(turn.warnings).toMatchObject([{ code: 'outcome-not-expressible', context: { what: outcome.outcome } }]);
    }
    expect((await stage().play([text('next')])).told('words-nobody-hears')).toBe(false);
  });

  it('[H-4] MessageDisplay stop: the turn does not go on', async () => {
    let first = true;
    answer({
      MessageDisplay: () => {
        const now = first;
        first = false;
        return now ? stop('enough') : {};
      },
    });
    const told = [text('first I will look'), toolUse('Read', { file_path: stage().path('nothing') })];
    const turn = await stage().play([told, text('unheard'), text('unheard')]);
    expect(turn.outcome).toMatchObject({ kind: 'interrupted' });
    expect(JSON.stringify(turn.messages)).not.toContain('unheard');
  });

  it('[H-1, H-3] StopFailure comes instead of Stop when the API fails', async () => {
    answer({});
    const turn = await stage().play([apiError(403)]);
    expect(inputs('StopFailure')).toMatchObject([
      { ...BASE, error: 'authentication_failed', last_assistant_message: expect.stringContaining('403') },
    ]);
    expect(inputs('Stop')).toEqual([]);
    expect(turn.outcome).toMatchObject({ kind: 'auth', status: 403 });
  });

  it.each([
    ['deny', () => deny('try again'), ['deny']],
    ['context', () => context('try again'), ['context']],
    ['stop', () => stop('enough'), []],
  ])('[H-4] StopFailure %s: the failure stands, and the next turn runs', async (_, act, what) => {
    answer({ StopFailure: act });
    const turn = await stage().play([apiError(403), text('unheard')]);
    expect(turn.requests).toHaveLength(1);
    expect(turn.outcome).toMatchObject({ kind: 'auth', status: 403 });
    expect(turn.warnings.map((warning) => warning.context.what)).toEqual(what);
    answer({});
    expect((await stage().play([text('better now')])).outcome).toMatchObject({ kind: 'completed', text: 'better now' });
  });

  it('[H-3] no field of the inputs was missing or new', () => {
    expect(stage().count('hook-input-changed')).toBe(0);
  });
});

describe.each(testedVersions)('subagents in %s', (version) => {
  const { hooks, answer, inputs } = hooked('SubagentStart', 'SubagentStop');
  const stage = sharedStage(version, { hooks });
  const play = (...said: readonly string[]): Promise<Played> =>
    stage().play([toolUse('Agent', AGENT), text('thanks')], { agent: said.map((words) => text(words)) });
  const agentTold = (words: string): boolean =>
    stage().api.requests.some(({ kind, body }) => kind === 'subagent' && JSON.stringify(body.messages).includes(words));

  it('[H-1, H-3] are asked about when they start and stop', async () => {
    answer({});
    await play('nothing here');
    const agent = { agent_id: expect.any(String), agent_type: 'general-purpose' };
    expect(inputs('SubagentStart')).toMatchObject([{ ...BASE, ...agent }]);
    expect(inputs('SubagentStop')).toMatchObject([
      {
        ...BASE,
        ...agent,
        stop_hook_active: false,
        agent_transcript_path: expect.stringMatching(/subagents.*\.jsonl$/),
        last_assistant_message: 'nothing here',
      },
    ]);
  });

  it('[H-4] SubagentStart context: the subagent is told', async () => {
    answer({ SubagentStart: () => context('context-of-the-agent') });
    const turn = await play('I see');
    expect(agentTold('context-of-the-agent')).toBe(true);
    expect(turn.told('context-of-the-agent')).toBe(false);
  });

  it('[H-4] SubagentStart deny: the subagent starts all the same, and there is a warning', async () => {
    answer({ SubagentStart: () => deny('do not') });
    const turn = await play('started all the same');
    expect(turn.requests[1]?.toolResults[0]?.text).toContain('started all the same');
    expect(turn.warnings).toMatchObject([{ code: 'outcome-not-expressible', context: { what: 'deny' } }]);
  });

  it.each([
    ['deny', () => deny('words-of-the-stop')],
    ['context', () => context('words-of-the-stop')],
  ])('[H-4] SubagentStop %s: the subagent is told and goes on', async (_, act) => {
    answer({ SubagentStop: ({ stop_hook_active }) => (stop_hook_active ? undefined : act()) });
    const turn = await play('done too soon', 'done at last');
    expect(agentTold('words-of-the-stop')).toBe(true);
    expect(turn.requests[1]?.toolResults[0]?.text).toContain('done at last');
  });

  it.each(['SubagentStart', 'SubagentStop'])('[H-4] %s stop: the whole turn is over', async (event) => {
    answer({ [event]: () => stop('enough') });
    const turn = await play('unheard');
    expect(turn.requests).toHaveLength(1);
    expect(turn.outcome).toMatchObject({ kind: 'interrupted', during: 'tools' });
  });

  it('[H-3] no field of the inputs was missing or new', () => {
    expect(stage().count('hook-input-changed')).toBe(0);
  });
});

describe.each(testedVersions)('compaction and clearing in %s', (version) => {
  const events = ['PreCompact', 'PostCompact', 'SessionStart', 'SessionEnd'];
  const { hooks, answer, inputs } = hooked(...events);
  const stage = sharedStage(version, { hooks });
  const wasCompacted = ({ messages }: { readonly messages: readonly Message[] }): boolean =>
    messages.some((message) => isSystem(message) && message.subtype === 'compact_boundary');
  /** Enough to be summed up: older releases refuse a short conversation. */
  const talk = async (): Promise<void> => {
    for (const said of ['one', 'two']) await stage().play([text(said)]);
  };

  it('[H-1, H-3] PreCompact, SessionStart and PostCompact are asked in a compaction', async () => {
    answer({});
    await talk();
    const turn = await stage().play([], { prompt: '/compact be brief' });
    expect(wasCompacted(turn)).toBe(true);
    expect(inputs('PreCompact')).toMatchObject([{ ...BASE, trigger: 'manual', custom_instructions: 'be brief' }]);
    expect(inputs('SessionStart')).toMatchObject([{ ...BASE, source: 'compact' }]);
    expect(inputs('PostCompact')).toMatchObject([{ ...BASE, trigger: 'manual', compact_summary: expect.any(String) }]);
  });

  it.each([
    ['deny', () => deny('not now')],
    ['stop', () => stop('not now')],
  ])('[H-4] PreCompact %s: nothing is compacted', async (_, act) => {
    answer({ PreCompact: act });
    await talk();
    const turn = await stage().play([], { prompt: '/compact' });
    expect(wasCompacted(turn)).toBe(false);
    expect(inputs('PostCompact')).toEqual([]);
    expect((await stage().play([text('still here')])).outcome).toMatchObject({ kind: 'completed', text: 'still here' });
  });

  it('[H-4] PreCompact context has no place: it is compacted, and there is a warning', async () => {
    answer({ PreCompact: () => context('words-for-the-summary') });
    await talk();
    const turn = await stage().play([], { prompt: '/compact' });
    expect(wasCompacted(turn)).toBe(true);
    expect(turn.warnings).toMatchObject([{ code: 'outcome-not-expressible', context: { what: 'context' } }]);
    expect(JSON.stringify(stage().api.requests.map(({ body }) => body))).not.toContain('words-for-the-summary');
  });

  it('[H-4] PostCompact: deny, context and stop change nothing', async () => {
    for (const act of [deny('no'), context('no'), stop('no')]) {
      answer({ PostCompact: () => act });
      await talk();
      expect(wasCompacted(await stage().play([], { prompt: '/compact' }))).toBe(true);
    }
    expect((await stage().play([text('next')])).outcome).toMatchObject({ kind: 'completed', text: 'next' });
  });

  it.each([
    ['/compact', 'compact'],
    ['/clear', 'clear'],
  ])('[H-1, H-4] SessionStart context after %s: the model is told in the next turn', async (prompt, source) => {
    answer({ SessionStart: () => context(`context-of-${source}`) });
    await talk();
    await stage().play([], { prompt });
    expect(inputs('SessionStart')).toMatchObject([{ ...BASE, source }]);
    const next = await stage().play([text('I see')]);
    expect(next.told(`context-of-${source}`)).toBe(true);
  });

  it('[H-4] SessionStart: deny and stop do not stand in the way of a clear', async () => {
    for (const act of [deny('no'), stop('no')]) {
      answer({ SessionStart: () => act });
      await stage().play([text('to be forgotten')]);
      await stage().session.clear();
      const next = await stage().play([text('next')]);
      expect(next.told('to be forgotten')).toBe(false);
      expect(next.outcome).toMatchObject({ kind: 'completed', text: 'next' });
    }
  });

  it('[H-1, H-3, H-4] SessionEnd is asked at a clear, and cannot prevent it', async () => {
    for (const act of [undefined, deny('no'), context('no'), stop('no')]) {
      answer({ SessionEnd: () => act });
      await stage().play([text('to be forgotten')]);
      const before = stage().session.id;
      await stage().session.clear();
      expect(inputs('SessionEnd')).toMatchObject([{ ...BASE, session_id: before, reason: 'clear' }]);
      const next = await stage().play([text('next')]);
      expect(next.told('to be forgotten')).toBe(false);
    }
  });

  it('[H-3] no field of the inputs was missing or new', () => {
    expect(stage().count('hook-input-changed')).toBe(0);
  });
});

describe(`changes of the model in ${pinnedVersion}`, () => {
  const { hooks, answer, inputs } = hooked('PreModelSwitch', 'PostModelSwitch');
  const stage = sharedStage(pinnedVersion, { hooks, model: 'claude-sonnet-4-5' });
  const modelNow = async (): Promise<string | undefined> => (await stage().play([text('hm')])).requests[0]?.model;

  it('[H-1, H-3] are asked about before and after', async () => {
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

  it.each([
    ['deny', () => deny('reason-of-the-model')],
    ['stop', () => stop('reason-of-the-model')],
    ['ask', () => ask('reason-of-the-model')],
  ])('[H-4] PreModelSwitch %s: the model stays, and setModel fails with the reason', async (_, act) => {
    answer({ PreModelSwitch: act });
    await expect(stage().session.setModel('claude-sonnet-4-5')).rejects.toThrow('reason-of-the-model');
    answer({});
    expect(await modelNow()).toBe('claude-haiku-4-5');
  });

  it('[H-4] PreModelSwitch allow and context: the model changes', async () => {
    answer({ PreModelSwitch: () => allow() });
    await stage().session.setModel('claude-sonnet-4-5');
    expect(await modelNow()).toBe('claude-sonnet-4-5');
    answer({ PreModelSwitch: () => context('words-about-the-model') });
    await stage().session.setModel('claude-haiku-4-5');
    expect(await modelNow()).toBe('claude-haiku-4-5');
    expect(stage().warnings.at(-1)).toMatchObject({ code: 'outcome-not-expressible', context: { what: 'context' } });
  });

  it('[H-4] PostModelSwitch context: the model is told; stop ends no turn', async () => {
    answer({ PostModelSwitch: () => context('context-of-the-model') });
    await stage().session.setModel('claude-sonnet-4-5');
    expect((await stage().play([text('I see')])).told('context-of-the-model')).toBe(true);
    answer({ PostModelSwitch: () => stop('enough') });
    await stage().session.setModel('claude-haiku-4-5');
    expect((await stage().play([text('I go on')])).outcome).toMatchObject({ kind: 'completed', text: 'I go on' });
  });

  it('[H-3] no field of the inputs was missing or new', () => {
    expect(stage().count('hook-input-changed')).toBe(0);
  });
});

describe.each(testedVersions.filter((version) => version !== pinnedVersion))(
  'changes of the model in %s',
  (version) => {
    it('[H-1] have no hooks there: nobody is asked, and the model changes', async () => {
      const { hooks, answer, inputs } = hooked('PreModelSwitch', 'PostModelSwitch');
      await using stage = await openStage(version, { hooks, model: 'claude-sonnet-4-5' });
      answer({ PreModelSwitch: () => deny('no') });
      await stage.session.setModel('claude-haiku-4-5');
      const turn = stage.begin([text('hm')]);
      expect(outcomeOf(await turn.result())).toMatchObject({ kind: 'completed' });
      expect(stage.api.conversation.at(-1)?.model).toBe('claude-haiku-4-5');
      expect(inputs('PreModelSwitch')).toEqual([]);
    });
  },
);
