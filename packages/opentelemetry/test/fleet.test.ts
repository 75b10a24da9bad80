import { context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractTrace, fleetTelemetry, injectTrace, type TraceCarrier } from '../src/index.ts';
import { recorder, withContextManager } from './recorder.ts';

withContextManager();

const SUBMISSION = { key: 'ann', turn: 't1' };

describe('a turn of a fleet', () => {
  it('[V-2] is in the trace of its caller, across the store', async () => {
    const traced = recorder();
    const fleet = fleetTelemetry(traced.options);
    const carrier = await traced.as('request', () => fleet.submit(SUBMISSION, async (stored) => stored));
    // Only text crosses to the worker.
    const stored: TraceCarrier = JSON.parse(JSON.stringify(carrier));
    const turn = { ...SUBMISSION, carrier: stored, epoch: 3, attempt: 2, submittedAt: Date.now() - 5_000 };
    const result = await fleet.turn(turn, async () => {
      traced.as('work', () => {});
      return 7;
    });
    expect(result).toBe(7);
    expect(traced.tree()).toEqual(['request', '  fleet.submit', '    fleet.turn', '      work']);
    const [submit, run] = [traced.span('fleet.submit'), traced.span('fleet.turn')];
    expect([submit.kind, run.kind]).toEqual([SpanKind.PRODUCER, SpanKind.CONSUMER]);
    expect(run.links.map((link) => link.context.spanId)).toEqual([submit.spanContext().spanId]);
    expect(run.attributes).toMatchObject({
      'coxswain.key': 'ann',
      'coxswain.turn.id': 't1',
      'coxswain.fleet.epoch': 3,
      'coxswain.fleet.attempt': 2,
    });
    expect(Number(run.attributes['coxswain.turn.waited'])).toBeGreaterThanOrEqual(5);
  });

  it('[V-1] ends with the code of its error, and rethrows the error', async () => {
    const traced = recorder();
    const fleet = fleetTelemetry(traced.options);
    const failure = Object.assign(new Error('lost'), { code: 'fleet-lost' });
    await expect(fleet.submit(SUBMISSION, () => Promise.reject(failure))).rejects.toBe(failure);
    const turn = { ...SUBMISSION, carrier: {}, epoch: 1, attempt: 1, submittedAt: 0 };
    await expect(fleet.turn(turn, () => Promise.reject(new TypeError('odd')))).rejects.toThrow('odd');
    expect(traced.tree()).toEqual(['fleet.submit ! fleet-lost', 'fleet.turn ! TypeError']);
    expect(traced.open()).toBe(0);
  });
});

describe('a carrier', () => {
  it('[V-2] restores the same span, with its state', () => {
    const hex = (length: number): fc.Arbitrary<string> =>
      fc
        .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
        .map((digits) => digits.join(''))
        .filter((id) => /[^0]/.test(id));
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, sampled) => {
        const traceparent = `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
        const from = extractTrace({ traceparent, tracestate: 'vendor=x' }, ROOT_CONTEXT);
        expect(trace.getSpanContext(from)).toMatchObject({
          traceId,
          spanId,
          traceFlags: sampled ? 1 : 0,
          isRemote: true,
        });
        expect(injectTrace(from)).toEqual({ traceparent, tracestate: 'vendor=x' });
      }),
    );
  });

  it.each([
    undefined,
    '',
    'nonsense',
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more',
    'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ])('[V-2] does not change the context if it is malformed (%s)', (traceparent) => {
    expect(extractTrace({ traceparent }, ROOT_CONTEXT)).toBe(ROOT_CONTEXT);
    expect(injectTrace(context.active())).toEqual({});
  });

  it('[V-2] of a later version of the format is read up to the known fields', () => {
    const traceparent = '01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03-more';
    const span = trace.getSpanContext(extractTrace({ traceparent }, ROOT_CONTEXT));
    expect(span).toMatchObject({ spanId: 'b7ad6b7169203331', traceFlags: 1 });
  });
});
