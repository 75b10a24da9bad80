import { describe, expect, it } from 'vitest';
import type { Logger } from '../../src/options/option-types.ts';
import { INIT, ORDINARY, result, type Step, say } from '../support/say.ts';

type Level = keyof Logger;
type Entry = [level: Level, message: string, fields: object];

/** The log of a run with these steps. */
async function logOf(steps: readonly Step[], options: Parameters<typeof say>[1] = {}): Promise<Entry[]> {
  const log: Entry[] = [];
  const at = (level: Level) => (fields: object, message: string) => void log.push([level, message, fields]);
  const logger: Logger = {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
  const { stream } = say(steps, { ...options, logger });
  await stream.collect();
  await stream.close();
  return log;
}

const at = (log: readonly Entry[], level: Level): string[] =>
  log.flatMap(([is, message]) => (is === level ? [message] : []));

describe('the log of a query', () => {
  it('[E-6] contains events with their fields at the level debug', async () => {
    const log = await logOf([{ read: true }, ...ORDINARY]);
    expect(log).toMatchObject([
      ['debug', 'coxswain: started', { type: 'started', pid: expect.any(Number) }],
      ['debug', 'coxswain: state-changed', { state: 'pending-end' }],
      ['debug', 'coxswain: exit', { exitCode: 0, signal: null, ended: 'by-itself' }],
      ['debug', 'coxswain: state-changed', { state: 'closed' }],
      ['debug', 'coxswain: ended', {}],
    ]);
  });

  it('[E-6] contains stderr lines at trace, warnings with their codes at warn, and nothing at error or info', async () => {
    const log = await logOf([{ err: 'one\ntwo\n' }, { message: result() }, { exit: 7 }]);
    expect(at(log, 'trace')).toEqual(['one', 'two']);
    expect(log.filter(([level]) => level === 'warn')).toEqual([
      ['warn', expect.stringContaining('exited with code 7'), { code: 'non-zero-exit-after-result' }],
    ]);
    expect(at(log, 'error')).toEqual([]);
    expect(at(log, 'info')).toEqual([]);
  });

  it('[E-6] contains the terminal error once at the level error', async () => {
    const log = await logOf([{ message: INIT }, { exit: 3 }]);
    expect(log.filter(([level]) => level === 'error')).toEqual([
      ['error', expect.stringMatching(/^The CLI exited with code 3 without a result\./), { name: 'ProcessError' }],
    ]);
    expect(at(log, 'debug')).toContain('coxswain: failed');
    const notFound = await logOf([], { cli: '/nowhere' });
    expect(at(notFound, 'error')).toEqual([expect.stringContaining('was not found')]);
  });

  it('[E-6, C-7] contains a failed prompt at the level debug, but never its text', async () => {
    const log = await logOf([{ exit: 1 }], { prompt: 'a private prompt '.repeat(100_000) });
    expect(at(log, 'debug')).toContain('coxswain: prompt not taken');
    expect(JSON.stringify(log)).not.toContain('a private prompt');
  });

  it('[E-6] is written by calling methods of the logger', async () => {
    const calls: unknown[] = [];
    class Counting implements Logger {
      trace(): void {
        calls.push(this);
      }
      debug(): void {
        calls.push(this);
      }
      info(): void {
        calls.push(this);
      }
      warn(): void {
        calls.push(this);
      }
      error(): void {
        calls.push(this);
      }
    }
    const logger = new Counting();
    await say([...ORDINARY], { logger }).stream.text();
    expect(calls.length).toBeGreaterThan(3);
    expect(new Set(calls)).toEqual(new Set([logger]));
  });
});
