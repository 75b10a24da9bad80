import { describe, expect, it } from 'vitest';
import { createRedactor, secretsIn } from '../src/redact.ts';
import { redactedData } from '../src/redacted-data.ts';

const KEY = 'sk-ant-api03-AbCdEf_0123456789-xyz';

describe('createRedactor', () => {
  it('[C-10] masks every occurrence of a known value', () => {
    const redact = createRedactor(['hunter2hunter2']);
    expect(redact('a hunter2hunter2 b=hunter2hunter2;')).toBe('a [redacted] b=[redacted];');
  });

  it('[C-10] masks a known value with special characters of patterns and replacements', () => {
    const secret = 'a+b(c)*[d]$&$1\\';
    expect(createRedactor([secret])(`x${secret}y`)).toBe('x[redacted]y');
  });

  it('[C-10] masks a token in the query of a URL, where its special characters are encoded', () => {
    const redact = createRedactor(['q1/w2+e3==', 'half of \ud800 a character']);
    expect(redact('GET /v1?key=q1%2Fw2%2Be3%3D%3D&page=2')).toBe('GET /v1?key=[redacted]&page=2');
  });

  it('[C-10] masks the longer secret completely if it contains another one', () => {
    const redact = createRedactor(['secret', 'secret-and-more']);
    expect(redact('secret-and-more, secret')).toBe('[redacted], [redacted]');
    expect(redact('secret-and-more')).not.toContain('more');
  });

  it('[C-10] masks unknown Anthropic keys', () => {
    const redact = createRedactor();
    expect(redact(`Invalid key ${KEY}.`)).toBe('Invalid key [redacted].');
    expect(redact(`{"x-api-key":"${KEY}"}`)).toBe('{"x-api-key":"[redacted]"}');
    expect(redact(`ANTHROPIC_API_KEY=${KEY}\n${KEY}`)).toBe('ANTHROPIC_API_KEY=[redacted]\n[redacted]');
  });

  it('[C-10] masks bearer and basic credentials but not the preceding word', () => {
    const redact = createRedactor();
    expect(redact('Authorization: Bearer eyJhbGciOi.J9-_~+/=')).toBe('Authorization: Bearer [redacted]');
    expect(redact('authorization: basic dXNlcjpwYXNzd29yZA==')).toBe('authorization: basic [redacted]');
  });

  it('[C-10] does not mask ordinary text and values too short to be secrets', () => {
    const text = 'The sk-ant prefix, a bearer of news, 12345 tokens used.';
    expect(createRedactor(['12345', '', 'the'])(text)).toBe(text);
  });

  it('[C-10] does not mask its own mask: redacting twice has no further effect', () => {
    const redact = createRedactor(['redacted', '[redacted]', 'a real secret']);
    expect(redact(redact('a real secret, redacted'))).toBe('[redacted], redacted');
  });

  it('[C-10] returns the same result every time', () => {
    const redact = createRedactor();
    expect([redact(KEY), redact(KEY), redact(KEY)]).toEqual(['[redacted]', '[redacted]', '[redacted]']);
  });

  it('[C-10] masks a truncated key', () => {
    const redact = createRedactor([KEY]);
    for (let length = 'sk-ant-api03-AbCdEf'.length; length < KEY.length; length++) {
      expect(redact(`…${KEY.slice(0, length)}`)).toBe('…[redacted]');
    }
  });
});

describe('numeric secrets', () => {
  it('[C-10] are found in variables, headers, arguments and settings', () => {
    const server = {
      command: 'x',
      env: { ANY: 111_111 },
      headers: { 'X-Pin': 222_222 },
      args: ['--password', 333_333],
    };
    const found = secretsIn({
      DB_PASSWORD: 444_444,
      settings: { apiKey: 555_555n, deep: [{ secret: 666_666 }] },
      server,
    });
    expect(found.sort()).toEqual(['111111', '222222', '333333', '444444', '555555', '666666']);
  });

  it('[C-10] do not include limits of tokens and keys', () => {
    expect(secretsIn({ maxTokens: 200_000, MAX_THINKING_TOKENS: 100_000, maxKeys: 100_000, port: 443_443 })).toEqual(
      [],
    );
  });

  it('[C-10] are also masked as numbers in data; other numbers are not', () => {
    const redact = createRedactor(['123456']);
    const data = { pin: 123_456, at: 1_234_560, list: [123_456, 7], text: 'pin 123456' };
    expect(redactedData(data, redact)).toEqual({
      pin: '[redacted]',
      at: 1_234_560,
      list: ['[redacted]', 7],
      text: 'pin [redacted]',
    });
  });
});
