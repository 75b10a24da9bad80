import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { allow, answerQuestions, type CanUseTool, deny, outcomeOf } from '../../../packages/sdk/src/index.ts';
import { text, toolUse } from '../../../packages/testkit/src/fake-api/reply.ts';
import { QUESTION } from '../../harness/question.ts';
import type { Bench, Played } from '../bench.ts';
import { differs, expecting, type Feature, no, type Probe, yes } from '../probe.ts';

/** Whether `canUseTool` is asked and its decision followed, and rules are enforced. */
export const permissionProbes: readonly Probe[] = [
  asking(
    'canUseTool',
    '`canUseTool`: `allow`',
    () => allow(),
    (bench) => ({
      'the tool runs': bench.read('written') === 'by the model',
    }),
  ),
  asking(
    'canUseTool:deny',
    '`canUseTool`: `deny`',
    () => deny('words-of-the-person'),
    (bench) => ({
      'the tool does not run': bench.read('written') === undefined,
      'the model receives it': bench.modelReceived('words-of-the-person'),
    }),
  ),
  asking(
    'canUseTool:updatedInput',
    '`canUseTool`: `allow` with another input',
    ({ input }) => allow({ updatedInput: { ...input, content: 'by the person' } }),
    (bench) => ({ 'the tool runs with it': bench.read('written') === 'by the person' }),
  ),
  {
    ...permission('canUseTool:interrupt', '`canUseTool`: `deny` that ends the turn'),
    async prove(bench) {
      const session = await bench.start({ canUseTool: () => deny('enough', { interrupt: true }) });
      const { turn } = await bench.play(session, [write(bench, 'written'), text('done')]);
      if (bench.read('written') !== undefined || bench.asked.length > 1)
        return no('the tool runs, or the turn continues');
      const { kind } = outcomeOf(await turn.result());
      return kind === 'interrupted' ? yes : differs(`the outcome of the turn is ${kind}`);
    },
  },
  {
    ...permission('canUseTool:suggestions', '`canUseTool`: suggested rules apply from then on'),
    async prove(bench) {
      let asked = 0;
      const canUseTool: CanUseTool = ({ suggestions }) => {
        asked++;
        return allow({ updatedPermissions: suggestions });
      };
      const session = await bench.start({ canUseTool, allowPermissionUpdates: true });
      await bench.play(session, [write(bench, 'first'), write(bench, 'second'), text('done')]);
      return expecting({
        'the tools run': bench.read('second') === 'by the model',
        'only one request is made': asked === 1,
      });
    },
  },
  {
    ...permission('canUseTool:question', '`canUseTool`: questions of the model are answered'),
    async prove(bench) {
      const session = await bench.start({ canUseTool: () => answerQuestions({ 'Which one?': 'Right' }) });
      await bench.play(session, [toolUse('AskUserQuestion', { questions: [QUESTION] }), text('done')]);
      const received = bench.asked.at(-1)?.toolResults.at(-1);
      return expecting({ 'the model gets the answer': received?.isError === false && received.text.includes('Right') });
    },
  },
  {
    ...permission('canUseTool:plan', '`canUseTool`: plans are approved'),
    async prove(bench) {
      const asked: string[] = [];
      const canUseTool: CanUseTool = ({ kind }) => {
        asked.push(kind);
        return allow();
      };
      const session = await bench.start({ permissionMode: 'plan', canUseTool });
      await bench.play(session, [toolUse('ExitPlanMode', { plan: '1. Write a file.' }), text('to work')]);
      const { messages } = await bench.play(session, [text('hm')]);
      if (!asked.includes('plan')) return no('no request is made');
      return messages.find((message) => message.type === 'system' && message.subtype === 'init')?.permissionMode ===
        'plan'
        ? differs('the mode does not change')
        : yes;
    },
  },
  {
    ...permission('canUseTool:no-mode', '`canUseTool` is asked if neither options nor settings set a mode'),
    async prove(bench) {
      let asked = 0;
      rmSync(join(bench.home.configDir, 'settings.json'));
      const session = await bench.start({
        canUseTool() {
          asked++;
          return deny('no');
        },
      });
      const { messages } = await bench.play(session, [write(bench, 'written'), text('done')]);
      const mode = messages.find((message) => message.type === 'system' && message.subtype === 'init')?.permissionMode;
      return asked > 0 ? yes : differs(`the mode is then ${mode}, which does not ask`);
    },
  },
  {
    ...permission('rules:deny', '`disallowedTools`: a denied command does not run'),
    async prove(bench) {
      const session = await bench.start({ allowedTools: ['Bash'], disallowedTools: ['Bash(touch:*)'] });
      await bench.play(session, [toolUse('Bash', { command: 'touch ran' }), text('done')]);
      return expecting({ 'it does not run': bench.read('ran') === undefined });
    },
  },
];

type Facts = Readonly<Record<string, boolean>>;

function permission(id: string, title: string): Feature {
  return { id, group: 'permissions', title };
}

function asking(
  id: string,
  title: string,
  canUseTool: CanUseTool,
  look: (bench: Bench, played: Played) => Facts | Promise<Facts>,
): Probe {
  return {
    ...permission(id, title),
    async prove(bench) {
      const session = await bench.start({ canUseTool });
      const played = await bench.play(session, [write(bench, 'written'), text('done')]);
      return expecting(await look(bench, played));
    },
  };
}

function write(bench: Bench, name: string) {
  return toolUse('Write', { file_path: bench.path(name), content: 'by the model' });
}
