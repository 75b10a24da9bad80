/** Every turn, answer, tool and permission as a span: the trace is printed as a tree. */
import { instrument } from '@coxswain/opentelemetry';
import { script } from '@coxswain/testkit';
import { allow, createClient } from 'coxswain';
import { pickAgent } from './agent.ts';
import { msOf, recordTraces } from './trace-tree.ts';

const scripted = script().otherwise((turn) =>
  turn
    .wait(20)
    .say('First, a look around.')
    .useAgent({ description: 'find the tests', prompt: 'Find the tests.' }, (sub) =>
      sub.useTool('Grep', { pattern: 'describe' }, { durationMs: 20, result: 'oars.test.ts' }).say('oars.test.ts'),
    )
    .useTool('Write', { file_path: 'oars.md', content: '# Oars' }, { durationMs: 10 })
    .useTool('Bash', { command: 'npm test' }, { durationMs: 30, result: '2 failed', isError: true })
    .say('Two tests fail.'),
);
await using agent = await pickAgent(scripted);
const { cli, prompt = 'Do the tests pass?' } = agent;
const traces = recordTraces(); // instead of an exporter

// #region instrument
const client = createClient({ cli, canUseTool: () => allow() });
const stop = instrument(client);
// #endregion

const tracer = traces.tracerProvider.getTracer('my-app');
await tracer.startActiveSpan('POST /review', async (span) => {
  const stream = client.query(prompt);
  console.log(await stream.text());
  await stream.closed;
  span.end();
});
stop();

const lines = traces.tree(({ startTime, endTime, attributes }) => {
  const cost = attributes['coxswain.cost.usd'];
  const decision = attributes['coxswain.decision'];
  const error = attributes['error.type'];
  const ms = Math.round(msOf(endTime) - msOf(startTime));
  return [`(${ms} ms)`, cost && `$${Number(cost).toFixed(4)}`, decision, error && `! ${error}`]
    .filter(Boolean)
    .join(' ');
});
console.log(lines.join('\n'));
