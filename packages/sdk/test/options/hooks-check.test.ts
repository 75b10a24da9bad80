import { describe, expect, it } from 'vitest';
import { knownHookEvents } from '../../src/callbacks/abilities.ts';
import { deny } from '../../src/callbacks/decisions.ts';
import { buildRegistry } from '../../src/callbacks/registry.ts';
import { createClient } from '../../src/client/create-client.ts';
import { permissions } from '../../src/options/permission-policy.ts';
import { checkQuery, host, planOf } from './host.ts';

const run = () => deny('no');

function problemsOf(options: unknown): string[] {
  return checkQuery('hi', options).problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('the events of hooks', () => {
  it('[O-4, H-1] refuse a guard for a misspelt event before the start', async () => {
    const hooks = { PreTooUse: { onFailure: 'block', run } };
    expect(problemsOf({ hooks })).toEqual([
      'hooks.PreTooUse: is not a known event, so its hooks would never be called. Did you mean PreToolUse? ' +
        'For an event of a newer CLI, set newerEvent: true in each of its hooks.',
    ]);
    // The types also refuse it; this is plain JavaScript.
    const stream = createClient({ hooks: hooks as object }).query('go');
    await expect(stream.text()).rejects.toMatchObject({
      code: 'options',
      message: expect.stringContaining('PreToolUse?'),
    });
  });

  it.each(['preToolUse', 'pre_tool_use', 'MoonRose', 'constructor', '__proto__', ''])('[H-1] refuses %j', (event) => {
    expect(problemsOf({ hooks: JSON.parse(`{${JSON.stringify(event)}: []}`) })).toEqual([
      expect.stringContaining('is not a known event'),
    ]);
  });

  it('[H-1] accepts every typed event', () => {
    const hooks = Object.fromEntries(knownHookEvents.map((event) => [event, run]));
    expect(problemsOf({ hooks })).toEqual([]);
  });

  it('[H-1] accepts hooks of a newer event that are marked as such, and checks and registers them', () => {
    const newer = { run, newerEvent: true };
    const { options } = planOf(
      'hi',
      [{ hooks: { ...{ MoonRose: newer } } }, { hooks: { Stop: run, ...{ MoonSet: [newer, newer] } } }],
      host,
    );
    const { entries, initialize } = buildRegistry(options.hooks, { hookTimeoutMs: 1_000 });
    expect(entries.map(({ event }) => event)).toEqual(['Stop', 'MoonSet', 'MoonSet', 'MoonRose']);
    expect(Object.keys(initialize ?? {})).toEqual(['Stop', 'MoonSet', 'MoonRose']);
    // Checked options can be checked again.
    expect(checkQuery('hi', options).problems).toEqual([]);
    expect(problemsOf({ hooks: { MoonRose: { matcher: '[', newerEvent: true } } })).toEqual([
      expect.stringMatching(/^hooks\.MoonRose\.matcher: is not a valid/),
      'hooks.MoonRose.run: is missing.',
    ]);
  });

  it('[H-1] refuses a newer event if one of its hooks is not marked as such', () => {
    expect(problemsOf({ hooks: { MoonRose: [{ run, newerEvent: true }, run] } })).toEqual([
      expect.stringContaining('is not a known event'),
    ]);
  });

  it('[H-1] treats a known event marked as newer like any other', () => {
    const hooks = { PermissionRequest: { run, newerEvent: true } };
    expect(planOf('hi', [{ hooks }], host).options.hooks).toEqual(hooks);
  });
});

describe('callbacks of the official SDK', () => {
  const three = (_input: unknown, _toolUseId: unknown, _options: unknown): object => ({});
  const refusal = (call: string): string =>
    `declares 3 parameters, like callbacks of the official SDK; here it is called as ${call}. ` +
    'See "What to look at first" in docs/migration.md.';

  it('[O-4, P-1] are refused if they declare three parameters: they would throw, and the tool would run', () => {
    expect(problemsOf({ hooks: { PreToolUse: three, Stop: [{ run: three }, run] }, canUseTool: three })).toEqual([
      `hooks.PreToolUse: ${refusal('run(input, context)')}`,
      `hooks.Stop[0].run: ${refusal('run(input, context)')}`,
      `canUseTool: ${refusal('canUseTool(request, context)')}`,
    ]);
  });

  it('[P-4] are refused in a policy if they declare three parameters', () => {
    // In plain JavaScript.
    expect(() => permissions({ ask: three as never })).toThrow(`permissions.ask: ${refusal('ask(request, context)')}`);
    expect(problemsOf(permissions({ ask: (_request, _context) => deny('no') }))).toEqual([]);
  });

  it('[O-4] refuses a matcher that is neither a string nor null', () => {
    const hooks = JSON.parse('{ "PreToolUse": { "matcher": 7 } }');
    expect(problemsOf({ hooks })).toContain('hooks.PreToolUse.matcher: must be a string or null, not the number 7.');
  });

  it('[O-4] are refused in the matcher format of the official SDK, with the format of this SDK', () => {
    expect(problemsOf({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [three], timeout: 5 }] } })).toEqual([
      expect.stringContaining('hooks.PreToolUse[0]: has the form of the official SDK'),
    ]);
  });
});
