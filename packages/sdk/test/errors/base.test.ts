import { describe, expect, it, vi } from 'vitest';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { isCoxswainError } from '../../src/errors/any-error.ts';
import { CoxswainError, codeOf } from '../../src/errors/base.ts';
import { OptionsError } from '../../src/errors/options.ts';
import { CliInstallError } from '../../src/errors/start.ts';
import {
  AbortError,
  JsonDecodeError,
  ProcessError,
  StreamConsumedError,
  Utf8DecodeError,
} from '../../src/errors/stream.ts';
import { samples } from './samples.ts';

describe('CoxswainError', () => {
  it.each(samples.map(({ error }) => [error.constructor.name, error] as const))(
    '[E-1] %s has its class name, the matching code and a message',
    (name, error) => {
      expect(error).toBeInstanceOf(CoxswainError);
      expect(error.name).toBe(name);
      expect(error.code).toBe(codeOf(name));
      expect(error.message).not.toBe('');
      expect(error.stack).toContain(`${name}: ${error.message.split('\n')[0]}`);
      expect(Object.keys(error)).not.toContain('name');
    },
  );

  it.each([
    ['ControlTimeoutError', 'control-timeout'],
    ['SessionStoppedError', 'session-stopped'],
    ['InitializationTimeoutError', 'initialization-timeout'],
    ['CliNotFoundError', 'cli-not-found'],
    ['ProcessError', 'process'],
    ['Utf8DecodeError', 'utf8-decode'],
    ['TooManyDecodeErrors', 'too-many-decode-errors'],
  ])('[E-1] the code of %s is %s', (name, code) => {
    expect(codeOf(name)).toBe(code);
  });

  it('[E-1] ProcessError contains the details of the end of the process', () => {
    const failure = {
      exitCode: 143,
      signal: null,
      stderrTail: 'terminated',
      stdoutWasEmpty: true,
      lastNonJsonLine: 'bye',
      hint: 'Somebody ended it.',
    };
    expect(new ProcessError(failure)).toMatchObject(failure);
  });
});

describe('toJSON', () => {
  it.each(samples.map(({ error }) => [error.name, error] as const))(
    '[E-1] of %s has name, code, message and every own field',
    (name, error) => {
      const json = JSON.parse(JSON.stringify(error));
      expect(json).toMatchObject({ name, code: error.code, message: error.message });
      for (const [field, value] of Object.entries(error)) {
        if (value !== undefined) expect(json).toHaveProperty(field);
      }
    },
  );

  it('[E-1] contains the cause and the causes of the cause', () => {
    const cause = new JsonDecodeError('oops', new SyntaxError('Unexpected token o'));
    const error = new CliInstallError('bad answer', { version: PINNED_VERSION, directory: '/tmp/x', cause });
    expect(JSON.parse(JSON.stringify(error)).cause).toEqual({
      name: 'JsonDecodeError',
      code: 'json-decode',
      message: cause.message,
      line: 'oops',
      cause: { name: 'SyntaxError', message: 'Unexpected token o' },
    });
  });

  it('[E-1] contains a cause other than an error unchanged, and omits a missing cause', () => {
    expect(new AbortError('enough').toJSON()).toHaveProperty('cause', 'enough');
    expect(new StreamConsumedError().toJSON()).not.toHaveProperty('cause');
  });

  it('[E-1] converts bytes and lists to plain arrays', () => {
    expect(new Utf8DecodeError(new Uint8Array([1, 255])).toJSON()).toHaveProperty('bytes', [1, 255]);
    const problems = [{ path: 'model', message: 'must be a string' }];
    expect(new OptionsError(problems).toJSON()).toHaveProperty('problems', problems);
  });
});

describe('isCoxswainError', () => {
  it('[E-1] recognises errors of another copy of the package', async () => {
    vi.resetModules();
    const copy = await import('../../src/errors/stream.ts');
    const foreign = new copy.StreamConsumedError();
    expect(foreign).not.toBeInstanceOf(StreamConsumedError);
    expect(foreign).not.toBeInstanceOf(CoxswainError);
    expect(isCoxswainError(foreign)).toBe(true);
  });

  it('[E-1] is false for other values', () => {
    const lookalike = Object.assign(new Error('no'), { name: 'AbortError', code: 'abort' });
    for (const value of [lookalike, { code: 'abort' }, null, undefined, 'abort', new DOMException('x', 'AbortError')]) {
      expect(isCoxswainError(value)).toBe(false);
    }
  });
});
