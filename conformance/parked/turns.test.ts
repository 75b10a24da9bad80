import { text, toolUse, usage } from '@coxswain/testkit';
import { type AgentOptions, addContext, allow, decideLater, type Hooks, modifyInput } from 'coxswain';
import { describe, expect } from 'vitest';
import { waitUntil } from '../harness/wait-until.ts';
import { marker } from './entries.ts';
import { historyOf } from './history.ts';
import { measuring, type StagedScript } from './measured.ts';
import { CALL, command, runsCommand } from './model.ts';
import { type ParkingStage, type Resumed, type ResumeOptions, results } from './stage.ts';
import { parkedVersions } from './versions.ts';
import { wordsOf } from './words.ts';

const SCHEMA = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };

/** The cost of one answer with 1000 input and 100 output tokens with this model. */
const UNIT = 0.0045;
const PRICED = { model: 'claude-sonnet-4-5' } as const;

/** Every answer costs one unit. */
const runsPriced: StagedScript = (stage) => {
  const counts = usage({ input_tokens: 1_000, output_tokens: 100 });
  return [() => [command(stage()), counts], [text('done'), counts]];
};

const EVENTS = ['UserPromptSubmit', 'PreToolUse', 'PermissionRequest', 'PostToolUse', 'Stop'] as const;

describe.concurrent.each(parkedVersions)('the turn of a request that is parked on %s', (version) => {
  const measure = measuring('turns', version);
  interface Again {
    readonly resumed: Resumed;
    readonly words: string;
  }
  const again = async (stage: ParkingStage, first: AgentOptions = {}, then: ResumeOptions = first): Promise<Again> => {
    const { id, asked } = await stage.park(first);
    const resumed = await stage.resume(id, then);
    return { resumed, words: await wordsOf({ stage, resumed, before: asked[0] }) };
  };
  /** Resumes the conversation and leaves the request open. */
  const open = async (stage: ParkingStage): Promise<Resumed & { answer(): Promise<void> }> => {
    const { id } = await stage.park();
    const resumed = await stage.resume(id, { answer: () => decideLater() });
    const request = await waitUntil(() => resumed.asked[0], { what: 'the same request' });
    return { ...resumed, answer: () => resumed.session.answerPermission(request.id, allow()) };
  };

  measure('hooks', runsCommand, async (stage) => {
    const [before, after]: [string[], string[]] = [[], []];
    const noting = (ran: string[]): Hooks =>
      Object.fromEntries(EVENTS.map((event) => [event, () => void ran.push(event)]));
    await again(stage, { hooks: noting(before) }, { hooks: noting(after) });
    return `before: ${before.join(', ')}; after: ${after.join(', ')}`;
  });
  measure('a hook that changes the input', runsCommand, async (stage) => {
    const input = { command: `echo changed >> ${stage.path('ran')}` };
    const { words } = await again(stage, { hooks: { PreToolUse: () => modifyInput(input) } });
    expect(stage.read('ran')).toBe('changed\n');
    return words;
  });
  measure('a hook that adds context', runsCommand, async (stage) => {
    await again(stage, { hooks: { PreToolUse: () => addContext('words-of-the-hook') } });
    const times = JSON.stringify(stage.api.conversation.at(-1)?.body.messages).split('words-of-the-hook').length - 1;
    return `the model gets it ${times}×`;
  });

  measure('cost', runsPriced, async (stage) => {
    const { resumed } = await again(stage, PRICED);
    const { total_cost_usd } = await resumed.result();
    return `the result has the cost of ${Math.round((100 * total_cost_usd) / UNIT) / 100} of 2 answers`;
  });
  measure(
    'cost, after an earlier turn',
    (stage) => {
      const counts = usage({ input_tokens: 1_000, output_tokens: 100 });
      return [[text('first answer'), counts], () => [command(stage()), counts], [text('done'), counts]];
    },
    async (stage) => {
      const session = await stage.start({ sessionStore: stage.store, ...PRICED });
      await session.send('an earlier prompt').text();
      await session.close();
      const { resumed } = await again(stage, { ...PRICED, resume: session.id }, PRICED);
      const { total_cost_usd } = await resumed.result();
      const [result, own] = [total_cost_usd, resumed.session.cost().costUsd].map((usd) => Math.round(usd / UNIT));
      return `the result has the cost of ${result} of 3 answers, cost() of ${own}`;
    },
  );
  measure('`maxBudgetUsd` for one and a half answers', runsPriced, async (stage) => {
    const { words } = await again(stage, { ...PRICED, maxBudgetUsd: 1.5 * UNIT });
    return words;
  });
  measure('`maxTurns: 1`', runsCommand, async (stage) => (await again(stage, { maxTurns: 1 })).words);
  measure(
    '`maxTurns: 2`, and further calls of the model',
    (stage) => ['toolu_one', 'toolu_two', 'toolu_three', 'toolu_four'].map((id) => () => command(stage(), id)),
    async (stage) => (await again(stage, { maxTurns: 2 })).words,
  );
  measure(
    'structured output',
    (stage) => [
      () => command(stage()),
      toolUse('StructuredOutput', { answer: 43 }),
      text('done'),
      text('done'),
      text('done'),
    ],
    async (stage) => {
      const { resumed, words } = await again(stage, { outputSchema: SCHEMA });
      const { structured_output } = Object(await resumed.result());
      return `${words}; output: ${JSON.stringify(structured_output) ?? 'none'}`;
    },
  );
  measure('partial messages', runsCommand, async (stage) => {
    const { resumed, words } = await again(stage, { includePartialMessages: true });
    return `${words}; ${resumed.messages.some(({ type }) => type === 'stream_event') ? 'partials' : 'no partials'}`;
  });

  measure('another `model` when it is resumed', runsCommand, async (stage) => {
    await again(stage, { model: 'claude-sonnet-4-5' }, { model: 'claude-haiku-4-5' });
    return `continues with ${stage.api.conversation.at(-1)?.model.replace(/-\d{8}$/, '')}`;
  });
  measure('no `model` when it is resumed', runsCommand, async (stage) => {
    await again(stage, { model: 'claude-haiku-4-5' }, {});
    const [first, last] = [stage.api.conversation[0]?.model, stage.api.conversation.at(-1)?.model];
    return first === last ? 'continues with the same model' : 'continues with the default model';
  });
  measure('`setModel()` and `setPermissionMode()` before the answer', runsCommand, async (stage) => {
    const resumed = await open(stage);
    const before = stage.api.conversation[0]?.model;
    await resumed.session.setModel('claude-haiku-4-5');
    await resumed.session.setPermissionMode('acceptEdits');
    await resumed.answer();
    await resumed.result();
    const init = resumed.messages.find((message) => message.type === 'system' && message.subtype === 'init');
    const model = stage.api.conversation.at(-1)?.model === before ? 'not in this turn' : 'immediately';
    return `the model: ${model}; the mode in \`init\`: ${Object(init).permissionMode}`;
  });

  measure('a prompt before the answer', runsCommand, async (stage) => {
    const resumed = await open(stage);
    const turn = resumed.session.send('second prompt');
    // The CLI reads its input in order: once this is answered, it has the prompt too.
    await resumed.session.ping();
    await resumed.answer();
    const answer = await turn.text();
    const how = answer === 'done' ? 'one run for both, one result' : 'its own run after that of the parked turn';
    expect(historyOf(stage.api.conversation.at(-1)).join()).toContain(`result of ${CALL}`);
    return how;
  });
  measure('an interrupt before the answer, and a prompt', runsCommand, async (stage) => {
    const resumed = await open(stage);
    await resumed.session.interrupt();
    const before = { toolUseId: CALL, input: resumed.asked[0]?.input ?? {} };
    await resumed.result();
    await resumed.session.send('second prompt').text();
    return wordsOf({ stage, resumed, before });
  });
  measure('the next prompt in the same process', runsCommand, async (stage) => {
    const { resumed } = await again(stage);
    const answer = await resumed.session.send('second prompt').text();
    expect(answer).toBe('second answer');
    return `${results(resumed.messages).length} results`;
  });

  /** A conversation that is long enough for `/compact`. */
  const talk = async (stage: ParkingStage, ...prompts: readonly string[]): Promise<string> => {
    const session = await stage.start({ sessionStore: stage.store });
    for (const prompt of prompts) await session.send(prompt).result();
    await session.close();
    return session.id ?? '';
  };
  const talksFirst: StagedScript = (stage) => [text('one'), text('two'), () => command(stage()), text('done')];
  const isCompacted = (stage: ParkingStage): void =>
    expect(historyOf(stage.api.conversation.at(-1))[0]).toContain('This session is being continued');

  measure('`/compact` before the turn', talksFirst, async (stage) => {
    const id = await talk(stage, 'an earlier prompt', 'another one', '/compact');
    const { words } = await again(stage, { resume: id }, {});
    isCompacted(stage);
    return words;
  });
  measure('`/compact` between the kill and the marker', talksFirst, async (stage) => {
    const earlier = await talk(stage, 'an earlier prompt', 'another one');
    const { id, key, kill, asked } = await stage.ask({ resume: earlier });
    await kill();
    const between = await stage.resume(id);
    await between.session.send('/compact').result();
    await between.session.close();
    await stage.append(key, [marker(await stage.entries(id), asked[0])]);
    const resumed = await stage.resume(id);
    return wordsOf({ stage, resumed, before: asked[0] });
  });
});
