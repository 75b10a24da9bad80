import { describe, expect, it } from 'vitest';
import { isCoxswainError } from '../../src/errors/any-error.ts';
import type { Logger } from '../../src/options/option-types.ts';
import { commandLineOf } from '../support/processes.ts';
import { INIT, ORDINARY, result, type Step, say } from '../support/say.ts';

const SECRETS = {
  apiKey: 'my-own-key-0123456789',
  password: 'pass"word\\with odd characters',
  header: 'abcdefghijklmnop',
  shaped: 'sk-ant-api03-notknownbefore',
};
const SPILLED = Object.values(SECRETS).join(' / ');
/** As plain text and in JSON, encoded once and twice. */
const FORMS = Object.values(SECRETS).flatMap((secret) => {
  const json = JSON.stringify(secret).slice(1, -1);
  return [secret, json, JSON.stringify(json).slice(1, -1)];
});

/** Everything that callbacks receive in a run with these steps, and the terminal error. */
async function traces(steps: readonly Step[]): Promise<{ seen: string; error: unknown }> {
  const log: unknown[] = [];
  const note = (...line: unknown[]): void => void log.push(line);
  const logger: Logger = { trace: note, debug: note, info: note, warn: note, error: note };
  const run = say(steps, {
    apiKey: SECRETS.apiKey,
    env: { DB_PASSWORD: SECRETS.password },
    mcpServers: {
      files: { type: 'http', url: 'http://localhost:1/', headers: { Authorization: `Bearer ${SECRETS.header}` } },
    },
    logger,
  });
  await run.stream.started;
  log.push(commandLineOf(run.pid));
  let error: unknown;
  try {
    for await (const _ of run.stream);
  } catch (reason) {
    error = reason;
  }
  const { warnings, events, stderr } = run;
  return { seen: JSON.stringify([log, warnings, events, stderr, run.stream.warnings]), error };
}

function expectClean(text: string): void {
  expect(FORMS.filter((form) => text.includes(form))).toEqual([]);
}

describe('the secrets of a query', () => {
  it('[C-10, E-6] do not appear in a successful run', async () => {
    const { seen, error } = await traces(ORDINARY);
    expect(error).toBeUndefined();
    expectClean(seen);
  });

  it('[C-10, E-6, Q-5] do not appear if the CLI writes them to stderr', async () => {
    const { seen, error } = await traces([{ err: `failed with ${SPILLED}\n` }, { exit: 1 }]);
    expectClean(seen);
    expect(seen).toContain('[redacted]');
    expect(error).toMatchObject({ code: 'process', stderrTail: expect.stringContaining('failed with [redacted] / ') });
    expectClean(String(error));
    expectClean(JSON.stringify(error));
  });

  it('[C-10, Q-5, Q-7] do not appear in the last line before a failure', async () => {
    for (const end of ['\n', '']) {
      const { seen, error } = await traces([{ message: INIT }, { out: `spilled ${SPILLED}${end}` }, { exit: 1 }]);
      expectClean(seen);
      expect(error).toMatchObject({ lastNonJsonLine: expect.stringMatching(/^spilled \[redacted\]/) });
      expectClean(String(error));
      expectClean(JSON.stringify(error));
    }
  });

  it('[C-10, E-3] do not appear in warnings about lines that are not JSON, before and after the result', async () => {
    const { seen } = await traces([
      { out: `spilled ${SPILLED}\n` },
      { message: result() },
      { out: `spilled ${SPILLED}\n` },
      { out: `spilled ${SPILLED}` },
    ]);
    expectClean(seen);
    expect(
      seen.match(/"code":"(undecodable-line|bad-line-after-result|incomplete-last-line)","message"/g),
    ).toHaveLength(9);
  });

  it('[C-10, E-3, E-6] do not appear in the events of a run that fails because of such lines', async () => {
    const { seen, error } = await traces([{ out: [`spilled ${SPILLED}\n`, 5] }]);
    expect(error).toMatchObject({ code: 'too-many-decode-errors' });
    expectClean(seen);
  });

  it('[C-10, C-4] do not appear in the messages of a version check', async () => {
    const run = say([{ stay: true }], {
      apiKey: SECRETS.apiKey,
      version: [{ err: `no licence for ${SECRETS.apiKey}\n` }, { exit: 3 }],
    });
    const error = await run.stream.result().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'version-detection',
      message: expect.stringContaining('no licence for [redacted]'),
    });
    expect(isCoxswainError(error) && JSON.stringify(error)).not.toContain(SECRETS.apiKey);
  });
});
