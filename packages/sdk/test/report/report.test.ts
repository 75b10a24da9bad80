import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { plainError, redactedError } from '../../src/errors/redacted.ts';
import {
  AbortError,
  JsonDecodeError,
  TooManyDecodeErrors,
  UnexpectedMessageError,
  Utf8DecodeError,
} from '../../src/errors/stream.ts';
import { defaultLimits } from '../../src/limits.ts';
import type { AgentOptions, Logger } from '../../src/options/option-types.ts';
import { createRedactor } from '../../src/redact.ts';
import { openReport, type Report } from '../../src/report/report.ts';
import { warning } from '../../src/warnings/warning.ts';

const SECRET = 'se"cret\\value';
const redact = createRedactor([SECRET]);
function reportTo(options: AgentOptions): Report {
  return openReport('query', { options, environment: { redact }, limits: defaultLimits });
}

const NOTICE = warning('option-ignored', 'A notice.', { option: 'continue' });

describe('a report', () => {
  it('[E-4] handles a rejecting callback of another realm', async () => {
    const onEvent: () => Promise<never> = runInNewContext("async () => { throw new Error('mine') }");
    const rejected: unknown[] = [];
    const note = (reason: unknown): void => void rejected.push(reason);
    process.on('unhandledRejection', note);
    reportTo({ onEvent }).event({ type: 'started', pid: null });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(rejected).toEqual([]);
  });

  it('[E-3, E-6] sends warnings to onWarning, events and the log, and keeps them', () => {
    const reported: unknown[] = [];
    const note =
      (what: string) =>
      (...given: unknown[]) =>
        void reported.push([what, ...given]);
    const logger: Logger = {
      trace: note('trace'),
      debug: note('debug'),
      info: note('info'),
      warn: note('warn'),
      error: note('error'),
    };
    const report = reportTo({ logger, onEvent: note('event'), onWarning: note('warning') });
    report.warn(NOTICE);
    expect(reported).toMatchObject([
      ['warning', NOTICE],
      ['event', { type: 'warning', warning: NOTICE, seq: 0 }],
      ['warn', { code: 'option-ignored' }, 'A notice.'],
    ]);
  });

  it('[E-6, C-10] redacts the log at any depth and with any characters', () => {
    const log: unknown[] = [];
    const note = (fields: object, message: string): void => void log.push([fields, message]);
    const logger: Logger = { trace: note, debug: note, info: note, warn: note, error: note };
    const report = reportTo({ logger });
    report.log('info', `with ${SECRET}`, { deep: [{ text: `and ${SECRET}` }] });
    expect(log).toEqual([[{ deep: [{ text: 'and [redacted]' }] }, 'with [redacted]']]);
  });

  it('[E-3] has no gap in seq after a throwing callback', () => {
    const seen: number[] = [];
    const report = reportTo({
      onEvent: ({ seq }) => {
        seen.push(seq);
        if (seq % 2) throw new Error('odd');
      },
    });
    for (let count = 0; count < 5; count += 1) report.event({ type: 'ended' });
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('an error in events', () => {
  it('[C-10, W-4] has no secrets, while the error itself keeps its line', () => {
    const line = `${'x'.repeat(110)} ${SECRET}`;
    for (const error of [new JsonDecodeError(line, new SyntaxError(line)), new UnexpectedMessageError(line)]) {
      for (const whole of [error, new TooManyDecodeErrors(5, error)]) {
        const shown = redactedError(whole, redact);
        expect(shown.code).toBe(whole.code);
        expect(JSON.stringify(plainError(shown))).not.toMatch(/se\\*"cret|secret|se\\\\/);
        expect(JSON.stringify(plainError(shown))).toContain('[redacted]');
      }
      expect(JSON.stringify(error.toJSON())).toContain('cret');
    }
    const bytes = new Utf8DecodeError(Uint8Array.of(0xff));
    expect(redactedError(bytes, redact)).toBe(bytes);
  });

  it('[E-3, E-1] is plain JSON, even if its cause is not', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    for (const reason of [cycle, 1n, () => 1, Symbol('s'), undefined, new Map()]) {
      const plain = plainError(new AbortError(reason));
      expect(plain).toMatchObject({ name: 'AbortError', code: 'abort' });
      expect(JSON.parse(JSON.stringify(plain))).toEqual(plain);
    }
    expect(plainError(new TypeError('odd'))).toEqual({ name: 'TypeError', message: 'odd' });
  });
});
