import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Surface } from '../../conformance/matrix/surface.ts';
import { compareDeclarations, controlRequestsIn } from '../follow/compare-declarations.mjs';
import { compareSurfaces } from '../follow/compare-surfaces.mjs';
import { Journal } from '../follow/journal.mjs';
import { newestOf } from '../follow/look.mjs';
import { changes } from '../follow/matrix.mjs';
import { reportOf } from '../follow/report.mjs';
import { readReport } from '../follow/tests.mjs';
import { decisionsFor } from '../follow/verdict.mjs';

describe('the newest release', () => {
  it('is the newest CLI whose official SDK is also published', () => {
    expect(newestOf(['2.1.9', '2.1.10', '2.1.11', '2.1.12-beta.1'], ['0.3.9', '0.3.10'], undefined)).toBe('2.1.10');
  });

  it('can be chosen, if both packages are published', () => {
    expect(newestOf(['2.1.9', '2.1.10'], ['0.3.9', '0.3.10'], '2.1.9')).toBe('2.1.9');
    expect(() => newestOf(['2.1.9'], ['0.3.9'], '2.1.8')).toThrow('2.1.8 is not published');
  });
});

describe('comparing declarations', () => {
  it('lists what was added, removed and changed, without comments', () => {
    const before = `/** Old. */ export interface Kept { a: string; b: number }
      export type Gone = 'x';
      export declare const NAMES: readonly ['a'];`;
    const after = `/** New words. */ export interface Kept { a: string; c?: number }
      export declare function came(): void;
      export declare const NAMES: readonly ['a'];`;
    expect(compareDeclarations(before, after)).toEqual({
      added: ['came'],
      removed: ['Gone'],
      changed: [{ name: 'Kept', lines: ['+ c?: number;', '- b: number;'] }],
    });
  });

  it('finds the control requests', () => {
    const text = `type SDKControlStopRequest = { subtype: 'stop' }; declare type SDKControlGoRequest = { subtype: 'go'; x: 1 };
      type SDKOtherMessage = { subtype: 'other' };`;
    expect(controlRequestsIn(text)).toEqual(['go', 'stop']);
  });
});

const surface: Surface = {
  ...{ flags: ['--a'], capabilities: [], hookEvents: [], tools: ['Bash'], controlRequests: [], handshake: [] },
  toolSchemas: { Bash: '{"properties":{"command":{"type":"string"}}}' },
  messages: { 'system init': ['cwd', 'model'] },
};

describe('comparing the surfaces of two releases', () => {
  it('finds nothing in the same release', () => {
    expect(compareSurfaces(surface, surface)).toEqual([]);
  });

  it('lists new and missing names, and fields that changed', () => {
    const after: Surface = {
      ...surface,
      flags: ['--b'],
      toolSchemas: { Bash: '{"properties":{"command":{"type":"string"},"inside":{"type":"boolean"}}}' },
      messages: { 'system init': ['cwd'], 'system status': ['status'] },
    };
    expect(compareSurfaces(surface, after)).toEqual([
      { kind: 'flags', added: ['--b'], removed: ['--a'], changed: [] },
      { kind: 'schemas of tools', added: [], removed: [], changed: ['Bash: +inside'] },
      { kind: 'messages', added: ['system status'], removed: [], changed: ['system init: -model'] },
    ]);
  });

  it('distinguishes a schema with another wording from one with other fields', () => {
    const after = { ...surface, toolSchemas: { Bash: '{"properties":{"command":{"type":"number"}}}' } };
    expect(compareSurfaces(surface, after)[0]?.changed).toEqual(['Bash: the order or the wording']);
  });
});

describe('the features of a release', () => {
  it('are compared by their verdicts', () => {
    expect(changes({ a: 'yes', b: 'yes' }, { a: 'yes', b: 'no: why', c: 'yes' })).toEqual(['b: yes → no: why']);
  });
});

describe('a report of vitest', () => {
  it('is read for its failures, those of whole files included', () => {
    const report = JSON.stringify({
      numPassedTests: 3,
      testResults: [
        {
          ...{ name: '/repo/a.test.ts', status: 'failed' },
          assertionResults: [
            { status: 'passed', fullName: 'works', failureMessages: [] },
            { status: 'failed', fullName: 'fails', failureMessages: ['Error: why\n at x'] },
            { status: 'failed', fullName: 'hangs', failureMessages: ['Error: STACK_TRACE_ERROR\n at x'] },
          ],
        },
        { name: '/repo/b.test.ts', status: 'failed', message: 'cannot be read', assertionResults: [] },
      ],
    });
    expect(readReport(report, '/repo')).toEqual({
      passed: 3,
      failed: [
        { file: 'a.test.ts', title: 'fails', why: 'Error: why' },
        { file: 'a.test.ts', title: 'hangs', why: 'The test timed out.' },
        { file: 'b.test.ts', title: '(the file)', why: 'cannot be read' },
      ],
    });
  });
});

const passed = { code: 0, passed: 10, failed: [] };
const quiet = {
  declarations: { files: [] },
  surfaces: { changes: [] },
  move: { missing: [] },
  structure: { compared: 5, declared: 5, missing: [], different: [] },
  matrix: { surprises: [], changed: [] },
  ...{ parked: passed, behaviours: passed, clients: passed, real: passed },
  pages: { diff: ['1 file changed'] },
};

describe('the verdict', () => {
  it('is ready if nothing changed and everything passed', () => {
    expect(decisionsFor(quiet)).toEqual([]);
    expect(reportOf({ from: '1', to: '2' }, quiet, [], { real: 9 })).toContain('**Ready: nothing to decide.**');
  });

  it('names the file for each thing to decide', () => {
    const decisions = decisionsFor({
      ...quiet,
      surfaces: { changes: [{ kind: 'flags', added: ['--new'], removed: [], changed: [] }] },
      move: { missing: ['README.md: pinned 2'] },
      structure: {
        ...{ compared: 6, declared: 5, missing: ['. came'] },
        different: [{ name: 'Options', path: 'a', official: 'string', dropIn: '(none)' }],
      },
      matrix: { surprises: ['set_model does not work'], changed: [] },
      real: { ...passed, failed: [{ file: 'conformance/a.test.ts', title: 't', why: 'w' }] },
    });
    expect(decisions.map(({ file }) => file)).toEqual([
      'README.md',
      'packages/sdk/src/options/flag-table.ts',
      'packages/drop-in/src/sdk.ts',
      'packages/drop-in/src/declarations',
      'packages/drop-in/test/both/declared/declared-differences.ts',
      'packages/sdk/src/cli/feature-gate.ts',
      'conformance/a.test.ts',
    ]);
    const report = reportOf({ from: '1', to: '2' }, quiet, decisions, {});
    expect(report).toContain('**7 things to decide:**');
    expect(report).toContain('- `packages/sdk/src/options/flag-table.ts`: new in flags: --new');
  });

  it('names files that exist', () => {
    const kinds = ['flags', 'capabilities', 'hook events', 'tools', 'control requests', 'fields of the handshake'];
    const all = [...kinds, 'schemas of tools', 'messages'].map((kind) => ({
      ...{ kind, added: ['x'], removed: [], changed: [] },
    }));
    for (const { file } of decisionsFor({ ...quiet, surfaces: { changes: all } })) {
      expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).not.toBe('');
    }
  });
});

describe('the journal', () => {
  it('keeps the result of a step until it is forgotten', () => {
    const folder = mkdtempSync(join(tmpdir(), 'follow-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const journal = new Journal(folder);
    expect(journal.read('move')).toBeUndefined();
    journal.write('move', { missing: [] });
    expect(new Journal(folder).read('move')).toEqual({ missing: [] });
    journal.forget('move');
    expect(journal.read('move')).toBeUndefined();
  });
});
