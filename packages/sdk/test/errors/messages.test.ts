import { describe, expect, it } from 'vitest';
import { samples } from './samples.ts';

describe('error messages', () => {
  it.each(samples.map((sample) => [sample.error.name, sample] as const))(
    '[E-2] the message of %s names the problem, the place and the remedy',
    (_name, { error, names, advises }) => {
      for (const name of names) expect(error.message).toContain(name);
      expect(error.message).toMatch(advises);
      expect(error.message).not.toMatch(/undefined|null|\[object|NaN/);
      expect(error.message.trim()).toMatch(/[.!?)\w"]$/);
    },
  );

  it.each(samples.map(({ error }) => [error.name, error] as const))(
    '[E-2] the message of %s is short',
    (_name, error) => {
      expect(error.message.length).toBeLessThan(600);
    },
  );
});
