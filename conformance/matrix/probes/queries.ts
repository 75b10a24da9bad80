import { isCoxswainError } from '../../../packages/sdk/src/index.ts';
import { text, toolUse } from '../../../packages/testkit/src/fake-api/reply.ts';
import { mcpServer } from '../../harness/mcp-server.ts';
import { AGENT_MARK, MARK } from '../bench.ts';
import { expecting, type Probe } from '../probe.ts';

const SCOUT = { description: 'Looks around.', prompt: 'You are the scout of the probe.' };
const ANSWER = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };

/** What one-shot queries do. */
export const queryProbes: readonly Probe[] = [
  {
    id: 'query',
    group: 'one-shot',
    title: 'a query is answered',
    async prove(bench) {
      bench.scriptAnswers([text('hello there')]);
      const { answer, messages } = await bench.ask();
      const isResult = messages.at(-1)?.type === 'result';
      return expecting({ 'the answer arrives': answer === 'hello there', 'the result is last': isResult });
    },
  },
  {
    id: 'query:tool',
    group: 'one-shot',
    title: 'an allowed tool runs (`allowedTools`)',
    async prove(bench) {
      bench.scriptAnswers([toolUse('Bash', { command: 'echo ran > ran' }), text('done')]);
      await bench.ask({ allowedTools: ['Bash'] });
      return expecting({ 'the tool ran': bench.read('ran') === 'ran\n' });
    },
  },
  {
    id: 'query:resume',
    group: 'one-shot',
    title: 'a conversation can be resumed (`resume`)',
    async prove(bench) {
      bench.scriptAnswers([text('first answer'), text('second answer')]);
      const { stream } = await bench.ask();
      const { answer } = await bench.ask({ resume: stream.sessionId });
      return expecting({
        'it answers': answer === 'second answer',
        'it has the history': bench.modelReceived('first answer'),
      });
    },
  },
  {
    id: 'query:continue',
    group: 'one-shot',
    title: 'the newest conversation can be continued (`continue`)',
    async prove(bench) {
      bench.scriptAnswers([text('first answer'), text('second answer')]);
      await bench.ask();
      const { answer } = await bench.ask({ continue: true });
      return expecting({
        'it answers': answer === 'second answer',
        'it has the history': bench.modelReceived('first answer'),
      });
    },
  },
  {
    id: 'query:fork',
    group: 'one-shot',
    title: 'a copy of a conversation can be continued (`forkSession`)',
    async prove(bench) {
      bench.scriptAnswers([text('first answer'), text('second answer')]);
      const { stream } = await bench.ask();
      const copy = await bench.ask({ resume: stream.sessionId, forkSession: true });
      return expecting({
        'it has the history': bench.modelReceived('first answer'),
        'the id is a new one': copy.stream.sessionId !== stream.sessionId,
      });
    },
  },
  {
    id: 'query:partial',
    group: 'one-shot',
    title: 'text arrives while it is written (`includePartialMessages`)',
    async prove(bench) {
      bench.scriptAnswers([text('a text in pieces', { chunkSize: 4 })]);
      const { messages } = await bench.ask({ includePartialMessages: true });
      const deltas = messages.filter((m) => m.type === 'stream_event' && m.event.type === 'content_block_delta');
      return expecting({ 'there are deltas': deltas.length > 1 });
    },
  },
  {
    id: 'query:sandbox',
    group: 'one-shot',
    title: 'without a sandbox that can be used nothing starts (`sandbox`)',
    async prove(bench) {
      bench.scriptAnswers([toolUse('Bash', { command: 'echo ran > ran' }), text('done')]);
      // No sandbox can be found there. The CLI itself is started by its path.
      const env = { PATH: '/nonexistent' };
      const sandbox = { enabled: true, failIfUnavailable: true };
      const refused = await bench.ask({ allowedTools: ['Bash'], sandbox, env }).then(
        () => false,
        (error: unknown) => {
          if (isCoxswainError(error, 'sandbox-unavailable')) return true;
          throw error;
        },
      );
      return expecting({ 'the CLI reports it': refused, 'the tool did not run': bench.read('ran') === undefined });
    },
  },
  {
    id: 'query:schema',
    group: 'one-shot',
    title: 'structured output (`outputSchema`)',
    async prove(bench) {
      bench.scriptAnswers([toolUse('StructuredOutput', { answer: 42 }), text('done')]);
      const { stream } = await bench.ask({ outputSchema: ANSWER });
      return expecting({ 'the value arrives': JSON.stringify(await stream.output()) === '{"answer":42}' });
    },
  },
  {
    id: 'query:agents',
    group: 'one-shot',
    title: 'subagents of the caller (`agents`)',
    async prove(bench) {
      const task = { subagent_type: 'scout', description: 'look', prompt: `${MARK} ${AGENT_MARK} look around` };
      bench.scriptAnswers([toolUse('Task', task), text('done')], [text('I looked')]);
      await bench.ask({ agents: { scout: SCOUT } });
      return expecting({
        'it ran with its own prompt': bench.api.requests.some((r) => r.system.includes(SCOUT.prompt)),
      });
    },
  },
  {
    id: 'query:mcp',
    group: 'MCP',
    title: 'an MCP server the CLI starts (`mcpServers`), in a query',
    async prove(bench) {
      bench.scriptAnswers([toolUse('mcp__plain__token', {}), text('done')]);
      await bench.ask({
        mcpServers: { plain: { ...mcpServer, env: { TOKEN: 'word' } } },
        allowedTools: ['mcp__plain__token'],
      });
      return expecting({ 'its tool answered': bench.modelReceived('token=word') });
    },
  },
  {
    id: 'query:version',
    group: 'one-shot',
    title: '`system/init` names the release',
    async prove(bench) {
      const { messages } = await bench.ask();
      const version = messages.find(
        (message) => message.type === 'system' && message.subtype === 'init',
      )?.claude_code_version;
      return expecting({
        'it is named': typeof version === 'string',
        'there is an answer': messages.some((message) => message.type === 'assistant'),
      });
    },
  },
];
