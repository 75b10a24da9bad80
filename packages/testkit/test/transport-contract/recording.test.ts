import { join } from 'node:path';
import { describe, it } from 'vitest';
import { recording, type TransportBench, transportContract } from '../../src/index.ts';
import { temporaryFolder } from '../cassette/temporary-folder.ts';
import { scriptedBench } from './scripted-bench.ts';

const file = (): string => join(temporaryFolder(), 'contract.ndjson');

const bench: TransportBench = {
  ...scriptedBench((inner) => recording(file(), { inner })),
  failing: () => ({
    transport: recording(file(), { cli: '/no/such/program' })(),
    request: { argv: ['claude'], env: {}, cwd: undefined, privateFiles: [] },
  }),
};

describe('a recorded transport', () => {
  for (const { name, run } of transportContract(bench)) it(`[A-1, K-3] ${name}`, run);
});
