import { describe, expect, it } from 'vitest';
import { isConnectionFailure, isPermanent } from '../../src/database/failure.ts';

const withCode = (code: string): Error => Object.assign(new Error('it failed'), { code });

describe('an error of the database', () => {
  it.each(['22P05', '22021', '23505', '23514', '42601', '42703', '0A000', '54000'])(
    '[F-19] %s is permanent',
    (code) => {
      expect(isPermanent(withCode(code))).toBe(true);
    },
  );

  it.each([
    ['a lock_timeout', '55P03'],
    ['a statement_timeout or a cancelled statement', '57014'],
    ['a transaction that was idle for too long', '25P03'],
    ['a transaction that took too long', '25P04'],
    ['a read-only window, or a standby', '25006'],
    ['a conflict of serializable transactions', '40001'],
    ['a deadlock', '40P01'],
    ['a full disk', '53100'],
    ['too many connections', '53300'],
    ['an error of the disk', '58030'],
    ['an internal error', 'XX000'],
    ['an exception of a trigger', 'P0001'],
    ['a missing grant', '42501'],
    ['a table that is being restored', '42P01'],
    ['a changed password', '28P01'],
    ['a server that starts', '57P03'],
    ['a refused connection', 'ECONNREFUSED'],
    ['a certificate that has expired', 'CERT_HAS_EXPIRED'],
  ])('[F-19] %s (%s) may be temporary', (_, code) => {
    expect(isPermanent(withCode(code))).toBe(false);
  });

  it.each(['ECONNRESET', 'EPIPE', '57P01', '53300', '28P01', 'CERT_HAS_EXPIRED'])(
    '[F-12] %s means that the database cannot be reached',
    (code) => {
      expect(isConnectionFailure(withCode(code))).toBe(true);
    },
  );

  it.each(['25006', '55P03', '57014', '40001'])(
    '[F-12] %s does not mean that the database cannot be reached',
    (code) => {
      expect(isConnectionFailure(withCode(code))).toBe(false);
    },
  );
});
