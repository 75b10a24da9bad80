import fc from 'fast-check';
import { describe, it } from 'vitest';
import { assemblePartials } from '../../src/messages/assemble-partials.ts';
import { textOf, toolResultsOf, toolUsesOf } from '../../src/messages/content.ts';
import { costOfResult } from '../../src/messages/cost.ts';
import { sessionIdOf } from '../../src/messages/fields.ts';
import { outcomeOf } from '../../src/messages/outcome.ts';
import { textDeltaOf } from '../../src/messages/text-delta.ts';
import type { ResultMessage } from '../../src/wire/messages.ts';
import { all, messagesOf, streamOf } from './recordings.ts';
import { odd } from './samples.ts';

const templates = [
  'H-partial-text-thinking-tool.325',
  'F-interrupt-streaming.325',
  'A-max-turns-1.325',
  'A-err-429-max-retries-2.325',
].flatMap(messagesOf);

/** Any JSON value, or a real message with some of its parts replaced by any JSON value. */
const message = fc.oneof(
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 6, arbitrary: fc.constantFrom(...templates).chain(damaged) },
);

describe('helpers', () => {
  it('[M-4, M-3] never throw, for any JSON', () => {
    fc.assert(
      fc.property(message, message, (one, other) => {
        for (const helper of [textOf, toolUsesOf, toolResultsOf, sessionIdOf]) helper(odd(one));
        costOfResult(one as unknown as ResultMessage, other as unknown as ResultMessage);
        outcomeOf(one as unknown as ResultMessage, { rateLimit: other as never });
      }),
      { numRuns: 600 },
    );
  });

  it('[M-5] read any stream of JSON without throwing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 20 }), async (messages) => {
        for (const message of messages.map(odd)) textDeltaOf(message, { subagents: true });
        await all(assemblePartials(streamOf(messages.map(odd))));
      }),
      { numRuns: 300 },
    );
  });
});

function damaged(template: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(template)) return rarely(fc.tuple(...template.map(damaged)));
  if (typeof template !== 'object' || template === null) return rarely(fc.constant(template));
  const fields = Object.entries(template).map(([name, value]) => [name, damaged(value)] as const);
  return rarely(fc.record(Object.fromEntries(fields)));
}

function rarely(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 15, arbitrary }, { weight: 1, arbitrary: fc.jsonValue() });
}
