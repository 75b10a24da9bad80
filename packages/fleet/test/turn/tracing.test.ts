import { describe, expect, it, onTestFinished } from 'vitest';
import { type FleetTracing, isolated } from '../../src/turn/tracing.ts';

const SUBMISSION = { key: 'ann', turn: 't' };
const TURN = { ...SUBMISSION, carrier: {}, epoch: 1, attempt: 1, submittedAt: 0 };

/** Defective tracers; they must neither prevent nor repeat the work. */
const DEFECTS: Readonly<Record<string, FleetTracing['turn']>> = {
  'throws before': () => {
    throw new Error('no exporter');
  },
  'rejects before': () => Promise.reject(new Error('no exporter')),
  'rejects after': async (_turn, run) => {
    await run();
    throw new Error('no exporter');
  },
  'calls twice': async (_turn, run) => {
    await run();
    return run();
  },
  'never calls': () => new Promise(() => {}),
  'never ends': async (_turn, run) => {
    await run();
    return new Promise(() => {});
  },
  'returns another result': async (_turn, run) => {
    await run();
    return undefined as never;
  },
};

describe('a tracer', () => {
  it.each(Object.entries(DEFECTS))(
    'does no harm if it %s: the turn runs once, and its outcome counts',
    async (_what, turn) => {
      let runs = 0;
      const { submit, turn: traced } = isolated({ submit: (_submission, store) => turn(TURN, () => store({})), turn });
      const work = async (): Promise<string> => `run ${++runs}`;
      expect(await traced(TURN, work)).toBe('run 1');
      expect(await submit(SUBMISSION, work)).toBe('run 2');
    },
  );

  it('is reported only once if it fails repeatedly', async () => {
    const { turn } = isolated({
      submit: (_submission, store) => store({}),
      turn: () => Promise.reject(new Error('down')),
    });
    const warnings: unknown[] = [];
    const note = (warning: Error & { code?: string }): void => {
      if (warning.code === 'COXSWAIN_FLEET_TRACING') warnings.push(warning);
    };
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    await turn(TURN, async () => 1);
    await turn(TURN, async () => 2);
    // Warnings are emitted before the next turn of the event loop.
    await new Promise(setImmediate);
    expect(warnings.map(String)).toEqual([expect.stringContaining('down')]);
  });

  it('does not hide an error of the work, and passes the trace context to it', async () => {
    const seen: unknown[] = [];
    const carrier = { traceparent: '00-1', tracestate: 'vendor=x' };
    const { submit } = isolated({ submit: (_submission, store) => store(carrier), turn: (_turn, run) => run() });
    const failure = new Error('the database is away');
    await expect(
      submit(SUBMISSION, async (given) => {
        seen.push(given);
        throw failure;
      }),
    ).rejects.toBe(failure);
    expect(seen).toEqual([carrier]);
  });
});
