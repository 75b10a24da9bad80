import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, toolUse } from '../../../packages/testkit/src/fake-api/reply.ts';
import { waitUntil } from '../../harness/wait-until.ts';
import { AGENT_MARK, type Bench, MARK } from '../bench.ts';
import { expecting, type Probe, yes } from '../probe.ts';

const SCOUT = { description: 'Looks around.', prompt: 'You are the scout of the probe.' };
const ANSWER = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
const LOOK = {
  subagent_type: 'general-purpose',
  description: 'look',
  prompt: `${MARK} ${AGENT_MARK} look around`,
  run_in_background: false,
};

/** What sessions do. */
export const sessionProbes: readonly Probe[] = [
  {
    id: 'session',
    group: 'session',
    title: 'turns share one conversation',
    async prove(bench) {
      const session = await bench.start();
      const first = await bench.play(session, [text('first answer')]);
      const second = await bench.play(session, [text('second answer')]);
      return expecting({
        'the first turn is answered': first.answer === 'first answer',
        'the second turn is answered': second.answer === 'second answer',
        'it has the history': bench.modelReceived('first answer'),
      });
    },
  },
  {
    id: 'session:capabilities',
    group: 'session',
    title: 'the handshake lists commands and models',
    async prove(bench) {
      const { commands, models } = await bench.start();
      return expecting({ commands: commands.length > 0, models: models.length > 0 });
    },
  },
  {
    id: 'session:partial',
    group: 'session',
    title: 'text arrives while it is written (`includePartialMessages`)',
    async prove(bench) {
      const session = await bench.start({ includePartialMessages: true });
      const { messages } = await bench.play(session, [text('a text in pieces', { chunkSize: 4 })]);
      const deltas = messages.filter((m) => m.type === 'stream_event' && m.event.type === 'content_block_delta');
      return expecting({ 'there are deltas': deltas.length > 1 });
    },
  },
  {
    id: 'session:schema',
    group: 'session',
    title: 'structured output (`outputSchema`)',
    async prove(bench) {
      const session = await bench.start({ outputSchema: ANSWER });
      const { turn } = await bench.play(session, [toolUse('StructuredOutput', { answer: 42 }), text('done')]);
      return expecting({ 'the value arrives': JSON.stringify(await turn.output()) === '{"answer":42}' });
    },
  },
  {
    id: 'session:systemPrompt',
    group: 'session',
    title: '`systemPrompt`',
    async prove(bench) {
      const session = await bench.start({ systemPrompt: 'words-of-the-system' });
      await bench.play(session, [text('ok')]);
      return expecting({ 'the model receives it': bench.asked.some((r) => r.system.includes('words-of-the-system')) });
    },
  },
  {
    id: 'session:appendSystemPrompt',
    group: 'session',
    title: '`appendSystemPrompt`',
    async prove(bench) {
      const session = await bench.start({ appendSystemPrompt: 'words-added-to-it' });
      await bench.play(session, [text('ok')]);
      return expecting({ 'the model receives it': bench.asked.some((r) => r.system.includes('words-added-to-it')) });
    },
  },
  {
    id: 'session:agents',
    group: 'session',
    title: 'subagents of the caller (`agents`)',
    async prove(bench) {
      const session = await bench.start({ agents: { scout: SCOUT } });
      bench.scriptAnswers([], [text('I looked')]);
      await bench.play(session, [toolUse('Task', { ...LOOK, subagent_type: 'scout' }), text('done')]);
      return expecting({
        'it ran with its own prompt': bench.api.requests.some((r) => r.system.includes(SCOUT.prompt)),
      });
    },
  },
  {
    id: 'session:forwardSubagentText',
    group: 'session',
    title: 'the text of subagents (`forwardSubagentText`)',
    async prove(bench) {
      const session = await bench.start({ forwardSubagentText: true });
      bench.scriptAnswers([], [text('words-of-the-agent')]);
      const { messages } = await bench.play(session, [toolUse('Task', LOOK), text('done')]);
      const handed = messages.filter(
        (m) => m.type === 'assistant' && m.parent_tool_use_id && JSON.stringify(m).includes('words-of-the-agent'),
      );
      return expecting({ 'it is forwarded': handed.length > 0 });
    },
  },
  {
    id: 'session:planModeInstructions',
    group: 'session',
    title: 'the steps of plan mode (`planModeInstructions`)',
    async prove(bench) {
      const session = await bench.start({ permissionMode: 'plan', planModeInstructions: 'Ask the harbour first.' });
      await bench.play(session, [text('ok')]);
      const asked = JSON.stringify(bench.api.conversation);
      return expecting({ 'the model gets them': asked.includes('Ask the harbour first.') });
    },
  },
  {
    id: 'session:toolAliases',
    group: 'session',
    title: 'other names for tools (`toolAliases`)',
    async prove(bench) {
      const session = await bench.start({ toolAliases: { Shell: 'Bash' }, allowedTools: ['Bash'] });
      const { messages } = await bench.play(session, [toolUse('Shell', { command: 'echo four oars' }), text('ok')]);
      const results = JSON.stringify(messages.filter(({ type }) => type === 'user'));
      return expecting({ 'the tool runs': results.includes('"four oars"') });
    },
  },
  {
    id: 'session:title',
    group: 'session',
    title: 'the conversation has a `title` on disk',
    async prove(bench) {
      const session = await bench.start({ title: 'Title of the probe' });
      await bench.play(session, [text('ok')]);
      await session.close();
      return expecting({ 'it is written': transcripts(bench).includes('Title of the probe') });
    },
  },
  {
    id: 'session:promptSuggestions',
    group: 'session',
    title: 'a suggestion for the next prompt (`promptSuggestions`)',
    async prove(bench) {
      const session = await bench.start({ promptSuggestions: true });
      const seen: string[] = [];
      void watch(session.messages(), seen);
      // A short conversation gets no suggestion.
      for (const answer of ['one', 'two', 'three']) await bench.play(session, [text(answer)]);
      await waitUntil(() => seen.includes('prompt_suggestion'), { timeoutMs: 3_000, what: 'a suggestion' });
      return yes;
    },
  },
  {
    id: 'session:resume',
    group: 'session',
    title: 'a conversation can be resumed (`resume`)',
    async prove(bench) {
      const session = await bench.start();
      await bench.play(session, [text('first answer')]);
      await session.close();
      const resumed = await bench.start({ resume: session.id });
      const { answer } = await bench.play(resumed, [text('second answer')]);
      return expecting({
        'it answers': answer === 'second answer',
        'it has the history': bench.modelReceived('first answer'),
      });
    },
  },
  {
    id: 'session:fork',
    group: 'session',
    title: 'a copy of a live conversation (`fork()`)',
    async prove(bench) {
      const session = await bench.start();
      await bench.play(session, [text('first answer')]);
      await using fork = await session.fork();
      const { answer } = await bench.play(fork, [text('second answer')]);
      return expecting({
        'it answers': answer === 'second answer',
        'it has the history': bench.modelReceived('first answer'),
        'the id is a new one': fork.id !== session.id,
      });
    },
  },
  {
    id: 'session:clear',
    group: 'session',
    title: 'the history is forgotten (`clear()`)',
    async prove(bench) {
      const session = await bench.start();
      await bench.play(session, [text('first answer')]);
      await session.clear();
      const { answer } = await bench.play(session, [text('second answer')]);
      return expecting({
        'it answers': answer === 'second answer',
        'the history is empty': !bench.modelReceived('first answer'),
      });
    },
  },
  {
    id: 'session:steer',
    group: 'session',
    title: 'text sent while a tool runs reaches the same turn (`steer()`)',
    async prove(bench) {
      const session = await bench.start({ allowedTools: ['Bash'] });
      bench.scriptAnswers([toolUse('Bash', { command: 'while [ ! -e go ]; do sleep 0.05; done' }), text('done')]);
      const turn = session.send(`${MARK} go`);
      const ended = turn.collect();
      await waitUntil(() => bench.running('sleep 0.05'), { timeoutMs: 20_000, what: 'the tool' });
      await turn.steer('words-in-between');
      // The CLI reads its input in order: once this is answered, it has read the steering text.
      await session.setPermissionMode('default').catch(() => {});
      bench.write('go', '');
      await ended;
      const received = bench.asked.findIndex(({ body }) => JSON.stringify(body).includes('words-in-between'));
      return expecting({
        'the model receives it after the tool': received === 1,
        'one result': turn.results.length === 1,
      });
    },
  },
];

async function watch(messages: AsyncIterable<{ readonly kind: string }>, types: string[]): Promise<void> {
  for await (const item of messages) {
    if ('message' in item) types.push((item.message as { type: string }).type);
  }
}

function transcripts(bench: Bench): string {
  const folder = join(bench.home.configDir, 'projects');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}
