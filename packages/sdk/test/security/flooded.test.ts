import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { InputDrift } from '../../src/callbacks/input-drift.ts';
import { MessageWarnings } from '../../src/conversation/message-warnings.ts';
import { defaultLimits } from '../../src/limits.ts';
import { ToolServers } from '../../src/mcp/tool-servers.ts';
import { assemblePartials } from '../../src/messages/assemble-partials.ts';
import { setNewest } from '../../src/messages/newest.ts';
import { addCosts, NO_COST, NO_TOKENS } from '../../src/messages/turn-cost.ts';
import { createRedactor, secretsIn } from '../../src/redact.ts';
import { memoryStore } from '../../src/store/memory-store.ts';
import { StoredConversation } from '../../src/store/stored-conversation.ts';
import { wholeChain } from '../../src/transcripts/main-chain.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { LineFramer } from '../../src/wire/lines.ts';
import type { Message } from '../../src/wire/messages.ts';
import { startChild } from '../support/child-runs.ts';
import { FakeCli, settle, start } from '../support/fake-cli.ts';
import { inMemory } from '../support/memory-transport.ts';
import { result } from '../support/say.ts';

/** So long that quadratic time would take hours. */
const LONG = 4_000_000;

/** The number of objects that are still in memory. */
async function alive(refs: readonly WeakRef<object>[]): Promise<number> {
  // A dereferenced object stays alive until the end of the current job.
  await settle();
  setFlagsFromString('--expose_gc');
  runInNewContext('gc')();
  return refs.filter((ref) => ref.deref() !== undefined).length;
}

describe('a text of megabytes', () => {
  it.each([
    ['after ://', `https://${'a'.repeat(LONG)}`],
    ['after :// with colons', `https://${':'.repeat(LONG)}`],
    ['of question marks', `https://x${'?'.repeat(LONG)}`],
    ['of names without values', `https://x${'?a&b'.repeat(LONG / 4)}`],
    ['of schemes', '://'.repeat(LONG / 3)],
  ])('[W-10, C-10] is searched for secrets in linear time: %s', (_, text) => {
    expect(secretsIn({ VALUE: text })).toEqual([]);
    expect(createRedactor(secretsIn({ VALUE: text }))(text)).toBe(text);
  });

  it('[W-10, C-10] is searched to its end for credentials', () => {
    const url = `https://${'a'.repeat(1_000)}:hunter2hunter2@host/x?token=abcdefgh`;
    expect(secretsIn({ VALUE: url })).toEqual(
      expect.arrayContaining([`${'a'.repeat(1_000)}:hunter2hunter2`, 'hunter2hunter2', 'abcdefgh']),
    );
    expect(secretsIn({ VALUE: 'see https://token123@host and ftp://u:p@ss:w@host' })).toEqual(
      expect.arrayContaining(['token123', 'u:p@ss:w', 'p@ss:w']),
    );
  });

  it.skipIf(process.platform === 'win32')(
    '[W-10] of line feeds before the first JSON of the CLI is read through',
    async () => {
      const child = await startChild(['/bin/sh', '-c', `head -c ${LONG} /dev/zero | tr '\\0' '\\n'; echo '{}'`]);
      let bytes = 0;
      for await (const chunk of child.output) bytes += chunk.length;
      expect(bytes).toBe(LONG + 3);
    },
  );
});

describe('a line in many pieces', () => {
  it('[W-10, W-2] does not keep every piece of one byte', async () => {
    const lines: number[] = [];
    const framer = new LineFramer(defaultLimits.maxLineBytes, {
      line: (bytes) => void lines.push(bytes.length),
      oversize: () => expect.unreachable(),
    });
    const pieces = Array.from({ length: 100_000 }, () => {
      const piece = Uint8Array.of(97);
      framer.push(piece);
      return new WeakRef(piece.buffer);
    });
    expect(await alive(pieces)).toBeLessThan(100);
    framer.push(Uint8Array.of(10));
    expect(lines).toEqual([100_000]);
  });
});

describe('names chosen by the CLI', () => {
  const NAMES = 10_000;

  it('[W-10, W-6] cause a limited number of warnings with short names: unknown types of messages', () => {
    const warnings = new MessageWarnings({}, []);
    const found = Array.from({ length: NAMES }, (_, nth) => warnings.of({ type: `new-${nth}` } as unknown as Message)); // Unknown.
    expect(found.flat()).toHaveLength(100);
    const long = new MessageWarnings({}, []).of({ type: 'x'.repeat(LONG) } as unknown as Message); // The same.
    expect(JSON.stringify(long).length).toBeLessThan(1_000);
  });

  it('[W-10, H-6] cause a limited number of warnings: new fields of hooks', () => {
    const warnings: Warning[] = [];
    const drift = new InputDrift((warning) => void warnings.push(warning));
    const fields = Object.fromEntries(Array.from({ length: NAMES }, (_, nth) => [`field_${nth}`, nth]));
    drift.check('Stop', { hook_event_name: 'Stop', ...fields });
    expect(warnings).toHaveLength(100);
  });

  it('[W-10, T-1] cause a limited number of warnings: unknown tool servers', async () => {
    const warnings: Warning[] = [];
    const servers = new ToolServers(
      {},
      {
        limits: defaultLimits,
        send: () => {},
        warn: (warning) => void warnings.push(warning),
        context:
          () =>
          (callback, thisArgument, ...parameters) =>
            callback.call(thisArgument as never, ...parameters), // Any.
        report: { skip: () => true, event: () => {} },
      },
    );
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    for (let nth = 0; nth < NAMES; nth++) await servers.handle(`server-${nth}`, message);
    expect(warnings).toHaveLength(100);
  });

  it('[W-10] are listed up to a limit: models, whose costs are all counted', () => {
    let sum = NO_COST;
    for (let nth = 0; nth < NAMES; nth++) {
      const cost = { ...NO_TOKENS, costUsd: 1 };
      sum = addCosts(sum, { ...NO_COST, costUsd: 1, byModel: { [`model-${nth}`]: cost } });
    }
    expect(Object.keys(sum.byModel)).toHaveLength(101);
    expect(Object.values(sum.byModel).reduce((all, { costUsd }) => all + costUsd, 0)).toBe(NAMES);
    expect(sum.costUsd).toBe(NAMES);
  });

  it('[W-10, G-4] are stored up to a limit: transcripts, and the turn fails with the missing part', async () => {
    const limits = { storeTimeoutMs: 1_000, storeLoadMs: 1_000, storeAttempts: 1, storeRetryMs: 1 };
    const store = memoryStore();
    const stored = new StoredConversation({ store, projectKey: 'p', limits, warn: () => {} });
    const id = '11111111-1111-4111-8111-111111111111';
    for (let nth = 0; nth < 10_001; nth++)
      stored.take(`/c/projects/-p/${id}/subagents/agent-${nth}.jsonl`, [{ n: nth }]);
    expect(await stored.flush()).toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('transcripts'),
    });
    expect(await store.listSubkeys({ projectKey: 'p', sessionId: id })).toHaveLength(10_000);
  });
});

describe('an answer in pieces', () => {
  async function* from(messages: Iterable<object>): AsyncGenerator<Message> {
    for (const message of messages) yield message as Message; // Only the fields below are read.
  }
  const event = (fields: object, parent: string | null = null): object => ({
    type: 'stream_event',
    parent_tool_use_id: parent,
    event: fields,
  });

  it('[W-10] of 20,000 blocks is assembled up to a limit', async () => {
    const starts = Array.from({ length: 20_000 }, (_, index) =>
      event({ type: 'content_block_start', index, content_block: { type: 'text', text: 'x' } }),
    );
    const message = { id: 'm', role: 'assistant', content: [] };
    let longest = 0;
    for await (const shown of assemblePartials(from([event({ type: 'message_start', message }), ...starts]))) {
      if (shown.type === 'assistant') longest = Math.max(longest, shown.message.content.length);
    }
    expect(longest).toBe(1_000);
  });

  it('[W-10] is dropped for the oldest of very many subagents', () => {
    const map = new Map<string, number>();
    for (let nth = 0; nth < 5_000; nth++) setNewest(map, `agent-${nth}`, nth);
    expect([map.size, map.has('agent-4999'), map.has('agent-0')]).toEqual([1_000, true, false]);
  });
});

describe('a transcript that an agent wrote', () => {
  it('[W-10, D-1] is resolved with 2,000 compactions that keep everything', () => {
    const count = 4_000;
    const entries = Array.from({ length: count }, (_, n) => {
      const kept = Array.from({ length: 50 }, (__, k) => `u${Math.max(0, n - k)}`);
      const isBoundary = n % 2 === 1;
      const compaction = { follows: `u${n - 1}`, anchor: `u${n}`, kept, keptSpan: undefined };
      const flags = { sidechain: false, meta: false, answer: undefined, toolCall: undefined, line: '' };
      const parent = n === 0 || isBoundary ? null : `u${n - 1}`;
      return { uuid: `u${n}`, parent, type: 'system', ...flags, compaction: isBoundary ? compaction : undefined };
    });
    expect(wholeChain({ entries, lastLeaf: undefined }).length).toBeGreaterThan(0);
  });
});

describe('a flood in a session', () => {
  it('[W-10, G-4] of messages that wait for a slow store ends the session', async () => {
    const store = { ...memoryStore(), append: () => new Promise<void>(() => {}) };
    const { session, cli } = await start(
      { sessionStore: store, limits: { backlogBytes: 200_000, storeTimeoutMs: 300, storeAttempts: 1 } },
      new FakeCli(),
    );
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    const id = '11111111-1111-4111-8111-111111111111';
    cli.say({ type: 'transcript_mirror', filePath: `/c/projects/-p/${id}.jsonl`, entries: [{ uuid: 'a' }] });
    cli.finish(prompt);
    for (let nth = 0; nth < 10_000; nth++) cli.say({ type: 'keep_alive_too', nth });
    await expect(turn.result()).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('backlogBytes'),
    });
    expect(session.state).toBe('failed');
  });

  it('[W-10, E-3] of undecodable lines is limited in the turn of a slow reader', async () => {
    const { session, cli } = await start({ hooks: { Stop: () => ({}) }, limits: { backlogBytes: 1_000_000 } });
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    const items = turn.items()[Symbol.asyncIterator]();
    cli.begin(prompt);
    await items.next();
    for (let nth = 0; nth < 2_500; nth++) cli.print('1\n');
    await settle();
    cli.finish(prompt);
    expect(await turn.text()).toBe('done');
    const drain = async (): Promise<void> => {
      while (!(await items.next()).done);
    };
    await expect(drain()).rejects.toMatchObject({ code: 'reader-too-slow' });
  });
});

describe('a flood in a query', () => {
  it('[W-10, W-4] of bad lines after the result is reported up to limits.maxLateMessages', async () => {
    const { stream, transport } = inMemory({ limits: { maxLateMessages: 10 } });
    transport.say(result());
    transport.output.push(Buffer.from('bad\n'.repeat(10_000)));
    transport.end();
    const { warnings } = await stream.collect();
    const count = (code: string): number => warnings.filter((warning) => warning.code === code).length;
    expect([count('bad-line-after-result'), count('output-after-end')]).toEqual([10, 1]);
  });

  it('[W-10, E-3] of warnings is listed in part, including the last one', async () => {
    const { stream, transport } = inMemory({});
    for (let nth = 0; nth < 20_000; nth++) transport.output.push(Buffer.from(`${nth}\n`));
    transport.say(result());
    transport.end(3);
    for await (const _ of stream);
    expect(stream.warnings.length).toBeLessThan(5_000);
    expect(stream.warnings.map(({ code }) => code)).toContain('warnings-dropped');
    expect(stream.warnings.at(-1)?.code).toBe('non-zero-exit-after-result');
  });
});
