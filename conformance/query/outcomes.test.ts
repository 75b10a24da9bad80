import { type ApiScript, apiError, text, toolUse } from '@coxswain/testkit';
import { type AgentOptions, type Outcome, outcomeOf } from 'coxswain';
import { ResultError } from 'coxswain/errors';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

interface Case {
  readonly name: string;
  readonly script: ApiScript;
  readonly options?: AgentOptions;
  readonly outcome: Partial<Outcome> & { readonly message: string };
}

const UNKNOWN_SESSION = '11111111-1111-4111-8111-111111111111';

const CASES: readonly Case[] = [
  {
    name: 'too many turns',
    script: () => toolUse('Bash', { command: 'true' }),
    options: { maxTurns: 1 },
    outcome: { kind: 'max-turns', turns: 2, message: 'Reached maximum number of turns (1)' },
  },
  {
    name: 'a budget that is used up',
    script: () => toolUse('Bash', { command: 'true' }),
    options: { maxBudgetUsd: 0.00001 },
    outcome: { kind: 'budget', totalCostUsd: expect.any(Number), message: 'Reached maximum budget ($0.00001)' },
  },
  {
    name: 'no API key',
    script: [],
    options: { env: { ANTHROPIC_API_KEY: undefined } },
    outcome: { kind: 'auth', status: undefined, message: expect.stringContaining('Not logged in') },
  },
  { name: 'HTTP 400', script: fails(400), outcome: { kind: 'api-error', status: 400, message: saying('fake 400') } },
  { name: 'HTTP 401', script: fails(401), outcome: { kind: 'auth', status: 401, message: saying('fake 401') } },
  { name: 'HTTP 403', script: fails(403), outcome: { kind: 'auth', status: 403, message: saying('fake 403') } },
  { name: 'HTTP 429', script: fails(429), outcome: { kind: 'rate-limit', status: 429, message: saying('fake 429') } },
  { name: 'HTTP 500', script: fails(500), outcome: { kind: 'api-error', status: 500, message: saying('fake 500') } },
  { name: 'HTTP 529', script: fails(529), outcome: { kind: 'api-error', status: 529, message: saying('fake 529') } },
  {
    name: 'a bad model',
    script: fails(404),
    options: { model: 'badmodel-x' },
    outcome: { kind: 'api-error', status: 404, message: saying('badmodel-x') },
  },
  {
    name: 'an API that cannot be reached',
    script: [],
    options: { env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' } },
    outcome: { kind: 'api-error', status: undefined, message: expect.stringMatching(/connect|refused/i) },
  },
  {
    name: 'a prompt that is too long',
    script: () => apiError(400, { message: 'prompt is too long: 250000 tokens > 200000 maximum' }),
    outcome: { kind: 'context-full', message: saying('Prompt is too long') },
  },
  {
    name: 'an unknown conversation',
    script: [],
    options: { resume: UNKNOWN_SESSION },
    outcome: { kind: 'no-such-session', message: `No conversation found with session ID: ${UNKNOWN_SESSION}` },
  },
  {
    name: 'an invalid conversation id',
    script: [],
    options: { resume: 'not-a-uuid' },
    outcome: { kind: 'no-such-session', message: saying('not-a-uuid') },
  },
];

describe.concurrent.each(testedVersions)('a run of %s that fails', (version) => {
  it.for(CASES)('[M-3, Q-4, Q-6] ends with a result that reports $name', async ({ script, options, outcome }) => {
    await using scene = await openScene(script, { version });
    const stream = scene.query('hello', { maxRetries: 0, ...options });
    const { messages: items, terminalError, warnings } = await stream.collect();

    expect(terminalError).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(items.at(-1)).toBe(await stream.result());
    expect(outcomeOf(await stream.result())).toMatchObject(outcome);
    expect(await stream.closed).toEqual({ exitCode: 1, signal: null, ended: 'by-itself' });
    expect(scene.api.problems).toEqual([]);
  });

  it('[Q-10] makes text() reject', async () => {
    await using scene = await openScene(fails(401), { version });
    const stream = scene.query('hello', { maxRetries: 0 });
    const error = await stream.text().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ResultError);
    expect(error).toMatchObject({ code: 'result', outcome: 'auth', result: await stream.result() });
  });
});

describe.concurrent.each(testedVersions)('retries of %s', (version) => {
  it('[C-9] are as many as configured, and are reported', async () => {
    await using scene = await openScene([apiError(529), text('back again')], { version });
    const stream = scene.query('hello', { maxRetries: 1 });
    const { messages: items } = await stream.collect();
    expect(items).toContainEqual(
      expect.objectContaining({ type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 1, error_status: 529 }),
    );
    expect(await stream.text()).toBe('back again');
  });
});

function fails(status: number): ApiScript {
  return () => apiError(status);
}

// An asymmetric matcher stands for the string it matches.
function saying(words: string): string {
  return expect.stringContaining(words);
}
