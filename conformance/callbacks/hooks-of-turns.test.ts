import { apiError, text, toolUse } from '@coxswain/testkit';
import { addContext, allow, askUser, deferTool, deny, modifyInput, replaceOutput, stopTurn } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { hooked } from './hooked.ts';
import { type Played, sharedStage } from './stage.ts';

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

/** The decisions that apply only to tools, and their names in the warning. */
const OF_TOOLS = [
  ['modifyInput', modifyInput({ a: 1 })],
  ['askUser', askUser('who')],
  ['deferTool', deferTool()],
  ['replaceOutput', replaceOutput('x')],
] as const;

describe.concurrent.each(testedVersions)('prompts, answers and subagents in %s', (version) => {
  const ofTurns = ['UserPromptSubmit', 'MessageDisplay', 'Stop'];
  const { hooks, answer, inputs } = hooked(...ofTurns, 'StopFailure', 'SubagentStart', 'SubagentStop', 'PreToolUse');
  const stage = sharedStage(version, { hooks, allowedTools: ['Bash'] });
  const goingOn = (events: readonly string[], outcome: unknown): Promise<Played> => {
    answer(Object.fromEntries(events.map((event) => [event, () => Object(outcome)])));
    return stage().play([text('as usual')]);
  };
  const order = (event: unknown): number => ofTurns.indexOf(String(event));
  const playAgent = (...texts: readonly string[]): Promise<Played> =>
    stage().play([toolUse('Agent', AGENT), text('thanks')], { agent: texts.map((words) => text(words)) });
  const agentTold = (words: string): boolean =>
    stage().api.requests.some(({ kind, body }) => kind === 'subagent' && JSON.stringify(body.messages).includes(words));

  it.sequential('[H-1, H-3] UserPromptSubmit, MessageDisplay and Stop receive the content of their turn', async () => {
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

  it.sequential.each([
    ['deny', () => deny('reason-of-the-prompt')],
    ['deny with interrupt', () => deny('reason-of-the-prompt', { interrupt: true })],
    ['stopTurn', () => stopTurn('reason-of-the-prompt')],
  ])('[H-4] UserPromptSubmit %s: no request reaches the model', async (_, act) => {
    answer({ UserPromptSubmit: act });
    const turn = await stage().play([text('unheard')]);
    expect(turn.requests).toEqual([]);
    expect(turn.outcome).toMatchObject({ kind: 'stopped-by-hook', at: 'prompt' });
    expect(turn.outcome).toHaveProperty('message', expect.stringContaining('reason-of-the-prompt'));
    expect(turn.warnings).toEqual([]);
  });

  it.sequential.each([
    ['addContext', () => addContext('context-of-the-prompt')],
    ['allow with context', () => allow({ context: 'context-of-the-prompt' })],
  ])('[H-4] UserPromptSubmit %s: the text reaches the model', async (_, act) => {
    answer({ UserPromptSubmit: act });
    const turn = await stage().play([text('I see')]);
    expect(turn.modelReceived('context-of-the-prompt')).toBe(true);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'I see' });
  });

  it.sequential.each([
    ['deny', () => deny('words-at-the-stop')],
    ['addContext', () => addContext('words-at-the-stop')],
  ])('[H-4] Stop %s: the text reaches the model, and the turn continues', async (_, act) => {
    answer({ Stop: ({ stop_hook_active }) => (stop_hook_active ? undefined : act()) });
    const turn = await stage().play([text('I am done'), text('now I am')]);
    expect(turn.requests).toHaveLength(2);
    expect(turn.modelReceived('words-at-the-stop')).toBe(true);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'now I am' });
    expect(inputs('Stop')).toMatchObject([{ stop_hook_active: false }, { stop_hook_active: true }]);
  });

  it.sequential('[H-4] Stop stopTurn: the turn ends, which its result reports', async () => {
    answer({ Stop: () => stopTurn('enough') });
    const turn = await stage().play([text('I am done'), text('unheard')]);
    expect(turn.requests).toHaveLength(1);
    expect(turn.outcome).toMatchObject({ kind: 'stopped-by-hook', at: 'stop', message: 'I am done' });
  });

  it.sequential('[H-4, H-5] UserPromptSubmit, MessageDisplay and Stop: decisions about tools are not supported, and the turn continues', async () => {
    for (const [what, outcome] of OF_TOOLS) {
      const turn = await goingOn(ofTurns, outcome);
      expect(turn.requests).toHaveLength(1);
      expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'as usual' });
      // The hooks of the answer and of its end may run in either order.
      const warned = turn.warnings.toSorted((a, b) => order(a.context.event) - order(b.context.event));
      expect(warned).toMatchObject(
        ofTurns.map((event) => ({ code: 'decision-not-expressible', context: { event, what } })),
      );
    }
    const turn = await goingOn(ofTurns, { async: true });
    expect(turn).toMatchObject({ outcome: { kind: 'completed', text: 'as usual' }, warnings: [] });
    for (const event of ofTurns) expect(inputs(event)).toHaveLength(1);
  });

  it.sequential('[H-4] MessageDisplay deny and addContext are not supported: the text is still shown', async () => {
    for (const outcome of [deny('no'), addContext('words-nobody-hears')]) {
      const turn = await goingOn(['MessageDisplay'], outcome);
      expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'as usual' });
      expect(turn.warnings).toMatchObject([{ code: 'decision-not-expressible', context: { what: outcome.decision } }]);
    }
    expect((await stage().play([text('next')])).modelReceived('words-nobody-hears')).toBe(false);
  });

  it.sequential('[H-4] MessageDisplay stopTurn: the turn does not continue', async () => {
    let first = true;
    answer({
      MessageDisplay: () => {
        const now = first;
        first = false;
        return now ? stopTurn('enough') : {};
      },
    });
    const lines = [text('first I will look'), toolUse('Read', { file_path: stage().path('nothing') })];
    const turn = await stage().play([lines, text('unheard'), text('unheard')]);
    expect(turn.outcome).toMatchObject({ kind: 'interrupted' });
    expect(turn.messagesContain('unheard')).toBe(false);
  });

  it.sequential('[H-1, H-3] StopFailure runs instead of Stop if the API fails', async () => {
    answer({});
    const turn = await stage().play([apiError(403)]);
    expect(inputs('StopFailure')).toMatchObject([
      { ...BASE, error: 'authentication_failed', last_assistant_message: expect.stringContaining('403') },
    ]);
    expect(inputs('Stop')).toEqual([]);
    expect(turn.outcome).toMatchObject({ kind: 'auth', status: 403 });
  });

  it.sequential.each([
    ['deny', () => deny('try again'), ['deny']],
    ['addContext', () => addContext('try again'), ['addContext']],
    ['modifyInput', () => modifyInput({ a: 1 }), ['modifyInput']],
    ['askUser', () => askUser('who'), ['askUser']],
    ['deferTool', () => deferTool(), ['deferTool']],
    ['replaceOutput', () => replaceOutput('x'), ['replaceOutput']],
    ['stopTurn', () => stopTurn('enough'), []],
  ])('[H-4] StopFailure %s: the turn still fails, and the session continues', async (_, act, what) => {
    answer({ StopFailure: act });
    const turn = await stage().play([apiError(403), text('unheard')]);
    expect(turn.requests).toHaveLength(1);
    expect(turn.outcome).toMatchObject({ kind: 'auth', status: 403 });
    expect(turn.warnings.map((warning) => warning.context.what)).toEqual(what);
  });

  it.sequential('[H-4] after a StopFailure of any kind the next turn runs', async () => {
    answer({});
    expect((await stage().play([text('better now')])).outcome).toMatchObject({ kind: 'completed', text: 'better now' });
  });

  it.sequential('[H-1, H-3] SubagentStart and SubagentStop run when subagents start and stop', async () => {
    answer({});
    await playAgent('nothing here');
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

  it.sequential('[H-4] SubagentStart addContext reaches the subagent', async () => {
    answer({ SubagentStart: () => addContext('context-of-the-agent') });
    const turn = await playAgent('I see');
    expect(agentTold('context-of-the-agent')).toBe(true);
    expect(turn.modelReceived('context-of-the-agent')).toBe(false);
  });

  it.sequential('[H-4] SubagentStart deny: the subagent still starts, with a warning', async () => {
    answer({ SubagentStart: () => deny('do not') });
    const turn = await playAgent('started all the same');
    expect(turn.requests[1]?.toolResults[0]?.text).toContain('started all the same');
    expect(turn.warnings).toMatchObject([{ code: 'decision-not-expressible', context: { what: 'deny' } }]);
  });

  it.sequential.each([
    ['deny', () => deny('words-of-the-stop')],
    ['addContext', () => addContext('words-of-the-stop')],
  ])('[H-4] SubagentStop %s: the text reaches the subagent, which continues', async (_, act) => {
    answer({ SubagentStop: ({ stop_hook_active }) => (stop_hook_active ? undefined : act()) });
    const turn = await playAgent('done too soon', 'done at last');
    expect(agentTold('words-of-the-stop')).toBe(true);
    expect(turn.requests[1]?.toolResults[0]?.text).toContain('done at last');
  });

  it.sequential('[H-1, H-4] PreToolUse runs for the calls of a subagent, and its deny is followed', async () => {
    answer({ PreToolUse: ({ tool_name }) => (tool_name === 'Bash' ? deny('reason-for-the-agent') : {}) });
    const agent = [toolUse('Bash', { command: 'echo ran > by-the-agent' }), text('what a pity')];
    await stage().play([toolUse('Agent', AGENT), text('thanks')], { agent });
    const call = inputs('PreToolUse').find(({ tool_name }) => tool_name === 'Bash');
    expect(call).toMatchObject({ agent_id: expect.any(String), agent_type: 'general-purpose' });
    expect(stage().read('by-the-agent')).toBeUndefined();
    expect(agentTold('reason-for-the-agent')).toBe(true);
  });

  it.sequential.each(['SubagentStart', 'SubagentStop'])('[H-4] %s stopTurn: the whole turn ends', async (event) => {
    answer({ [event]: () => stopTurn('enough') });
    const turn = await playAgent('unheard');
    expect(turn.messagesContain('unheard')).toBe(false);
    expect(turn.outcome).toMatchObject({ kind: 'interrupted' });
  });

  it.sequential('[H-3] the inputs have neither missing nor new fields', () => {
    expect(stage().count('hook-input-changed')).toBe(0);
  });
});
