// npm run do -- trace:picture: runs a scripted agent, traces it with @coxswain/opentelemetry, and draws the trace as docs/trace.svg.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { telemetry } from '@coxswain/opentelemetry';
import { script, scriptedCli } from '@coxswain/testkit';
import { allow, openSession } from 'coxswain';
import { msOf, recordTraces } from '../../examples/trace-tree.ts';

const TARGET = fileURLToPath(new URL('../../docs/trace.svg', import.meta.url));
const WIDTH = 920;
const NAMES = 300;
const ROW = 26;
const TOP = 46;

/** @typedef {ReturnType<ReturnType<typeof recordTraces>['spans']>[number]} ReadableSpan */

/** The colours of the kinds of spans, by the first word of their names; the text contains the same information. */
/** @type {Readonly<Record<string, string>>} */
const COLOURS = {
  invoke_agent: '#0969da',
  chat: '#8250df',
  execute_tool: '#1a7f37',
  'coxswain.permission': '#bf8700',
  'coxswain.task': '#57606a',
  'coxswain.cli': '#57606a',
};

const spans = await record();
writeFileSync(TARGET, drawing(spans));
console.log(`Written: ${TARGET}`);

/** A session of two turns: a subagent, a permission, a failing tool, background work. */
async function record() {
  const agent = script()
    .onPrompt('tests', (turn) =>
      turn
        .wait(180)
        .useAgent({ description: 'find the tests', prompt: 'Find the tests.' }, (sub) =>
          sub
            .wait(120)
            .useTool('Grep', { pattern: 'describe' }, { durationMs: 60, result: 'oars.test.ts' })
            .wait(90)
            .say('One.'),
        )
        .wait(120)
        .useTool('Bash', { command: 'npm test' }, { durationMs: 220, result: '2 failed', isError: true })
        .wait(160)
        .say('Two tests fail.'),
    )
    .onPrompt('fix', (turn) =>
      turn.wait(200).useTool('Edit', { file_path: 'oars.ts' }, { durationMs: 40 }).wait(120).say('Fixed.'),
    );
  const cli = await scriptedCli(agent);
  const traces = recordTraces();
  const tracer = traces.tracerProvider.getTracer('my-app');
  const session = openSession({
    cli: cli.path,
    observers: [telemetry()],
    canUseTool: async ({ toolName }) => {
      await new Promise((resolve) => setTimeout(resolve, toolName === 'Edit' ? 150 : 0));
      return allow();
    },
  });
  await session.ready;
  for (const [route, prompt] of [
    ['POST /review', 'Do the tests pass?'],
    ['POST /fix', 'Please fix it.'],
  ]) {
    await tracer.startActiveSpan(String(route), async (span) => {
      await session.send(String(prompt)).text();
      span.end();
    });
  }
  await session.close();
  await cli[Symbol.asyncDispose]();
  await new Promise((resolve) => setImmediate(resolve));
  return traces.spans();
}

/** @param {readonly ReadableSpan[]} all */
function drawing(all) {
  const rows = inOrder(all, undefined, 0);
  const begin = Math.min(...all.map(({ startTime }) => msOf(startTime)));
  const end = Math.max(...all.map(({ endTime }) => msOf(endTime)));
  const x = (/** @type {number} */ ms) => NAMES + ((ms - begin) / (end - begin)) * (WIDTH - NAMES - 20);
  const height = TOP + rows.length * ROW + 14;
  const bars = rows.map(({ span, depth }, index) => {
    const y = TOP + index * ROW;
    const from = x(msOf(span.startTime));
    const width = Math.max(x(msOf(span.endTime)) - from, 2);
    const kind = span.name.split(' ')[0] ?? '';
    const failed = span.attributes['error.type'];
    const note = [
      `${Math.round(msOf(span.endTime) - msOf(span.startTime))} ms`,
      ...(failed ? [`✗ ${failed}`] : []),
    ].join(' ');
    const inside = from + width + 90 > WIDTH;
    const at = inside ? `x="${(from - 6).toFixed(1)}" text-anchor="end"` : `x="${(from + width + 6).toFixed(1)}"`;
    return `  <text x="${14 + depth * 16}" y="${y + 17}">${escaped(span.name)}</text>
  <rect x="${from.toFixed(1)}" y="${y + 6}" width="${width.toFixed(1)}" height="14" rx="3" fill="${COLOURS[kind] ?? '#8c959f'}"/>
  <text class="note" ${at} y="${y + 17}">${escaped(note)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="A trace of a session with two turns">
  <style>text{font:13px ui-monospace,SFMono-Regular,Menlo,monospace;fill:#1f2328}.note{fill:#57606a;font-size:12px}.title{font-weight:600}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.note{fill:#9198a1}.paper{fill:#0d1117}}</style>
  <rect class="paper" width="${WIDTH}" height="${height}" rx="8" fill="#ffffff"/>
  <text class="title" x="14" y="28">Two requests to one session: each turn is below its caller, the process has a span of its own</text>
${bars.join('\n')}
</svg>
`;
}

/**
 * The spans as a tree, from top to bottom.
 * @param {readonly ReadableSpan[]} all
 * @param {string | undefined} parent
 * @param {number} depth
 * @returns {{ span: ReadableSpan, depth: number }[]}
 */
function inOrder(all, parent, depth) {
  return all
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
    .sort((a, b) => msOf(a.startTime) - msOf(b.startTime))
    .flatMap((span) => [{ span, depth }, ...inOrder(all, span.spanContext().spanId, depth + 1)]);
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
