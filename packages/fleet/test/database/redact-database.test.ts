import { describe, expect, it } from 'vitest';
import { databaseRedactor } from '../../src/database/redact-database.ts';

describe('the database redactor', () => {
  it.each<[string, NodeJS.ProcessEnv, string, string]>([
    // A URL without a host, which URL parsers refuse.
    ['postgres://app:hunter-2@/fleet?host=/run/pg', {}, 'no access for hunter-2', 'no access for [redacted]'],
    ['postgres://app:hun%40ter@/fleet?host=/run/pg', {}, 'not with hun@ter', 'not with [redacted]'],
    [
      'postgres://app:hun%40ter@db/fleet',
      {},
      'postgresql://app:hun%40ter@db:5432/x',
      'postgresql://app:[redacted]@db:5432/x',
    ],
    ['postgres://app:hunter%2D2@db/fleet', {}, 'hunter-2, hunter%2d2', '[redacted], [redacted]'],
    ['postgres://app:hun@ter@db/fleet', {}, 'app:hun%40ter', 'app:[redacted]'],
    ['postgres://app:abc@db/fleet', {}, 'abc at mysql://x:abc@y', 'abc at mysql://x[redacted]y'],
    ['postgres://db/fleet?password=hunter-2', {}, 'hunter-2', '[redacted]'],
    ['postgres://db/fleet', { PGPASSWORD: 'hunter-2' }, 'hunter-2', '[redacted]'],
    ['postgres://db/fleet', {}, 'nothing to hide', 'nothing to hide'],
  ])('[F-15] %s %o: %s', (url, own, text, redacted) => {
    expect(databaseRedactor(url, own)({ message: text })).toEqual({ message: redacted });
  });
});
