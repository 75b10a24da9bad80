// Records the scenes of test/cassette/scenes.ts from the real CLI, as the cassettes that the tests play:
//   node --import tsx packages/testkit/scripts/record-cassettes.ts [version…]
// The CLI runs against the fake API, in a home of its own. Build the packages first (npm run build).

import { fileURLToPath } from 'node:url';
import { isolatedHome } from '../../../conformance/harness/isolated-home.ts';
import { realCli } from '../../../conformance/harness/real-cli.ts';
import { releases } from '../../../scripts/fetch/cli.mjs';
import { type JsonObject, type Reply, recording, startFakeApi, text } from '../src/index.ts';
import { objectOf } from '../src/json.ts';
import { type Scene, scenes } from '../test/cassette/scenes.ts';

const FOLDER = fileURLToPath(new URL('../test/fixtures/cassettes', import.meta.url));

/** How much of a description is kept. */
const LONGEST = 24;

const given = process.argv.slice(2);
for (const version of given.length > 0 ? given : releases().tested) {
  for (const [name, scene] of Object.entries<Scene>(scenes)) {
    console.log(version, name, JSON.stringify(await record(version, name, scene)));
  }
}

async function record(version: string, name: string, scene: Scene): Promise<object> {
  // The home needs the address of the API, and the API's replies need the folder of the project.
  let replies: Reply[] = [];
  await using api = await startFakeApi(() => (replies.length > 1 ? replies.shift() : replies[0]) ?? text('nothing'));
  await using home = await isolatedHome(api.url);
  replies = [...scene.api(home.project)];
  const transport = recording(`${FOLDER}/${name}.${version}.ndjson`, { cli: realCli(version), scrub });
  const options = { transport, cwd: home.project, env: home.env(), inheritEnv: false };
  const outcome = await scene.play({ options, cwd: home.project });
  await transport.saved();
  return outcome;
}

/** Keeps the beginning of what the CLI reports about its commands, agents and models: the rest is its own text, and no test reads it. */
function scrub(frame: JsonObject): JsonObject {
  if (frame.type !== 'control_response') return frame;
  return shortened(frame) as JsonObject;
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortened);
  const object = objectOf(value);
  if (object === undefined) return value;
  return Object.fromEntries(
    Object.entries(object).map(([key, field]) => {
      const isLong = key === 'description' && typeof field === 'string' && field.length > LONGEST;
      return [key, isLong ? `${field.slice(0, LONGEST)}…` : shortened(field)];
    }),
  );
}
