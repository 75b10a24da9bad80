// Records one frame of each kind and set of fields from every supported release, offline:
//   npm run do -- record:frames      (writes packages/sdk/test/fixtures/frames/<release>.ndjson)
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { apiError, startFakeApi, text, toolUse } from '@coxswain/testkit';
import { everyRelease } from '../scripts/fetch/cli.mjs';
import { isolatedHome } from './harness/isolated-home.ts';
import { plainRun } from './harness/plain-run.ts';

const FOLDER = fileURLToPath(new URL('../packages/sdk/test/fixtures/frames/', import.meta.url));

/** What the model does, and the flags of the CLI. */
const RUNS = [
  { script: [toolUse('Bash', { command: 'echo hi' }), text('done')], args: ['--include-partial-messages'] },
  { script: [toolUse('Bash', { command: 'echo hi' }), text('never')], args: ['--max-turns', '1'] },
  { script: [toolUse('Bash', { command: 'rm x' }), text('denied')], args: [] },
  {
    script: [toolUse('Agent', { description: 'look', prompt: 'Look.' }), text('seen'), text('seen'), text('done')],
    args: [],
  },
  { script: [apiError(400)], args: [] },
];

type Frame = Readonly<Record<string, unknown>>;

mkdirSync(FOLDER, { recursive: true });
for (const version of new Set(everyRelease())) {
  const kinds = new Map<string, Frame>();
  for (const { script, args } of RUNS) {
    const api = await startFakeApi(script);
    await using home = await isolatedHome(api.url);
    const { frames } = await plainRun({ home, version, args: [...args, '--allowedTools', 'Bash(echo *)', 'Agent'] });
    const shown = frames.map((frame) => JSON.parse(JSON.stringify(frame).replaceAll(home.root, '/scene')) as Frame);
    for (const frame of shown) kinds.set(kindOf(frame), frame);
    await api.close();
  }
  const lines = [...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, frame]) => `${JSON.stringify(frame)}\n`);
  writeFileSync(`${FOLDER}${version}.ndjson`, lines.join(''));
  console.log(version, lines.length);
}

/** The type of a frame and the names of its fields, two levels deep. */
function kindOf(frame: Frame): string {
  const inner = ['message', 'event'].map((name) => Object.keys(Object(frame[name])).sort());
  return JSON.stringify([frame.type, frame.subtype, Object(frame.event).type, Object.keys(frame).sort(), inner]);
}
