// A short suite that runs on any runtime with Node's modules (Node, Bun, Deno), on the built packages and the scripted CLI.
// Prints one line of JSON for each scenario. SMOKE_NODE names the Node that plays the CLI.
import process from 'node:process';
import { agentOnNode } from './agent-on-node.mjs';
import { agentScript, scenarios } from './scenarios.mjs';

/** A scenario that takes longer hangs. */
const LONGEST_MS = 20_000;

const agent = await agentOnNode(agentScript);
/** @type {unknown[]} */
const unhandled = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason));
let failed = 0;
for (const [name, run] of Object.entries(scenarios({ cli: agent.path }))) {
  const from = performance.now();
  const error = await withinTime(run()).then(
    () => unhandled.shift(),
    (reason) => reason ?? 'rejected',
  );
  if (error !== undefined) failed += 1;
  const ms = Math.round(performance.now() - from);
  console.log(
    JSON.stringify({ name, passed: error === undefined, ms, ...(error !== undefined && { error: describe(error) }) }),
  );
}
await agent.remove();
process.exitCode = failed > 0 ? 1 : 0;
// It must exit by itself: its caller detects if it does not.

/** @param {Promise<void>} running */
async function withinTime(running) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${LONGEST_MS} ms`)), LONGEST_MS);
  });
  try {
    await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @param {unknown} error */
function describe(error) {
  return error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 6).join('\n') : String(error);
}
