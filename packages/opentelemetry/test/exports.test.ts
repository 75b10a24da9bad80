import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as entry from '../src/index.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

it('[V-1] the package offers exactly these names', () => {
  expect(Object.keys(entry).sort()).toEqual([
    'extractTrace',
    'fleetTelemetry',
    'injectTrace',
    'instrument',
    'telemetry',
  ]);
});

it('[V-1] the package uses the public entries of coxswain, of OpenTelemetry only its API, and what is bundled', () => {
  const sources = readdirSync(new URL('../src', import.meta.url)).map((name) => read(`src/${name}`));
  const imported = sources.flatMap((source) => [...source.matchAll(/from '([^'.][^']*)'/g)].map(([, name]) => name));
  const external = imported.filter((name) => !name?.startsWith('@coxswain/shared/'));
  expect([...new Set(external)].sort()).toEqual([
    '@opentelemetry/api',
    'coxswain',
    'coxswain/errors',
    'coxswain/observe',
    'coxswain/types',
  ]);
  const { dependencies, peerDependencies } = JSON.parse(read('package.json'));
  expect(Object.keys(dependencies)).toEqual(['coxswain']);
  expect(peerDependencies).toEqual({ '@opentelemetry/api': '^1.9.0' });
});
