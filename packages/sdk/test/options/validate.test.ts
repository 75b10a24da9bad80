import { describe, expect, it } from 'vitest';
import { checkTurn } from '../../src/options/turn.ts';
import { checkQuery, host } from './host.ts';

function problemsOf(options: unknown, prompt: unknown = 'hi'): string[] {
  return checkQuery(prompt, options, host).problems.map((problem) => `${problem.path}: ${problem.message}`);
}

const good = {
  model: 'sonnet',
  maxTurns: 3,
  maxBudgetUsd: 0.5,
  systemPrompt: '',
  tools: [],
  permissionMode: 'some-mode-of-tomorrow',
  mcpServers: {
    files: { command: 'npx', args: ['-y', 'files'], env: { TOKEN: 'x' } },
    web: { type: 'http', url: 'https://example.org', headers: { authorization: 'Bearer x' }, alwaysLoad: true },
  },
  agents: { reviewer: { description: 'Reviews', prompt: 'You review', tools: ['Read'], mcpServers: ['files'] } },
  settings: { permissions: { deny: ['Bash'] } },
  sandbox: { enabled: true },
  plugins: ['/a', { path: '/b' }],
  thinking: { type: 'enabled', budgetTokens: 2000 },
  debug: 'api',
  extraArgs: { 'include-hook-events': null, bare: true, chrome: false, 'debug-file': '/tmp/x' },
  env: { A: 'b', C: undefined },
  inheritEnv: ['PATH', 'AWS_*'],
  limits: { graceMs: 0, maxLineBytes: 1 },
  logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  signal: new AbortController().signal,
  transport: () => ({ start() {} }),
};

describe('planQuery', () => {
  it('[O-4] accepts valid options', () => {
    expect(checkQuery('hi', good, host)).toEqual({ problems: [], warnings: [] });
    expect(problemsOf(undefined)).toEqual([]);
  });

  it('[O-4] treats undefined as absent everywhere', () => {
    const absent = Object.fromEntries(Object.keys(good).map((name) => [name, undefined]));
    expect(problemsOf(absent)).toEqual([]);
    expect(problemsOf({ mcpServers: { a: undefined, b: { command: 'x', args: undefined } } })).toEqual([]);
    expect(
      problemsOf({ thinking: { type: 'adaptive', budgetTokens: undefined }, limits: { graceMs: undefined } }),
    ).toEqual([]);
  });

  it('[O-4] lists all problems at once, with their paths', () => {
    expect(
      problemsOf(
        {
          modle: 'sonnet',
          maxTurns: 0,
          tools: ['Read', 5],
          mcpServers: { files: { args: 'x' }, web: { type: 'http' }, bare: { url: 'https://x' }, odd: { type: 'ftp' } },
          agents: { reviewer: { description: 'Reviews', promt: 'x' } },
          limits: { gracems: 1, termMs: -1 },
          thinking: { type: 'adaptive', budgetTokens: 5 },
          settingSources: ['user', 'bogus'],
          sessionId: 'abc',
          timeoutMs: 2 ** 31,
          onEvent: {},
        },
        '',
      ),
    ).toEqual([
      'prompt: must not be empty.',
      'modle: is not a known option. Did you mean model?',
      'maxTurns: must be a whole number of at least 1, not the number 0.',
      'tools[1]: must be a string, not the number 5.',
      'mcpServers.files.args: must be an array, not a string.',
      'mcpServers.files.command: is missing.',
      'mcpServers.web.url: is missing.',
      "mcpServers.bare.type: is missing: a server with a url is 'http' or 'sse'.",
      "mcpServers.odd.type: must be one of 'stdio', 'http', 'sse'.",
      'agents.reviewer.promt: is not a known field. Did you mean prompt?',
      'agents.reviewer.prompt: is missing.',
      'limits.gracems: is not a known field. Did you mean graceMs?',
      'limits.termMs: must be a whole number from 0 to 2147483647, not the number -1.',
      'thinking.budgetTokens: is not a known field; the known ones are type.',
      "settingSources[1]: must be one of 'user', 'project', 'local'.",
      'sessionId: must be a UUID.',
      'timeoutMs: must be a whole number from 1 to 2147483647, not the number 2147483648.',
      'onEvent: must be a function, not an object.',
    ]);
  });

  it.each([
    ['permission_mode', 'permissionMode'],
    ['allowedTool', 'allowedTools'],
    ['systemPromt', 'systemPrompt'],
    ['apikey', 'apiKey'],
    ['evn', 'env'],
    ['signla', 'signal'],
  ])('[O-4] suggests, for %s, the option %s', (typed, meant) => {
    expect(problemsOf({ [typed]: 1 })).toEqual([`${typed}: is not a known option. Did you mean ${meant}?`]);
  });

  it('[O-4, A-2] reports that restart belongs to openSession', () => {
    expect(problemsOf({ restart: true })).toEqual(['restart: belongs to openSession: pass it in that call only.']);
    expect(problemsOf({ restart: undefined })).toEqual([]);
  });

  it.each(['hooks2000', 'constructor', 'toString', 'x'.repeat(100_000)])(
    '[O-4] suggests nothing if no option is similar: %#',
    (typed) => {
      expect(problemsOf({ [typed]: 1 })).toEqual([`${typed.slice(0, 80)}: is not a known option.`]);
      expect(problemsOf(JSON.parse('{"__proto__": 1}'))).toEqual(['__proto__: is not a known option.']);
    },
  );

  it.each([
    ['', 'must not be empty.'],
    [' \n\t', 'must not be empty.'],
    [[], 'must not be empty.'],
    [[{ type: 'text', text: ' ' }], 'must not be empty.'],
    [undefined, 'must be a string or an array of content blocks, not undefined.'],
    [{ type: 'text', text: 'x' }, 'must be a string or an array of content blocks, not an object.'],
  ])('[O-4] refuses the prompt %j', (prompt, message) => {
    expect(checkQuery(prompt, {}, host).problems).toEqual([{ path: 'prompt', message }]);
  });

  it('[O-4] reports the invalid content block', () => {
    expect(problemsOf({}, [{ type: 'text', text: 'x' }, 'y', { type: 'text' }])).toEqual([
      'prompt[1]: must be a content block: an object with a string type.',
      'prompt[2].text: must be a string, not undefined.',
    ]);
    expect(
      problemsOf({}, [
        { type: 'text', text: '' },
        { type: 'image', source: {} },
      ]),
    ).toEqual([]);
  });

  it('[O-4] refuses NUL in every string that reaches the command line or the environment', () => {
    const nul = 'a\0b';
    const options = {
      model: nul,
      systemPrompt: nul,
      addDirs: [nul],
      env: { A: nul },
      mcpServers: { a: { command: nul, env: { B: nul } } },
      extraArgs: { brief: nul },
      apiKey: nul,
    };
    const paths = checkQuery('hi', options, host).problems.map((problem) => problem.path);
    expect(paths).toEqual([
      ...['model', 'systemPrompt', 'addDirs[0]', 'env.A', 'mcpServers.a.command', 'mcpServers.a.env.B'],
      ...['extraArgs.brief', 'apiKey'],
    ]);
  });

  it('[O-2, O-4] refuses in extraArgs the flags that the SDK sets, and names that are not flags', () => {
    const options = { extraArgs: { model: 'x', print: null, '--brief': null, 'x=y': null, '': null, brief: null } };
    expect(problemsOf(options)).toEqual([
      'extraArgs.model: --model is set by the SDK: use the option for it.',
      'extraArgs.print: --print is set by the SDK: use the option for it.',
      'extraArgs.--brief: must be the name of a flag without its dashes.',
      'extraArgs["x=y"]: must be the name of a flag without its dashes.',
      'extraArgs[""]: must be the name of a flag without its dashes.',
    ]);
  });

  it('[O-4, C-10] never repeats a value, because it may be a secret', () => {
    const secret = 'sk-ant-very-secret';
    const inline = ` {"key":"${secret}"}`;
    const options = {
      apiKey: [secret],
      env: { A: { secret } },
      settings: inline,
      mcpConfigPath: inline,
      sessionId: secret,
    };
    expect(problemsOf(options)).toHaveLength(5);
    expect(problemsOf(options).join()).not.toContain('secret');
  });

  it.each([null, 5, 'x', [], () => {}])('[O-4] refuses options that are %j', (options) => {
    expect(problemsOf(options)).toEqual([expect.stringMatching(/^options: must be an object, not /)]);
  });

  it('[O-4] reports unreadable options instead of throwing', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const cyclic: Record<string, unknown> = {};
    cyclic.left = cyclic;
    cyclic.right = cyclic;
    class Hostile extends Error {
      override get message(): string {
        throw new Error('again');
      }
    }
    const options = {
      get model() {
        throw new Error('no model today');
      },
      get effort() {
        throw new Hostile();
      },
      mcpServers: proxy,
      settings: cyclic,
      sandbox: { when: 1n, how: () => {} },
    };
    expect(problemsOf(options)).toEqual([
      'model: could not be read: no model today',
      'effort: could not be read: it threw a value that cannot be shown',
      expect.stringMatching(/^mcpServers: could not be read: .*revoked/),
      'settings: could not be read: it is nested too deeply, or contains itself.',
      'sandbox.when: must be plain data that JSON can hold, not a bigint.',
      'sandbox.how: must be plain data that JSON can hold, not a function.',
    ]);
    expect(problemsOf(proxy)).toEqual([expect.stringMatching(/^options: could not be read: .*revoked/)]);
    expect(problemsOf({}, proxy)).toEqual([expect.stringMatching(/^prompt: could not be read: .*revoked/)]);
  });

  it('[O-4] reports unreadable options of a turn', () => {
    const thinking = {
      get type(): string {
        throw new Error('no type today');
      },
    };
    expect(checkTurn('hi', { thinking }).problem?.problems).toEqual([
      { path: 'thinking', message: 'could not be read: no type today' },
    ]);
  });
});
