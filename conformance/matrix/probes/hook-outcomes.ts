import {
  addContext,
  allow,
  askUser,
  deferTool,
  deny,
  type HookResult,
  type Hooks,
  modifyInput,
  outcomeOf,
  replaceOutput,
  stopTurn,
} from '../../../packages/sdk/src/index.ts';
import { text, toolUse } from '../../../packages/testkit/src/fake-api/reply.ts';
import type { Bench, Played } from '../bench.ts';
import { expecting, type Probe } from '../probe.ts';

const RUN = toolUse('Bash', { command: 'echo ran > ran' });

/** The functions whose names differ from the ids of their probes. */
const DECISIONS: Readonly<Record<string, string>> = {
  modify: 'modifyInput',
  ask: 'askUser',
  context: 'addContext',
  stop: 'stopTurn',
  defer: 'deferTool',
};

/** Whether the CLI follows the decisions of hooks. */
export const hookOutcomeProbes: readonly Probe[] = [
  before(
    'deny',
    () => deny('reason-of-deny'),
    (bench) => ({
      'the tool does not run': bench.read('ran') === undefined,
      'the model receives the reason': bench.modelReceived('reason-of-deny'),
    }),
  ),
  before(
    'stop',
    () => stopTurn('enough'),
    (bench) => ({
      'the tool does not run': bench.read('ran') === undefined,
      'the turn is over': bench.asked.length === 1,
    }),
  ),
  before(
    'modify',
    () => modifyInput({ command: 'echo modified > modified' }),
    (bench) => ({
      'the other input is used': bench.read('modified') === 'modified\n',
      'the first is not': bench.read('ran') === undefined,
    }),
  ),
  before(
    'context',
    () => addContext('words-of-the-hook'),
    (bench) => ({ 'the model receives it': bench.modelReceived('words-of-the-hook') }),
  ),
  before(
    'defer',
    () => deferTool(),
    async (bench, { turn }) => {
      const { kind } = outcomeOf(await turn.result());
      return {
        'the tool does not run': bench.read('ran') === undefined,
        'the outcome is deferred': kind === 'deferred',
      };
    },
  ),
  before(
    'async',
    () => ({ async: true, asyncTimeout: 5_000 }),
    (bench) => ({ 'the tool runs': bench.read('ran') === 'ran\n' }),
  ),
  {
    ...decision('PreToolUse', 'allow'),
    async prove(bench) {
      const session = await bench.start({ hooks: { PreToolUse: () => allow() } });
      await bench.play(session, [write(bench), text('done')]);
      return expecting({ 'a tool that no rule allows runs': bench.read('written') === 'by the model' });
    },
  },
  {
    ...decision('PreToolUse', 'allow:updatedInput'),
    title: '`PreToolUse`: `allow` with another input',
    async prove(bench) {
      const session = await bench.start({
        hooks: { PreToolUse: () => allow({ updatedInput: { command: 'echo modified > modified' } }) },
      });
      await bench.play(session, [RUN, text('done')]);
      return expecting({
        'the other input is used': bench.read('modified') === 'modified\n',
        'the first is not': bench.read('ran') === undefined,
      });
    },
  },
  {
    ...decision('PreToolUse', 'ask'),
    async prove(bench) {
      const asked: string[] = [];
      const session = await bench.start({
        hooks: { PreToolUse: () => askUser('who knows') },
        allowedTools: ['Bash'],
        canUseTool: ({ toolName }) => {
          asked.push(toolName);
          return deny('no');
        },
      });
      await bench.play(session, [RUN, text('done')]);
      return expecting({
        'canUseTool is asked': asked.includes('Bash'),
        'the tool does not run': bench.read('ran') === undefined,
      });
    },
  },
  {
    ...decision('PreToolUse', 'matcher'),
    title: '`PreToolUse`: a matcher that is a regular expression',
    async prove(bench) {
      const hooks: Hooks = { PreToolUse: { matcher: 'B.*h', run: () => deny('no') } };
      const session = await bench.start({ hooks, allowedTools: ['Bash', 'Read'] });
      bench.write('note', 'words-of-the-note');
      await bench.play(session, [RUN, toolUse('Read', { file_path: bench.path('note') }), text('done')]);
      return expecting({
        'it matches': bench.read('ran') === undefined,
        'others pass': bench.modelReceived('words-of-the-note'),
      });
    },
  },
  {
    ...decision('PreToolUse', 'timeout'),
    title: '`PreToolUse`: a hook that never answers lets no tool run',
    async prove(bench) {
      const hooks: Hooks = { PreToolUse: { run: () => new Promise(() => {}), timeoutMs: 1_000 } };
      const session = await bench.start({ hooks, allowedTools: ['Bash'] });
      await bench.play(session, [RUN, text('done')]);
      return expecting({ 'the tool does not run': bench.read('ran') === undefined });
    },
  },
  behind(
    'PostToolUse',
    'deny',
    () => deny('reason-after-it'),
    (bench) => ({ 'the model receives it': bench.modelReceived('reason-after-it') }),
  ),
  behind(
    'PostToolUse',
    'context',
    () => addContext('words-after-it'),
    (bench) => ({ 'the model receives it': bench.modelReceived('words-after-it') }),
  ),
  behind(
    'PostToolUse',
    'stop',
    () => stopTurn('enough'),
    (bench) => ({ 'the turn is over': bench.asked.length === 1 }),
  ),
  {
    ...decision('PostToolUse', 'replaceOutput'),
    async prove(bench) {
      const hooks: Hooks = {
        PostToolUse: ({ tool_response }) => replaceOutput({ ...Object(tool_response), stdout: 'output-of-the-hook' }),
      };
      const session = await bench.start({ hooks, allowedTools: ['Bash'] });
      await bench.play(session, [toolUse('Bash', { command: 'echo out""put-of-the-tool' }), text('done')]);
      return expecting({
        'the model gets the other output': bench.modelReceived('output-of-the-hook'),
        'the model does not get the first output': !bench.modelReceived('output-of-the-tool'),
      });
    },
  },
  around(
    'UserPromptSubmit',
    'deny',
    () => deny('not this'),
    (bench) => ({ 'the model is not asked': bench.asked.length === 0 }),
  ),
  around(
    'UserPromptSubmit',
    'stop',
    () => stopTurn('not this'),
    (bench) => ({ 'the model is not asked': bench.asked.length === 0 }),
  ),
  around(
    'UserPromptSubmit',
    'context',
    () => addContext('words-before-it'),
    (bench) => ({ 'the model receives it': bench.modelReceived('words-before-it') }),
  ),
  {
    ...decision('Stop', 'deny'),
    title: '`Stop`: `deny` makes the model continue',
    async prove(bench) {
      let calls = 0;
      const session = await bench.start({
        hooks: { Stop: () => (calls++ === 0 ? deny('words-against-it') : undefined) },
      });
      const { answer } = await bench.play(session, [text('done'), text('really done')]);
      return expecting({
        'the model receives it': bench.modelReceived('words-against-it'),
        'it continues': answer === 'really done',
      });
    },
  },
];

type Facts = Readonly<Record<string, boolean>>;
type Look = (bench: Bench, played: Played) => Facts | Promise<Facts>;

function write(bench: Bench) {
  return toolUse('Write', { file_path: bench.path('written'), content: 'by the model' });
}

function decision(event: string, name: string): Pick<Probe, 'id' | 'group' | 'title'> {
  return { id: `${event}:${name}`, group: 'hook decisions', title: `\`${event}\`: \`${DECISIONS[name] ?? name}\`` };
}

/** A hook before an allowed tool. */
function before(name: string, act: () => HookResult, look: Look): Probe {
  return acting('PreToolUse', name, act, [RUN, text('done')], look);
}

/** A hook after a tool. */
function behind(event: string, name: string, act: () => HookResult, look: Look): Probe {
  return acting(event, name, act, [RUN, text('done')], look);
}

/** A hook of a turn in which no tool runs. */
function around(event: string, name: string, act: () => HookResult, look: Look): Probe {
  return acting(event, name, act, [text('done')], look);
}

function acting(
  event: string,
  name: string,
  act: () => HookResult,
  lines: Parameters<Bench['play']>[1],
  look: Look,
): Probe {
  return {
    ...decision(event, name),
    async prove(bench) {
      const session = await bench.start({ hooks: { [event]: act }, allowedTools: ['Bash'] });
      const played = await bench.play(session, lines);
      return expecting(await look(bench, played));
    },
  };
}
