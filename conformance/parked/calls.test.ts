import { text, thinking, toolUse } from '@coxswain/testkit';
import { type AgentOptions, allow, answerQuestions, deny } from 'coxswain';
import { describe, expect } from 'vitest';
import { QUESTION } from '../harness/question.ts';
import { historyOf } from './history.ts';
import { measuring, type StagedScript } from './measured.ts';
import { CALL, calls, command, runsCommand } from './model.ts';
import type { ParkingStage, ResumeOptions } from './stage.ts';
import { parkedVersions } from './versions.ts';
import { wordsOf } from './words.ts';

const asksQuestion = calls('AskUserQuestion', { questions: [QUESTION] });
const showsPlan = calls('ExitPlanMode', { plan: '1. Write a file.' });
const THINKING = { thinking: { type: 'enabled', budgetTokens: 2_000 } } as const;

/** The model writes its plan to the file that the CLI names, and shows it. */
const writesPlan: StagedScript = () => [
  ({ body }) => {
    const [path = ''] = /\/[^\s"'`\\]*plans\/[\w-]+\.md/.exec(JSON.stringify(body)) ?? [];
    return toolUse('Write', { file_path: path, content: '# A plan' });
  },
  toolUse('ExitPlanMode', {}, { id: CALL }),
  text('done'),
];

describe.concurrent.each(parkedVersions)('a request that is parked on %s', (version) => {
  const measure = measuring('calls', version);
  /** Parks the model's first request, resumes the conversation elsewhere, and describes what happened. */
  const again =
    (first: AgentOptions = {}, then: ResumeOptions = first, counts = true) =>
    async (stage: ParkingStage): Promise<string> => {
      const { id, asked } = await stage.park(first);
      const resumed = await stage.resume(id, then);
      return wordsOf({ stage, resumed, before: asked.at(-1), counts });
    };

  measure('a command, allowed', runsCommand, async (stage) => {
    const words = await again()(stage);
    expect(historyOf(stage.api.conversation.at(-1))).toEqual([
      '0 user: first prompt',
      `1 assistant: Bash ${CALL}`,
      expect.stringContaining(`2 user: result of ${CALL}: `),
      '2 user: Continue from where you left off.',
    ]);
    return words;
  });
  measure('a command, denied with a reason', runsCommand, again({}, { answer: () => deny('words of the person') }));
  measure(
    'a command, denied and the turn stopped',
    runsCommand,
    again({}, { answer: () => deny('no', { interrupt: true }) }),
  );
  measure('a command, allowed with another input', runsCommand, async (stage) => {
    const answer = (): ReturnType<typeof allow> =>
      allow({ updatedInput: { command: `echo changed >> ${stage.path('ran')}` } });
    const words = await again({}, { answer })(stage);
    expect(stage.read('ran')).toBe('changed\n');
    return words;
  });
  measure(
    'a file to be written, allowed',
    (stage) => [() => toolUse('Write', { file_path: stage().path('ran'), content: 'ran' }, { id: CALL }), text('done')],
    again(),
  );
  measure('a command, with `storeOnly`', runsCommand, again({ storeOnly: true }));
  measure(
    'a command after thinking with a signature',
    (stage) => [
      () => [thinking('let me see', { signature: 'c2lnbmVk' }), text('I will'), command(stage())],
      text('done'),
    ],
    async (stage) => {
      const words = await again(THINKING)(stage);
      expect(historyOf(stage.api.conversation.at(-1))).toContain('1 assistant: thinking let me see c2lnbmVk');
      return words;
    },
  );

  const answer = (): ReturnType<typeof answerQuestions> => answerQuestions({ 'Which one?': 'Right' });
  measure('a question, answered', asksQuestion, async (stage) => {
    const words = await again({}, { answer }, false)(stage);
    expect(stage.api.conversation.at(-1)?.toolResults[0]?.text).toMatch(/Which one\?.*Right/s);
    return words;
  });
  measure('a question, resumed without `canUseTool`', asksQuestion, again({}, { canUseTool: undefined }, false));
  measure(
    'a command, resumed without `canUseTool`',
    runsCommand,
    again({}, { canUseTool: undefined, permissionMode: 'default' }),
  );

  measure('a plan, approved in plan mode', showsPlan, again({ permissionMode: 'plan' }, undefined, false));
  measure('a plan, resumed in the default mode', showsPlan, again({ permissionMode: 'plan' }, {}, false));
  measure('a plan in a file, approved in plan mode', writesPlan, again({ permissionMode: 'plan' }, undefined, false));

  measure('a command that a rule allows when it is resumed', runsCommand, again({}, { allowedTools: ['Bash'] }));
  measure(
    'a command that a rule denies when it is resumed',
    runsCommand,
    again({}, { disallowedTools: ['Bash(echo *)'] }),
  );
  measure('a tool that is missing when it is resumed', runsCommand, again({}, { disallowedTools: ['Bash'] }));
  measure(
    'a file to be written, resumed with `acceptEdits`',
    (stage) => [() => toolUse('Write', { file_path: stage().path('ran'), content: 'ran' }, { id: CALL }), text('done')],
    (stage) => {
      const addDirs = [stage.home.root];
      return again({ addDirs }, { addDirs, permissionMode: 'acceptEdits' })(stage);
    },
  );

  measure('a tool that is missing when it is resumed, but not the second time', runsCommand, async (stage) => {
    const { id, asked } = await stage.park();
    const without = await stage.resume(id, { disallowedTools: ['Bash'] });
    await without.result();
    await without.session.close();
    const resumed = await stage.resume(id);
    return wordsOf({ stage, resumed, before: asked[0] });
  });
});
