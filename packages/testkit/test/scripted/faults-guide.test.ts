import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FaultMoment } from '../../src/scripted/fault-data.ts';
import { faults } from '../../src/scripted/faults.ts';

const moments: readonly FaultMoment[] = [
  'start',
  'request:initialize',
  'request:set_model',
  'prompt',
  'hook',
  'permission',
  'tool-call',
  'result',
  'input-end',
  'signal',
];

describe('the guide to faults', () => {
  const guide = readFileSync(new URL('../../../../docs/guides/faults.md', import.meta.url), 'utf8');
  const rows = guide.split('\n').filter((line) => line.startsWith('| `'));
  const first = rows.map((row) => row.split(' | ')[0] ?? '');

  it('[K-1] lists every fault and no other', () => {
    const named = first.flatMap((cell) => [...cell.matchAll(/`(\w+)\(/g)].map(([, name]) => name));
    expect([...new Set(named)].sort()).toEqual(Object.keys(faults).sort());
  });

  it('[K-1] lists every moment', () => {
    const named = first.flatMap((cell) => [...cell.matchAll(/`'([\w-]+(?::\w+)?)'`/g)].map(([, name]) => name));
    expect(new Set(named)).toEqual(new Set(moments));
  });
});
