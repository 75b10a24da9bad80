import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { ControlTimeoutError, TurnInterruptedError } from '../../src/errors/session.ts';
import { type ProcessError, TimeoutError } from '../../src/errors/stream.ts';
import {
  type AnyCoxswainError,
  CoxswainError,
  type ErrorCode,
  isCoxswainError,
  type Message,
  type ResultMessage,
} from '../../src/index.ts';
import { samples } from './samples.ts';

const ERRORS = fileURLToPath(new URL('../../src/errors', import.meta.url));

const interrupted: unknown = new TurnInterruptedError({ turn: 't1', text: 'so far', messages: [], cause: undefined });

describe('isCoxswainError', () => {
  it('[E-1] narrows to all errors of the library, and switch (error.code) narrows to the fields of each', () => {
    const error: unknown = new TimeoutError('timeoutMs', 5);
    expect(isCoxswainError(new Error('foreign'))).toBe(false);
    if (!isCoxswainError(error)) return expect.unreachable();
    switch (error.code) {
      case 'process':
        expectTypeOf(error.exitCode).toEqualTypeOf<number | null>();
        return expect.unreachable();
      case 'timeout':
        expectTypeOf(error).toEqualTypeOf<TimeoutError>();
        return expect(error.ms).toBe(5);
      default:
        // @ts-expect-error The remaining errors have other codes.
        expect(error.code === 'process').toBe(false);
        return expect.unreachable();
    }
  });

  it('[E-1] narrows, with a code, to the error with that code and its fields', () => {
    if (!isCoxswainError(interrupted, 'turn-interrupted')) return expect.unreachable();
    expectTypeOf(interrupted).toEqualTypeOf<TurnInterruptedError>();
    expectTypeOf(interrupted.messages).toEqualTypeOf<readonly Message[]>();
    expect(interrupted.text).toBe('so far');
  });

  it('[E-1] is false, with a code, for every other error', () => {
    expect(isCoxswainError(interrupted, 'timeout')).toBe(false);
    expect(isCoxswainError(Object.assign(new Error('lookalike'), { code: 'timeout' }), 'timeout')).toBe(false);
    expect(isCoxswainError({ code: 'timeout' }, 'timeout')).toBe(false);
    expect(isCoxswainError(undefined, 'timeout')).toBe(false);
  });

  it.each(samples.map(({ error }) => [error.name, error] as const))(
    '[E-1] recognises %s by its own code only',
    (_name, error) => {
      expect(isCoxswainError(error)).toBe(true);
      if (!isCoxswainError(error)) return;
      expect(isCoxswainError(error, error.code)).toBe(true);
      expect(isCoxswainError(error, error.code === 'spawn' ? 'process' : 'spawn')).toBe(false);
    },
  );

  it('[E-1] accepts only existing codes', () => {
    // @ts-expect-error This code does not exist.
    expect(isCoxswainError(interrupted, 'turn-interupted')).toBe(false);
    expectTypeOf<string>().not.toExtend<ErrorCode>();
    expectTypeOf<ErrorCode>().toEqualTypeOf<AnyCoxswainError['code']>();
    expectTypeOf<'options' | 'spawn' | 'timeout' | 'pool-queue-full' | 'session-file'>().toExtend<ErrorCode>();
  });

  it('[E-1] covers every error class of src/errors', () => {
    const files = readdirSync(ERRORS).filter((file) =>
      /extends CoxswainError</.test(readFileSync(join(ERRORS, file), 'utf8')),
    );
    const union = readFileSync(join(ERRORS, 'index.ts'), 'utf8');
    expect(files.filter((file) => !union.includes(`from './${file}'`))).toEqual([]);
    expectTypeOf<'store-failed' | 'store-unable'>().toExtend<ErrorCode>();
  });

  it('[E-1] narrows in a catch block and among several codes', () => {
    const describeError = (error: unknown): string => {
      if (isCoxswainError(error, 'control-timeout')) return error.kind;
      if (isCoxswainError(error, 'process')) {
        expectTypeOf(error).toEqualTypeOf<ProcessError>();
        expectTypeOf(error.result).toEqualTypeOf<ResultMessage | undefined>();
      }
      return 'another error';
    };
    expect(describeError(new ControlTimeoutError('set_model', 'r1', 5))).toBe('set_model');
    expect(describeError(interrupted)).toBe('another error');
  });
});

describe('the fields of errors', () => {
  it.each(samples.map(({ error }) => [error.name, error] as const))(
    '[E-1] %s has the code and every field that its class declares',
    (name, error) => {
      const { code, fields: declared } = declarationOf(name);
      expect(code).toBe(error.code);
      expect(declared.filter((field) => !Object.hasOwn(error, field))).toEqual([]);
      const listed = Object.keys(error);
      expect(listed.filter((field) => field !== 'code' && !declared.includes(field))).toEqual([]);
      expect(error).toBeInstanceOf(CoxswainError);
    },
  );
});

/** The compiler checks neither the code nor the `declare` fields of a class, so they are read from its source. */
function declarationOf(name: string): { code: string | undefined; fields: string[] } {
  const sources = readdirSync(ERRORS).map((file) => readFileSync(join(ERRORS, file), 'utf8'));
  const body =
    sources.join('\n').split(`export class ${name} extends CoxswainError`)[1]?.split('\n  constructor(')[0] ?? '';
  const fields = [...body.matchAll(/^ {2}declare readonly (\w+):/gm)].map((match) => match[1] ?? '');
  return { code: /^<'(.+)'>/.exec(body)?.[1], fields };
}
