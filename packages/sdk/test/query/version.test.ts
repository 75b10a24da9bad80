import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MINIMUM_VERSION, PINNED_VERSION } from '../../src/cli/version.ts';
import { flagTable } from '../../src/options/flag-table.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { put, temporaryFolder } from '../fixtures/cli/files.ts';
import { isAlive, waitUntil } from '../support/processes.ts';
import { cliPath, INIT, ORDINARY, result, type Step, say } from '../support/say.ts';
import { openProcess } from '../support/session-process.ts';

const STAYS: readonly Step[] = [{ message: INIT }, { stay: true }];
const printing = (text: string): readonly Step[] => [{ out: `${text}\n` }];
const TOOL_CALL = {
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }] },
};
const PATIENT = { limits: { versionTimeoutMs: 60_000 } };

/** A hanging version check, which writes its pid. */
function hanging(): { version: readonly Step[]; note: string; exited(): Promise<boolean> } {
  const note = join(temporaryFolder(), 'pid');
  const exited = () =>
    waitUntil('the version check has exited', () => existsSync(note) && !isAlive(Number(readFileSync(note))));
  return { version: [{ note }, { stay: true }], note, exited };
}

describe('the version check during a run', () => {
  it('[C-4] delays no message, and is cancelled if the reader stops', async () => {
    const { version, note, exited } = hanging();
    const run = say([{ wait: note }, ...ORDINARY], { ...PATIENT, version });
    const types: string[] = [];
    for await (const { type } of run.stream) {
      types.push(type);
      if (type === 'result') break;
    }
    expect(types).toEqual(['system', 'assistant', 'result']);
    expect(run.warnings).toEqual([]);
    await exited();
  });

  it('[Q-15] refuses a CLI that is too old even if its result arrives earlier', async () => {
    const answered = join(temporaryFolder(), 'answered');
    const version: readonly Step[] = [{ wait: answered }, { out: '2.1.96\n' }];
    const run = say([...ORDINARY, { note: answered }], { ...PATIENT, version });
    const { terminalError, messages } = await run.stream.collect();
    expect(terminalError).toMatchObject({ code: 'unsupported-cli-version', found: '2.1.96' });
    expect(messages.at(-1)).toMatchObject({ type: 'result' });
  });

  it('[Q-15] only warns about a CLI that is too old if it has already called a tool', async () => {
    const answered = join(temporaryFolder(), 'answered');
    const version: readonly Step[] = [{ wait: answered }, { out: '2.1.96\n' }];
    const run = say([{ message: TOOL_CALL }, ...ORDINARY, { note: answered }], { ...PATIENT, version });
    expect(await run.stream.text()).toBe('done');
    expect(run.warnings).toMatchObject([
      {
        code: 'unsupported-cli-version',
        message: expect.stringMatching(/say\.sh is Claude Code 2\.1\.96, but .*after the CLI had already run/),
        context: { error: 'unsupported-cli-version' },
      },
    ]);
  });

  it.each([
    ['prints no version', [{ out: 'soon\n' }], 'unknown-cli-version'],
    ['fails', [{ exit: 3 }], 'version-check-failed'],
  ] as const)(
    '[Q-15] only warns if it %s after the result, because the CLI may be recent enough',
    async (_, then, code) => {
      const answered = join(temporaryFolder(), 'answered');
      const version: readonly Step[] = [{ wait: answered }, ...then];
      const run = say([...ORDINARY, { note: answered }], { ...PATIENT, version });
      expect(await run.stream.text()).toBe('done');
      expect(run.warnings).toMatchObject([{ code }]);
    },
  );

  it('[Q-15] delays the end of a run by at most limits.versionTimeoutMs', async () => {
    const run = say([...ORDINARY], { version: [{ stay: true }], limits: { versionTimeoutMs: 300 }, timeoutMs: 20_000 });
    expect(await run.stream.text()).toBe('done');
    expect(run.warnings).toMatchObject([{ code: 'version-check-failed' }]);
  });

  it('[C-4] has no effect for a supported version', async () => {
    const answered = join(temporaryFolder(), 'answered');
    const version: readonly Step[] = [{ out: `${PINNED_VERSION} (Claude Code)\n` }, { note: answered }];
    const run = say([{ wait: answered }, ...ORDINARY], { version });
    expect(await run.stream.text()).toBe('done');
    expect(run.warnings).toEqual([]);
  });

  it('[C-4] ends a running query if the version is too old', async () => {
    const run = say(STAYS, { version: printing('2.1.96 (Claude Code)') });
    const { terminalError } = await run.stream.collect();
    expect(terminalError).toMatchObject({
      code: 'unsupported-cli-version',
      found: '2.1.96',
      required: MINIMUM_VERSION,
    });
    expect(String(terminalError)).toMatch(/Update it/);
    await run.stream.closed;
    expect(isAlive(run.pid)).toBe(false);
  });

  it.each([
    ['is not Claude Code', 'soon', 'unknown-version'],
    ['is too old', '2.1.96', 'unsupported-cli-version'],
  ])('[C-4] fails a program that %s and exits with 0 before its version is known', async (_, words, code) => {
    const exiting = join(temporaryFolder(), 'exiting');
    const run = say([{ note: exiting }, { exit: 0 }], {
      ...PATIENT,
      version: [{ wait: exiting }, { out: `${words}\n` }],
    });
    const { terminalError, warnings } = await run.stream.collect();
    expect(terminalError).toMatchObject({ code });
    expect(warnings).toEqual([]);
  });

  it('[C-4, C-6] reports a CLI that prints bad lines as too old, not as undecodable', async () => {
    const complained = join(temporaryFolder(), 'complained');
    const complaint = 'error: unknown option\n'.repeat(5);
    const version: readonly Step[] = [{ wait: complained }, { out: '2.1.96\n' }];
    const run = say([{ out: complaint }, { note: complained }, { stay: true }], { ...PATIENT, version });
    const { terminalError } = await run.stream.collect();
    expect(terminalError).toMatchObject({ code: 'unsupported-cli-version', found: '2.1.96' });
  });

  it.each([
    ['exits with 0', [{ exit: 0 }]],
    ['continues for 20,000 lines', [{ out: 'noise\n'.repeat(20_000) }, { stay: true }]],
  ] as const)('[C-4, W-9] reports bad lines of a recent CLI that %s as undecodable', async (_, then) => {
    const complained = join(temporaryFolder(), 'complained');
    const version: readonly Step[] = [{ wait: complained }, { out: `${PINNED_VERSION}\n` }];
    const run = say([{ out: 'noise\n'.repeat(5) }, { note: complained }, ...then], { ...PATIENT, version });
    const { terminalError, errors } = await run.stream.collect();
    expect(terminalError).toMatchObject({ code: 'too-many-decode-errors' });
    expect(errors).toHaveLength(4);
  });

  it('[C-4] refuses a CLI that is too old even with versionCheck "warn"', async () => {
    const run = say(STAYS, { version: printing('2.1.96'), versionCheck: 'warn' });
    await expect(run.stream.result()).rejects.toMatchObject({ code: 'unsupported-cli-version' });
  });

  it.each([
    ['prints no version', printing('soon'), 60_000, 'unknown-version', 'unknown-cli-version'],
    ['fails', [{ err: 'broken\n' }, { exit: 3 }], 60_000, 'version-detection', 'version-check-failed'],
    ['does not answer', [{ stay: true }], 300, 'version-detection', 'version-check-failed'],
  ] as const)(
    '[C-4] of a CLI that %s fails the run, or causes a warning if permissive',
    async (_, version, versionTimeoutMs, error, warning) => {
      const limits = { versionTimeoutMs };
      const strict = say(STAYS, { version, limits });
      await expect(strict.stream.result()).rejects.toMatchObject({ code: error });
      const warned = join(temporaryFolder(), 'warned');
      const permissive = say([{ wait: warned }, ...ORDINARY], { version, limits, versionCheck: 'warn' });
      const codes: string[] = [];
      for await (const item of permissive.stream.items()) {
        if (item.kind !== 'warning') continue;
        codes.push(item.warning.code);
        put(warned);
      }
      expect(codes).toEqual([warning]);
      expect(await permissive.stream.text()).toBe('done');
    },
  );

  it.each(['2.1.96', PINNED_VERSION])(
    '[C-4] is cancelled once the init has reported the version: %s',
    async (claude_code_version) => {
      const { version, note, exited } = hanging();
      const go = join(temporaryFolder(), 'go');
      const init: Step = { message: { ...INIT, claude_code_version } };
      const run = say([{ wait: note }, init, { wait: go }, { message: result() }], { ...PATIENT, version });
      const collected = run.stream.collect();
      await run.stream.started;
      await exited();
      put(go);
      const { terminalError } = await collected;
      if (claude_code_version === PINNED_VERSION) expect(terminalError).toBeUndefined();
      else expect(terminalError).toMatchObject({ code: 'unsupported-cli-version', found: '2.1.96' });
      expect(run.warnings).toEqual([]);
    },
  );
});

describe('a flag of the usual releases', () => {
  const unknownOption: readonly Step[] = [{ err: "error: unknown option '--prompt-suggestions'\n" }, { exit: 1 }];

  it('[C-4, C-6] delays no message: the version is checked during the run', async () => {
    const { version, note } = hanging();
    const run = say([{ wait: note }, ...ORDINARY], { ...PATIENT, version, promptSuggestions: true });
    for await (const { type } of run.stream) if (type === 'result') break;
    expect(run.warnings).toEqual([]);
  });

  it('[C-6] that an old CLI refuses is reported as an unsupported option with the required release', async () => {
    const run = say(unknownOption, { ...PATIENT, version: printing('2.1.97'), promptSuggestions: true });
    const { terminalError } = await run.stream.collect();
    expect(terminalError).toMatchObject({
      code: 'unsupported-option',
      option: 'promptSuggestions',
      flag: '--prompt-suggestions',
      found: '2.1.97',
      required: flagTable.find(({ flag }) => flag === '--prompt-suggestions')?.since,
    });
  });
});

describe('a CLI of unknown version that refuses a flag', () => {
  const refusing = (flag: string): readonly Step[] => [{ err: `error: unknown option '${flag}'\n` }, { exit: 1 }];
  const required = flagTable.find(({ flag }) => flag === '--prompt-suggestions')?.since;

  it.each([
    ['a flag of a recent option', '--prompt-suggestions', required],
    ['a flag that every supported release has', '--effort', MINIMUM_VERSION],
    ['a flag of every query', '--verbose', MINIMUM_VERSION],
  ])('[Q-5, C-6] is too old for %s, whatever its exit code', async (_, flag, required) => {
    const { stream } = say(refusing(flag), { effort: 'low', promptSuggestions: true });
    await expect(stream.result()).rejects.toMatchObject({
      code: 'unsupported-cli-version',
      found: 'unknown',
      required,
      message: expect.stringContaining(
        `say.sh does not support the flag ${flag}, which needs ${required} or newer. Update`,
      ),
      cause: { code: 'process', exitCode: 1, stderrTail: expect.stringContaining('unknown option') },
    });
  });

  it('[Q-5] is not too old for a flag of extraArgs', async () => {
    const { stream } = say(refusing('--frobnicate'), { extraArgs: { frobnicate: true } });
    await expect(stream.result()).rejects.toMatchObject({ code: 'process', hint: expect.stringMatching(/extraArgs/) });
  });

  it('[Q-5] is not too old if its release has the flag', async () => {
    const { stream } = say(refusing('--effort'), { ...PATIENT, version: printing(PINNED_VERSION), effort: 'low' });
    await expect(stream.result()).rejects.toMatchObject({ code: 'process' });
  });

  it('[S-1, C-6] is too old for a session', async () => {
    const { session } = openProcess({ exit: [1, "error: unknown option '--replay-user-messages'\n"] });
    await expect(session.ready).rejects.toMatchObject({
      code: 'unsupported-cli-version',
      required: MINIMUM_VERSION,
      cause: { code: 'cli-exited-during-init', exitCode: 1 },
    });
  });
});

describe('the version check before a run', () => {
  const gated = { forwardSubagentText: true };

  it('[C-4, C-6] happens if a flag depends on it: nothing is started for a CLI without the flag', async () => {
    const run = say(STAYS, { ...gated, version: printing('2.1.97') });
    await expect(run.stream.started).rejects.toMatchObject({
      code: 'unsupported-option',
      option: 'forwardSubagentText',
      found: '2.1.97',
    });
    expect(run.events.map(({ type }) => type)).not.toContain('started');
  });

  it('[C-4] uses the cwd and the environment of the run', async () => {
    const cwd = temporaryFolder();
    const record = join(cwd, 'record');
    const run = say([...ORDINARY], {
      ...gated,
      cwd,
      version: [{ out: '99.0.0\n' }],
      env: { SAY_VERSION: 'pwd >record; echo "$MARK" >>record; echo 99.0.0', MARK: 'mine' },
    });
    expect(await run.stream.text()).toBe('done');
    expect(readFileSync(record, 'utf8')).toBe(`${cwd}\nmine\n`);
  });

  it('[C-4, C-11] reports an invalid working directory as such, not as a failed check', async () => {
    const run = say([...ORDINARY], { cwd: '/no/such/folder', version: printing(PINNED_VERSION) });
    await expect(run.stream.result()).rejects.toMatchObject({ code: 'spawn', reason: 'cwd' });
  });
});

describe('the version check of a query that runs as a session', () => {
  const twoWay = (conduct: object, options: AgentOptions = {}) =>
    say([], {
      prompt: 'hang',
      cli: cliPath('session-cli.mjs'),
      version: [],
      hooks: { PreToolUse: () => undefined },
      ...PATIENT,
      ...options,
      env: { SESSION_CLI: JSON.stringify(conduct) },
    });

  it.each<[string, object, AgentOptions, string]>([
    ['prints no version', { version: 'soon' }, {}, 'unknown-version'],
    ['does not answer', { versionMs: 60_000 }, { limits: { versionTimeoutMs: 300 } }, 'version-detection'],
    ['is known to be too old', { version: '2.1.96' }, {}, 'unsupported-cli-version'],
  ])('[C-4, O-7] is as strict as that of any other query: a CLI that %s ends it', async (_, conduct, options, code) => {
    const run = twoWay(conduct, options);
    const { terminalError } = await run.stream.collect();
    expect(terminalError).toMatchObject({ code });
    await run.stream.closed;
    expect(isAlive(run.pid)).toBe(false);
    expect(run.warnings).toEqual([]);
  });

  it('[C-4, O-7] only warns if it is permissive', async () => {
    const run = twoWay({ version: 'soon' }, { versionCheck: 'warn' });
    for await (const item of run.stream.items()) if (item.kind === 'warning') break;
    expect(run.warnings).toMatchObject([{ code: 'unknown-cli-version' }]);
  });
});

it('[C-4] versionCheck "off" runs no check', async () => {
  const record = join(temporaryFolder(), 'record');
  const run = say([...ORDINARY], {
    versionCheck: 'off',
    version: [],
    env: { SAY_VERSION: `touch ${record}; echo 0.1.0` },
  });
  expect(await run.stream.text()).toBe('done');
  expect(() => readFileSync(record)).toThrow('ENOENT');
});
