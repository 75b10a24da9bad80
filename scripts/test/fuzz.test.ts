import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { Pipeline } from '../fuzz/pipeline.mjs';
import { runFuzz } from '../fuzz/run.mjs';

describe('random frames, cut anywhere', () => {
  it.each([1, 20_261_115, 7])(
    '[W-1, W-3, W-4, W-5, X-2, X-4, Q-3, S-2, S-3] are all decoded as generated (seed %i)',
    (seed) => {
      const report = runFuzz({ frames: 4_000, seed });
      expect(report).not.toHaveProperty('failure');
      expect(report.frames).toBe(4_000);
      expect(Object.keys(report.kinds)).toEqual([
        'blank',
        'json-decode',
        'message',
        'oversize',
        'unexpected-message',
        'utf8-decode',
      ]);
    },
  );

  it('[W-1] are the same for the same seed', () => {
    const [first, second] = [runFuzz({ frames: 500, seed: 3 }), runFuzz({ frames: 500, seed: 3 })];
    expect([first.bytes, first.chunks, first.kinds]).toEqual([second.bytes, second.chunks, second.kinds]);
  });
});

describe('the comparison of the fuzzer', () => {
  const line = (text: string) => Buffer.from(`${text}\n`);
  const message = (text: string, type: string, routed: string) =>
    ({ bytes: line(text), kind: 'message', type, routed }) as const;

  it.each([
    ['another type', message('{"type":"user"}', 'user', 'message'), '{"type":"result"}'],
    ['another text', message('{"type":"user"}', 'user', 'message'), '{"type":"user","a":1}'],
    ['another route', message('{"type":"user"}', 'user', 'request'), '{"type":"user"}'],
    ['garbage', message('{"type":"user"}', 'user', 'message'), 'noise'],
  ])('detects %s', (_, expected, sent) => {
    const pipeline = new Pipeline(100);
    pipeline.expect(expected);
    expect(() => pipeline.push(line(sent))).toThrow();
  });

  it('detects a missing line', () => {
    const pipeline = new Pipeline(100);
    pipeline.expect(message('{"type":"user"}', 'user', 'message'));
    expect(() => pipeline.end()).toThrow('1 lines are missing');
  });
});
