import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { clientNode, stagedClients } from '../../clients/install.mjs';
import { ANSWERS } from './client-answers.ts';
import { type Fact, runClient } from './client-run.ts';

/** The newest clients, which need Node 22, with `npm run do -- test:clients --node 22`. */
const set = process.env.COXSWAIN_CLIENTS === 'node-22' ? 'node-22' : 'node-20';

/** The clients by driver. */
const CLIENTS: Readonly<Record<keyof typeof ANSWERS, string>> = {
  acp: '@agentclientprotocol/claude-agent-acp',
  'ai-sdk': 'ai-sdk-provider-claude-code',
  langsmith: 'langsmith',
  braintrust: 'braintrust',
  openinference: '@arizeai/openinference-instrumentation-claude-agent-sdk',
  langfuse: '@langfuse/otel',
  mastra: '@mastra/claude',
};
const manifest = new URL(`../../clients/${set}/package.json`, import.meta.url);
// The part of a package.json that pins the clients of the set.
const { dependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies: Record<string, string> };

describe(`clients from npm (${set})`, () => {
  for (const [name, client] of Object.entries(CLIENTS)) {
    // Object.entries loses the types of the keys.
    const driver = name as keyof typeof ANSWERS;
    const version = dependencies[client];
    if (version === undefined) continue;
    test(`[U-7] ${client} ${version} behaves the same on the official SDK and on the drop-in`, {
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

/** Checks the facts with an expected value on one SDK. */
function expectAsExpected(sdk: string, facts: ReadonlyMap<string, Fact>): void {
  for (const [name, fact] of facts) {
    if ('expected' in fact) expect.soft(fact.value, `${name}: ${sdk}`).toEqual(fact.expected);
  }
}
