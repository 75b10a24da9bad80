import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Approval, type ApprovalAnswer, askInspector, type EntriesPage, inspect } from '@coxswain/inspector';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { openSession, type Session } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { type IsolatedHome, isolatedHome } from '../harness/isolated-home.ts';
import { QUESTION } from '../harness/question.ts';
import { realCli, testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** The part of the page that answers permissions. */
async function pageOf(url: string) {
  const { origin, hash } = new URL(url);
  const headers = { origin, 'content-type': 'application/json' };
  const post = (path: string, body: object, key = 'none'): Promise<Response> =>
    fetch(`${origin}/${path}`, {
      method: 'POST',
      headers: { ...headers, 'x-coxswain-inspector': key },
      body: JSON.stringify(body),
    });
  const login = await post('api/login', { token: hash.slice('#token='.length) });
  const { key } = (await login.json()) as { key: string };
  const get = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${origin}/${path}`, { headers: { 'x-coxswain-inspector': key } })).json()) as T;
  return {
    get,
    async answer(answer: ApprovalAnswer): Promise<Approval> {
      const next = async () => (await get<{ approvals: Approval[] }>('api/approvals')).approvals[0];
      const open = await waitUntil(next, { timeoutMs: 20_000, what: 'an approval' });
      const done = await post(`api/approvals/${open.id}`, answer, key);
      expect([done.status, open.tool, open.argument, done.ok || (await done.text())]).toEqual([
        200,
        open.tool,
        open.argument,
        true,
      ]);
      return open;
    },
  };
}

/** A session whose permissions are answered in the inspector. */
function sessionIn(home: IsolatedHome, apiUrl: string, version: string): Session {
  return openSession({
    ...{ cli: realCli(version), cwd: home.project, inheritEnv: false, canUseTool: askInspector() },
    allowPermissionUpdates: true,
    env: home.env({ ANTHROPIC_BASE_URL: apiUrl }),
  });
}

describe.each(testedVersions)('approvals from the inspector on %s', (version) => {
  it('[I-2] can allow once, for the session and permanently, deny, edit, and answer a question', async () => {
    await using home = await isolatedHome('http://127.0.0.1:9');
    const write = (name: string, content = 'by the model') =>
      toolUse('Write', { file_path: join(home.project, name), content });
    const bash = (command: string) => toolUse('Bash', { command, description: 'test' });
    const file = (name: string): string => join(home.project, name);
    await using api = await startFakeApi([
      [write('once')],
      [write('denied')],
      [write('edited')],
      [bash('git init -q ruled')],
      [bash('git init -q ruled')],
      [toolUse('AskUserQuestion', { questions: [QUESTION] })],
      [write('moded')],
      [write('moded again')],
      [text('done')],
    ]);
    await using session = sessionIn(home, api.url, version);
    await using inspector = await inspect(session);
    const page = await pageOf(inspector.url);
    const turn = session.send('go');
    await page.answer({ decision: 'allow', scope: 'once' });
    await page.answer({ decision: 'deny', reason: 'words-of-the-person' });
    const input = JSON.stringify({ file_path: file('edited'), content: 'by the person' });
    await page.answer({ decision: 'allow', scope: 'once', input });
    const asked = await page.answer({ decision: 'allow', scope: 'always' });
    expect(asked.scopes).toEqual(['once', 'session', 'always']);
    expect(asked.suggestions).toContainEqual({
      ...{
        rule: expect.stringContaining('Bash(git init'),
        destination: '.claude/settings.local.json',
        scope: 'always',
      },
    });
    expect(asked.suggestions.map(({ rule }) => rule).join()).not.toContain('setMode');
    await page.answer({ decision: 'answer', answers: { [QUESTION.question]: QUESTION.options[0]?.label ?? '' } });
    await page.answer({ decision: 'allow', scope: 'session' });
    expect(await turn.text()).toBe('done');
    expect(existsSync(file('denied'))).toBe(false);
    expect(
      [file('once'), file('ruled'), file('moded'), file('moded again')].filter((path) => !existsSync(path)),
    ).toEqual([]);
    expect(readFileSync(file('edited'), 'utf8')).toBe('by the person');
    expect(readFileSync(join(home.project, '.claude', 'settings.local.json'), 'utf8')).toContain('git init');
    const { conversations } = await page.get<{ conversations: { id: string }[] }>('api/conversations');
    const { entries } = await page.get<EntriesPage>(`api/conversations/${conversations[0]?.id}/entries?limit=500`);
    const states = entries.flatMap((entry) => (entry.kind === 'tool' ? [`${entry.name} ${entry.state}`] : []));
    expect(states).toEqual([
      ...['Write ok', 'Write refused', 'Write ok', 'Bash ok', 'Bash ok', 'AskUserQuestion ok', 'Write ok', 'Write ok'],
    ]);
    expect(entries.filter(({ kind }) => kind === 'prompt')).toHaveLength(1);
    expect(entries.filter(({ kind }) => kind === 'audit')).toHaveLength(6);
  });

  it('[I-2] can allow a command together with all edits; later edits need no permission', async () => {
    await using home = await isolatedHome('http://127.0.0.1:9');
    const write = toolUse('Write', { file_path: join(home.project, 'unasked'), content: 'by the model' });
    await using api = await startFakeApi([
      [toolUse('Bash', { command: 'mkdir shed', description: 'test' })],
      [write],
      [text('done')],
    ]);
    await using session = sessionIn(home, api.url, version);
    await using inspector = await inspect(session);
    const page = await pageOf(inspector.url);
    const turn = session.send('go');
    const asked = await page.answer({ decision: 'allow', scope: 'mode' });
    expect(asked.scopes).toEqual(['once', 'session', 'always', 'mode']);
    expect(asked.suggestions.filter(({ scope }) => scope === 'mode')).toEqual([
      { rule: 'edits of files without asking', destination: 'this session', scope: 'mode' },
    ]);
    // No further permission is requested: the turn would wait.
    expect(await turn.text()).toBe('done');
    expect([existsSync(join(home.project, 'shed')), existsSync(join(home.project, 'unasked'))]).toEqual([true, true]);
    // It is for this session only.
    expect(existsSync(join(home.project, '.claude', 'settings.local.json'))).toBe(false);
  });
});
