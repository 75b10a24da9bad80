import type { Try } from './try.ts';

/** A counterexample as a test for `node:test`; `agentFile` is the module whose default export is the options of the agent. */
export function asTest(tried: Try, agentFile = './agent.js'): string {
  const literal = JSON.stringify(tried, undefined, 2).replaceAll('\n', '\n    ');
  return `import assert from 'node:assert/strict';
import test from 'node:test';
import { prove } from '@coxswain/rehearsal';
import agent from ${JSON.stringify(specifierOf(agentFile))};

test(${JSON.stringify(`the guard withstands: ${tried.technique}`)}, async () => {
  const { counterexamples } = await prove(agent, {
    tries: [
    ${literal},
    ],
  });
  assert.deepEqual(counterexamples, []);
});
`;
}

/** A name without a folder would be that of a package. */
function specifierOf(file: string): string {
  return /^(\.{0,2}\/|[a-z]+:)/i.test(file) ? file : `./${file}`;
}
