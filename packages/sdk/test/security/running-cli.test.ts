import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recording, script, scriptedCli } from '@coxswain/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { query } from '../../src/query/query.ts';
import { openSession } from '../../src/restart/open-session.ts';
import { commandLineOf, liveDescendants } from '../support/processes.ts';

const SECRETS = {
  apiKey: 'the-key-itself-0123456789',
  variable: 'password-of-the-database',
  serverVariable: 'token-of-the-stdio-server',
  header: 'bearer-of-the-http-server',
  url: 'user-of-url:password-of-url',
  setting: 'token-in-the-settings',
  prompt: 'what-only-the-prompt-says',
};

/** The data of a run that any user of the machine can see, at its start and at its first message. */
interface Sight {
  /** The command lines of all processes the host has started. */
  readonly commands: string[];
  /** The entries of the temporary folder: kind, mode, content. */
  readonly files: { readonly path: string; readonly kind: string; readonly mode: string; readonly content: string }[];
}

const options: AgentOptions = {
  apiKey: SECRETS.apiKey,
  env: { DB_PASSWORD: SECRETS.variable },
  mcpServers: {
    local: { command: 'never-started', env: { TOKEN: SECRETS.serverVariable } },
    remote: { type: 'http', url: 'http://127.0.0.1:9/', headers: { Authorization: `Bearer ${SECRETS.header}` } },
    named: { type: 'http', url: `http://${SECRETS.url}@127.0.0.1:9/` },
  },
  settings: { env: { MY_TOKEN: SECRETS.setting }, apiKeyHelper: `echo ${SECRETS.setting}` },
};

describe.each(['query', 'session'] as const)('while a %s runs', (entry) => {
  it('[C-10, C-7, C-8] no command line contains a secret, and files with secrets are private and soon removed', async () => {
    const { atStart, atFirstMessage, after } = await look(entry);
    expect(atStart.commands.length).toBeGreaterThan(0);
    for (const secret of Object.values(SECRETS)) {
      expect([...atStart.commands, ...atFirstMessage.commands].join('\n')).not.toContain(secret);
    }
    // The servers never have a file name on Linux.
    const held = atStart.files.filter(({ kind }) => kind === 'file');
    expect(held.some(({ content }) => content.includes(SECRETS.setting))).toBe(true);
    expect(new Set(held.map(({ mode }) => mode))).toEqual(new Set(['600']));
    expect(new Set(atStart.files.filter(({ kind }) => kind === 'folder').map(({ mode }) => mode))).toEqual(
      new Set(['700']),
    );
    // A CLI of an unknown release may read its settings again.
    expect(atFirstMessage.files.filter(({ kind, path }) => kind === 'file' && !path.endsWith('settings.json'))).toEqual(
      [],
    );
    expect(after.files).toEqual([]);
  });

  it('[C-10, K-3] the recording contains no secret', async () => {
    const folder = ownTemporaryFolder();
    const file = join(folder, 'run.ndjson');
    const spilled = Object.values({ ...SECRETS, prompt: '' }).join(' / ');
    await using cli = await scriptedCli(
      script().otherwise((turn) => turn.stderr(`${spilled}\n`).line(`noise ${spilled}`).say(`I say ${spilled}`)),
    );
    const record = recording(file, { cli: cli.path });
    await run(entry, { ...options, transport: record });
    await record.saved();
    const text = readFileSync(file, 'utf8');
    expect(text.length).toBeGreaterThan(500);
    const { prompt, ...hidden } = SECRETS;
    expect(text).toContain(prompt);
    expect(Object.values(hidden).filter((secret) => text.includes(secret))).toEqual([]);
  });
});

describe('the host', () => {
  it('[C-9, C-10] and the guard process do not have the variables of the run in their environment', async () => {
    const { guards } = await look('query');
    expect(guards.length).toBeGreaterThan(0);
    for (const secret of Object.values(SECRETS)) {
      expect(JSON.stringify(process.env)).not.toContain(secret);
      expect(guards.join('\n')).not.toContain(secret);
    }
  });
});

async function look(
  entry: 'query' | 'session',
): Promise<{ atStart: Sight; atFirstMessage: Sight; after: Sight; guards: string[] }> {
  await using cli = await scriptedCli(script().otherwise((turn) => turn.say('ok')));
  const folder = ownTemporaryFolder();
  let atStart: Sight | undefined;
  let child: number | null = null;
  const guards: string[] = [];
  const started = (pid: number | null): void => {
    child = pid;
    atStart ??= sight(folder);
  };
  const spoken = (): Sight => {
    for (const pid of liveDescendants(process.pid)) if (pid !== child) guards.push(surroundings(pid));
    return sight(folder);
  };
  const first = await run(entry, { ...options, cli: cli.path, versionCheck: 'off' }, started, spoken);
  return { atStart: atStart ?? { commands: [], files: [] }, atFirstMessage: first, after: sight(folder), guards };
}

/** Runs one prompt and returns what was visible at the first message. */
async function run(
  entry: 'query' | 'session',
  given: AgentOptions,
  started: (pid: number | null) => void = () => {},
  seen: () => Sight = () => ({ commands: [], files: [] }),
): Promise<Sight> {
  const own: AgentOptions = {
    ...given,
    onEvent: (event) => event.type === 'started' && started(event.pid),
  };
  let first: Sight | undefined;
  if (entry === 'query') {
    for await (const _ of query(SECRETS.prompt, own)) first ??= seen();
  } else {
    await using session = openSession(own);
    for await (const _ of session.send(SECRETS.prompt)) first ??= seen();
  }
  return first ?? { commands: [], files: [] };
}

function sight(folder: string): Sight {
  return { commands: liveDescendants(process.pid).map(commandLineOf), files: everythingIn(folder) };
}

function everythingIn(folder: string): Sight['files'] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o777).toString(8);
    if (!stats.isDirectory()) return [{ path, kind: 'file', mode, content: readFileSync(path, 'utf8') }];
    return [{ path, kind: 'folder', mode, content: '' }, ...everythingIn(path)];
  });
}

function surroundings(pid: number): string {
  try {
    return `${commandLineOf(pid)} ${readFileSync(`/proc/${pid}/environ`, 'utf8')}`;
  } catch {
    return '';
  }
}

function ownTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-test-'));
  const earlier = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  onTestFinished(() => {
    if (earlier === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = earlier;
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
