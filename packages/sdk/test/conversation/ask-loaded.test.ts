import { describe, expect, it } from 'vitest';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { type LoadedAnswers, loadedIn, unrequested } from '../../src/control/loaded.ts';
import { type LoadedHost, warnOfUnrequested } from '../../src/conversation/ask-loaded.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { FakeCli, refusal, start, success } from '../support/fake-cli.ts';

// In the format of 2.1.325; 2.1.197 has a scope instead of a source.
const ANSWERS: LoadedAnswers = {
  get_settings: {
    sources: [
      {
        source: 'userSettings',
        settings: {
          env: { TOKEN: 'not-for-the-report' },
          hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'x' }] }], Stop: [{}] },
          enabledPlugins: { 'lint@market': true, 'old@market': false },
        },
      },
      { source: 'flagSettings', settings: { model: 'opus' } },
      { source: 'policySettings', settings: {} },
    ],
  },
  mcp_status: {
    mcpServers: [
      { name: 'shared', status: 'connected', scope: 'project', source: 'project' },
      { name: 'mine', status: 'failed', scope: 'dynamic' },
      { name: 'plugin:a:b', status: 'connected', scope: 'dynamic', source: 'plugin' },
    ],
  },
  get_context_usage: {
    memoryFiles: [
      { path: '/p/CLAUDE.md', type: 'Project' },
      { path: '/p/CLAUDE.local.md', type: 'Local' },
    ],
    agents: [{ agentType: 'scout', source: 'userSettings' }],
    skills: {
      skillFrontmatter: [
        { name: 'deploy', source: 'projectSettings' },
        { name: 'loop', source: 'built-in' },
      ],
    },
  },
};

const LOADED = {
  settings: [
    { from: 'user', fields: ['env', 'hooks', 'enabledPlugins'] },
    { from: 'options', fields: ['model'] },
    { from: 'managed', fields: [] },
  ],
  hooks: [
    { from: 'user', event: 'PreToolUse', matcher: 'Bash' },
    { from: 'user', event: 'Stop', matcher: null },
  ],
  mcpServers: [
    { from: 'project', name: 'shared', status: 'connected' },
    { from: 'options', name: 'mine', status: 'failed' },
    { from: 'plugin', name: 'plugin:a:b', status: 'connected' },
  ],
  memory: [
    { from: 'project', path: '/p/CLAUDE.md' },
    { from: 'local', path: '/p/CLAUDE.local.md' },
  ],
  plugins: [{ from: 'user', name: 'lint@market' }],
  skills: [{ from: 'project', name: 'deploy' }],
  agents: [{ from: 'user', name: 'scout' }],
  unanswered: [],
};

describe('the loaded configuration of a session', () => {
  it('[X-7] contains the origin of every entry, no values of settings, and no entries of the CLI itself', () => {
    expect(loadedIn(ANSWERS, [])).toEqual(LOADED);
    expect(JSON.stringify(loadedIn(ANSWERS, []))).not.toContain('not-for-the-report');
  });

  it('[X-7] contains the plugins that the CLI lists, once a turn has started', () => {
    const listed = [
      { name: 'lint', source: 'lint@market', path: '/m/lint' },
      { name: 'given', source: 'given@inline', path: '/g' },
      { name: 'own', source: 'own@builtin', path: 'builtin' },
      { path: '/without-a-name' },
    ];
    expect(loadedIn(ANSWERS, listed).plugins).toEqual([
      { from: 'user', name: 'lint@market' },
      { from: 'options', name: 'given@inline' },
    ]);
  });

  it('[X-7] is empty for answers in another format, and lists unanswered requests', () => {
    const odd = { get_settings: { sources: [null, { settings: 3 }] }, mcp_status: 'x', get_context_usage: undefined };
    expect(loadedIn(odd, [null])).toMatchObject({
      hooks: [],
      mcpServers: [],
      memory: [],
      unanswered: ['get_context_usage'],
    });
  });

  it('[X-7] is returned by session.loaded()', async () => {
    const answers = Object.entries(ANSWERS).map(([name, body]) => [name, success(Object(body))]);
    const { session } = await start({}, new FakeCli(Object.fromEntries(answers)));
    expect(await session.loaded()).toEqual(LOADED);
  });

  it('[X-7] is partial if the CLI refuses a request, and an error if it answers none', async () => {
    const no = refusal('Unsupported control request subtype');
    const part = await start({}, new FakeCli({ get_settings: no, mcp_status: success(Object(ANSWERS.mcp_status)) }));
    expect(await part.session.loaded()).toMatchObject({ unanswered: ['get_settings'], mcpServers: LOADED.mcpServers });
    const none = await start({}, new FakeCli({ get_settings: no, mcp_status: no, get_context_usage: no }));
    await expect(none.session.loaded()).rejects.toMatchObject({ code: 'control-request' });
    await none.session.close();
    await expect(none.session.loaded()).rejects.toMatchObject({ code: 'session-stopped' });
  });
});

describe('configuration that the options do not include', () => {
  it('[X-7] causes one warning with the kinds and their origins', () => {
    expect(unrequested(loadedIn(ANSWERS, []), undefined)).toMatchObject({
      code: 'unrequested-configuration',
      message: expect.stringContaining('settings (user), hooks (user), MCP servers (project)'),
      context: { memory: ['project', 'local'], plugins: ['user'], skills: ['project'], agents: ['user'] },
    });
  });

  it('[X-7] does not come from the options, plugins, the administrator, or a listed source', () => {
    expect(unrequested(loadedIn(ANSWERS, []), ['user', 'project', 'local'])).toBeUndefined();
    const asked = { ...ANSWERS, get_settings: { sources: [{ source: 'policySettings', settings: {} }] } };
    expect(unrequested(loadedIn({ ...asked, mcp_status: {}, get_context_usage: {} }, []), undefined)).toBeUndefined();
  });

  it.each<[string, string | undefined, readonly string[]]>([
    [PINNED_VERSION, PINNED_VERSION, ['get_settings', 'mcp_status', 'get_context_usage']],
    ['a release that would send an API request for it', '2.1.197', ['get_settings', 'mcp_status']],
    ['an unknown release', undefined, []],
  ])('[X-7] is detected at the start with cheap requests: %s', async (_, release, expected) => {
    const asked: string[] = [];
    const warnings: Warning[] = [];
    await warnOfUnrequested(host(release, asked, warnings));
    expect(asked).toEqual(expected);
    expect(warnings).toHaveLength(expected.length > 0 ? 1 : 0);
  });

  it('[X-7] is not checked if the options list the sources', async () => {
    const asked: string[] = [];
    await warnOfUnrequested(host(PINNED_VERSION, asked, [], { settingSources: ['user'] }));
    expect(asked).toEqual([]);
  });
});

function host(
  release: string | undefined,
  asked: string[],
  warnings: Warning[],
  given: object = {},
): Parameters<typeof warnOfUnrequested>[0] {
  const since: Record<string, string> = { get_settings: '2.1.072', 'get_context_usage:summary': '2.1.257' };
  const requests: LoadedHost['requests'] = {
    request: async (subtype) => {
      asked.push(subtype);
      return ANSWERS[subtype as keyof LoadedAnswers];
    },
  };
  return {
    requests,
    plan: { given },
    warn: (warning) => void warnings.push(warning),
    cli: {
      plugins: [],
      versionKnown: async () => {},
      has: (feature) => release !== undefined && release >= (since[feature] ?? ''),
    },
  };
}
