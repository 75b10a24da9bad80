import { openFleet, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { quick, scriptedAgent } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';

/** What an agent's function may throw although it has no text, or none that can be stored. */
const ODDITIES: readonly (readonly [string, () => unknown])[] = [
  ['an object without a prototype', () => Object.create(null)],
  ['an error whose message is a bigint', () => Object.defineProperty(new Error('x'), 'message', { value: 10n })],
  [
    'an error whose message cannot be read',
    () =>
      Object.defineProperty(new Error('x'), 'message', {
        get: () => {
          throw new Error('unreadable');
        },
      }),
  ],
];

describe('a function of the agent that throws', () => {
  it.each(ODDITIES)('[F-3] %s ends its turn as failed, at once', async (_, create) => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    const agent = scriptedAgent();
    const fail = (): never => {
      throw create();
    };
    await using _worker = await startWorker({
      database,
      schema,
      limits: quick,
      agent: {
        ...agent,
        options: (job) => (job.prompt === 'options' ? fail() : agent.options(job)),
        workspace: {
          prepare: async () => ({ cwd: '.' }),
          save: async ({ prompt }) => {
            if (prompt === 'save') fail();
          },
        },
      },
    });
    for (const prompt of ['options', 'save']) {
      const turn = await fleet.submit({ key: prompt, prompt });
      const { outcome } = await turn.outcome({ signal: AbortSignal.timeout(10_000) });
      expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'agent-failed' } });
    }
  });
});
