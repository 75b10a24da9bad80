import { describe, expect, it } from 'vitest';
import { opensDatabase } from '../../src/worker/database-secrets.ts';

const PASSWORD = 'p/w "ä"%41\\x';
const URL_OF_FLEET = `postgres://app:${encodeURIComponent(PASSWORD)}@db.internal:6432/fleet?sslmode=require&application_name=w`;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a text opens the database of the fleet', () => {
  const opens = opensDatabase(URL_OF_FLEET, { PGPASSWORD: 'other-secret', PGPASSFILE: '/run/pg/pass' });

  it.each<[string, string]>([
    ['its URL', URL_OF_FLEET],
    ['its URL in other words', `see ${URL_OF_FLEET}!`],
    ['its URL in a URL', `https://x.test/?db=${encodeURIComponent(URL_OF_FLEET)}`],
    ['its URL in JSON in JSON', JSON.stringify({ a: JSON.stringify({ url: URL_OF_FLEET }) })],
    ['its URL in base64', Buffer.from(URL_OF_FLEET).toString('base64')],
    ['its URL in base64 in base64', base64(base64(URL_OF_FLEET))],
    ['its URL in hex', Buffer.from(URL_OF_FLEET).toString('hex')],
    ['its URL in hex as PostgreSQL writes it', `\\x${Buffer.from(URL_OF_FLEET).toString('hex').toUpperCase()}`],
    ['its password in hex in JSON in base64', base64(JSON.stringify({ p: Buffer.from(PASSWORD).toString('hex') }))],
    ['its URL with other parameters', 'postgresql://db.internal:6432/fleet?application_name=x&sslmode=disable'],
    ['its URL for another driver', 'postgresql+asyncpg://db.internal:6432/fleet'],
    ['its URL for JDBC', 'jdbc:postgresql://DB.internal:6432/fleet?user=app'],
    ['another database of the same user', 'postgres://app@db.internal:6432/postgres'],
    ['settings', 'host=db.internal port=6432 dbname=fleet user=other'],
    ['settings of .NET', 'Server=db.internal;Port=6432;Database=fleet;User Id=x'],
    ['its password', PASSWORD],
    ['its password in JSON', JSON.stringify({ db: { password: PASSWORD } })],
    [
      'its password in JSON with all escapes',
      `"${[...PASSWORD].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`,
    ],
    [
      'its password with other escapes',
      `x=${encodeURIComponent(PASSWORD).replace(/%../g, (hex) => hex.toLowerCase())}`,
    ],
    ['its password with more escapes', `x=%70%2f%77${encodeURIComponent(PASSWORD).slice(5)}`],
    ['a header', `Basic ${Buffer.from(`app:${PASSWORD}`).toString('base64')}`],
    ['PGPASSWORD under another name', 'x other-secret y'],
    ['the path of the file with the password', 'PGPASSFILE=/run/pg/pass psql'],
    ['the file in the home directory', '~/.pgpass'],
    ['the service file', '/home/app/.pg_service.conf'],
  ])('[F-15] if it contains %s', (_, text) => {
    expect(opens(text)).toBe(true);
  });

  it.each([
    '/usr/bin:/usr/lib/postgresql/18/bin',
    'db.internal',
    'app',
    'fleet',
    '/run/pg/password-policy',
    'postgres://other:pw@db.internal:6432/theirs',
    'postgres://app@db.internal:5432/fleet',
    'postgres://app@elsewhere:6432/fleet',
    'host=db.internal port=6432 dbname=theirs user=other',
    'https://api.anthropic.com',
    '',
  ])('[F-15] but not if it is %j', (text) => {
    expect(opens(text)).toBe(false);
  });

  it.each<[string, NodeJS.ProcessEnv, string]>([
    // A URL without a host, which URL parsers refuse.
    ['postgres://app:hunter-2@/fleet?host=/run/pg', {}, 'hunter-2'],
    ['postgres://app:hunter-2@/fleet?host=/run/pg', {}, 'postgres://postgres@localhost/fleet?port=5432&host=/run/pg'],
    ['postgres://db/fleet?password=hunter-2', {}, '{"pw":"hunter-2"}'],
    ['postgres://db/fleet?sslkey=/keys/client.key', {}, 'KEY=/keys/client.key'],
    ['postgres://db/fleet', { PGSERVICEFILE: '/etc/pg/services' }, '/etc/pg/services'],
    ['postgres://db/fleet', { PGSSLKEY: '/keys/client.key' }, 'file:///keys/client.key'],
    ['postgres://app:abc@db/fleet', {}, '{"user":"x","password":"abc"}'],
    ['postgres://app:abc@db/fleet', {}, 'user=x password=abc'],
    ['postgres://app:abc@db/fleet', {}, 'abc'],
    ['postgres://app:correct@db/fleet', {}, 'secret:correct'],
    ['/run/pg', {}, 'postgres://postgres@localhost/postgres?host=/run/pg'],
    ['socket:/run/pg?db=fleet', {}, 'postgres://x@localhost/fleet?host=/run/pg'],
    // A password that PostgreSQL accepts but URLs must escape.
    ['postgres://app:100%@db/fleet', {}, 'mysql://root:100%@other/x'],
  ])('[F-15] %s %o: %s', (url, own, text) => {
    expect(opensDatabase(url, own)(text)).toBe(true);
  });

  it.each<[string, string]>([
    // Passwords that equal public names, and texts that contain them: without PATH or HOME, an agent could not run.
    ['postgres://postgres:postgres@db/fleet', '/home/postgres'],
    ['postgres://postgres:postgres@db/fleet', 'postgres'],
    ['postgres://app:postgres@db/fleet', '/usr/lib/postgresql/18/bin'],
    ['postgres://app:abc@db/fleet', 'abcdef'],
    ['postgres://app:abc@db/fleet', '/usr/bin:abc'],
    ['', '/usr/bin'],
    ['postgres://db/fleet', 'anything'],
    ['not a URL', 'anything'],
  ])('[F-15] %s: not %s', (url, text) => {
    expect(opensDatabase(url, {})(text)).toBe(false);
  });
});
