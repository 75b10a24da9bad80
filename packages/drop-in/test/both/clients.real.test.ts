import { describe, expect, test } from 'vitest';
import { clientNode, stagedClients } from '../../clients/install.mjs';
import { ANSWERS } from './client-answers.ts';
import { type Fact, runClient } from './client-run.ts';

/** `npm run test:clients -- --node 22` chooses the newest clients, which need Node 22. */
const set = process.env.COXSWAIN_CLIENTS === 'node-22' ? 'node-22' : 'node-20';
const CLIENTS = {
  'node-20': { acp: '0.49.0', 'ai-sdk': '3.6.0', langsmith: '0.10.5', braintrust: '3.35.0', openinference: '0.3.1' },
  'node-22': { acp: '0.99.1', 'ai-sdk': '4.1.0', mastra: '0.3.0' },
} satisfies Record<string, Partial<Record<keyof typeof ANSWERS, string>>>;

describe(`clients from npm (${set})`, () => {
  for (const [name, version] of Object.entries(CLIENTS[set])) {
    // Object.entries forgets the names of the keys.
    const driver = name as keyof typeof ANSWERS;
    test(`[U-7] ${driver} ${version} behaves the same on the official SDK and on the drop-in`, {
      timeout: 120_000,
    }, async () => {
      const places = stagedClients(set);
      const run = (place: string) => runClient({ place, driver, answers: ANSWERS[driver], node: clientNode(set) });
      const [official, dropIn] = await Promise.all([run(places.official), run(places.dropIn)]);
      expectAsExpected('the official SDK', official);
      expectAsExpected('the drop-in', dropIn);
      for (const [fact, { value }] of official) {
        expect.soft(dropIn.get(fact)?.value, `${fact}: the drop-in against the official SDK`).toEqual(value);
      }
    });
  }
});

/** Checks the facts whose value the driver knows, on one SDK. */
function expectAsExpected(sdk: string, facts: ReadonlyMap<string, Fact>): void {
  for (const [name, fact] of facts) {
    if ('expected' in fact) expect.soft(fact.value, `${name}: ${sdk}`).toEqual(fact.expected);
  }
}
