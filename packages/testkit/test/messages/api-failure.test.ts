import { describe, expect, it } from 'vitest';
import { apiFailure, retryReason } from '../../src/messages/api-failure.ts';

describe('apiFailure', () => {
  it.each([
    [401, 'authentication_failed', 'authentication_error', 'Invalid API key · Fix external API key'],
    [413, 'unknown', 'request_too_large', 'API Error: 413 why'],
    [429, 'rate_limit', 'rate_limit_error', 'API Error: Request rejected (429) · why'],
    [500, 'server_error', 'api_error', 'API Error: 500 why'],
    [529, 'overloaded', 'overloaded_error', 'API Error: 529 why'],
    [null, 'authentication_failed', '', 'Not logged in · Please run /login'],
  ])('[K-4] names and words %s as the CLI does', (status, error, type, text) => {
    expect(apiFailure(status, 'why')).toEqual({ error, type, text });
  });

  it('[K-4] a failed connection has no known reason to try again', () => {
    expect([retryReason(null), retryReason(529)]).toEqual(['unknown', 'overloaded']);
  });
});
