import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CoxswainError } from '../../packages/sdk/src/errors/base.ts';
import * as errors from '../../packages/sdk/src/errors/index.ts';
import { samples } from '../../packages/sdk/test/errors/samples.ts';
import { errorTable } from '../docs/error-table.ts';
import { warningTable } from '../docs/warning-table.ts';

const SRC = fileURLToPath(new URL('../../packages/sdk/src', import.meta.url));

describe('the table of errors', () => {
  it('[E-5] has a row for every class of coxswain/errors, and no other', () => {
    const classes = Object.values<unknown>(errors).flatMap((value) =>
      typeof value === 'function' && value.prototype instanceof CoxswainError ? [value.name] : [],
    );
    expect(Object.keys(errorTable).sort()).toEqual(classes.sort());
  });

  it('[E-5] is tested with a sample of every class', () => {
    const sampled = new Set(samples.map(({ error }) => error.name));
    expect([...sampled].sort()).toEqual(Object.keys(errorTable).sort());
  });

  it('[E-1] states that a stream continues only after the errors of single lines', () => {
    const continuing = Object.entries(errorTable).filter(([, { ends }]) => ends === 'line');
    const names = continuing.map(([name]) => name).sort();
    expect(names).toEqual(['JsonDecodeError', 'UnexpectedMessageError', 'Utf8DecodeError']);
  });

  it.each(Object.entries(errorTable))('[E-5] explains the cause of %s and what to do', (_name, row) => {
    expect(row.cause).toMatch(/^[A-Z`].+\.$/s);
    expect(row.remedy).toMatch(/^[A-Z`].+\.$/s);
  });
});

describe('the table of warnings', () => {
  const sources = sourceFiles().filter(({ path }) => !path.startsWith('warnings/'));

  it('[E-5] has every warning code of the source', () => {
    const used = sources.flatMap(({ text }) => [...text.matchAll(/\bwarning\(\s*'([^']+)'/g)].map((match) => match[1]));
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((code) => code === undefined || !(code in warningTable))).toEqual([]);
  });

  it('[E-5] has no code that the source never uses', () => {
    const dead = Object.keys(warningTable).filter((code) => !sources.some(({ text }) => text.includes(`'${code}'`)));
    expect(dead).toEqual([]);
  });

  it.each(Object.entries(warningTable))('[E-5] explains the cause of %s and what to do', (code, row) => {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(row.cause).toMatch(/^[A-Z`].+\.$/s);
    expect(row.remedy).toMatch(/^[A-Z`].+\.$/s);
  });
});

function sourceFiles(): { path: string; text: string }[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }));
}
