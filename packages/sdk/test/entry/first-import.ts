import { vi } from 'vitest';

/** The package as a program has it that has made no call yet. */
export async function firstImport(): Promise<typeof import('../../src/index.ts')> {
  vi.resetModules();
  return import('../../src/index.ts');
}
