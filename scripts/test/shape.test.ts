import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { javascriptOf } from '../shape/instrument.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('npm run do -- shape', () => {
  it('draws the same pictures as in docs/architecture.md', { timeout: 180_000 }, () => {
    const done = spawnSync(process.execPath, ['scripts/shape/shape.mjs', '--check'], { cwd: ROOT, encoding: 'utf8' });
    expect(done.stderr).toBe('');
    expect(done.status).toBe(0);
  });

  it('has measured the earlier state with the current ways', () => {
    const before: { ways: object } = JSON.parse(readFileSync(`${ROOT}/scripts/shape/before.json`, 'utf8'));
    const source = readFileSync(`${ROOT}/scripts/shape/ways.mjs`, 'utf8');
    for (const way of Object.keys(before.ways)) expect(source).toContain(`'${way}': `);
  });
});

describe('instrumented sources', () => {
  it('report every function with its class and its object', () => {
    const source = `
      class Boat extends Hull {
        #crew = () => 1;
        constructor() { super(); }
        get size(): number { return 1; }
        row(): void { [1].map((oar) => oar); }
        static build(): Boat { return new Boat(); }
      }
      const steer = () => 2;
      async function sail(): Promise<void> {}
      declare function moor(): void;`;
    const reports = [...javascriptOf('boat.ts', source, true).matchAll(/enteredFunction\("([^)]*)\)/g)];
    expect(reports.map(([, report]) => report)).toEqual([
      'boat.ts #crew", this',
      'boat.ts Boat.constructor"',
      'boat.ts Boat.get size", this',
      'boat.ts Boat.row", this',
      'boat.ts Boat.row \\u203A (',
      'boat.ts Boat.build"',
      'boat.ts steer"',
      'boat.ts sail"',
    ]);
    expect(javascriptOf('boat.ts', source, false)).not.toContain('enteredFunction');
  });
});
