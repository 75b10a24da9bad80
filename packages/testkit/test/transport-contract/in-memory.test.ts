import { describe, it } from 'vitest';
import { transportContract } from '../../src/index.ts';
import { scriptedBench } from './scripted-bench.ts';

describe('a script in memory', () => {
  for (const { name, run } of transportContract(scriptedBench((inner) => inner))) it(`[A-1, K-1] ${name}`, run);
});
