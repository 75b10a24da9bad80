import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PINNED_VERSION } from 'coxswain/cli';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ndjson, runCox } from '../run-cox.ts';
import { cox, inTerminal } from '../terminal/pty.ts';

const FIRST = '11111111-aaaa-4aaa-8aaa-000000000001';
const SECOND = '11111111-bbbb-4bbb-8bbb-000000000002';

describe('cox sessions', () => {
  let root: string;
  let project: string;
  let env: Record<string, string>;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'cox-sessions-')));
    project = join(root, 'boat');
    await mkdir(project);
    env = { HOME: root, CLAUDE_CONFIG_DIR: join(root, 'config') };
    await transcript(FIRST, 'Which oar is broken?', 'The third.', '2026-11-01T10:00:00.000Z');
    await transcript(SECOND, 'Paint the hull', 'Painted.', '2026-11-02T10:00:00.000Z');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('[L-1] list shows the conversations of the folder, newest first, as a table or as JSON', async () => {
    const { stdout, code } = await runCox(['sessions', 'list'], { env, cwd: project });
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^id +changed +size +title$/);
    expect(
      lines
        .slice(1)
        .map((line) => line.split(/ {2,}/).at(-1))
        .sort(),
    ).toEqual(['Paint the hull', 'Which oar is broken?']);
    expect(code).toBe(0);
    const json = await runCox(['sessions', 'list', '--json', '--limit', '1'], { env, cwd: project });
    expect(ndjson(json.stdout)).toHaveLength(1);
    const elsewhere = await runCox(['sessions', 'list'], { env, cwd: root });
    expect(elsewhere).toMatchObject({ stdout: '', code: 0, stderr: expect.stringContaining('--all') });
    expect((await runCox(['sessions', 'list', '--all'], { env, cwd: root })).stdout).toContain(project);
  });

  it('[L-1] show prints the properties and the conversation, also for the first characters of an id', async () => {
    const { stdout } = await runCox(['sessions', 'show', '11111111-a'], { env, cwd: root });
    expect(stdout).toMatch(new RegExp(`^Which oar is broken\\?\nid +${FIRST}\nfolder +${project} \\(main\\)\n`));
    expect(stdout).toMatch(/\n› Which oar is broken\?\n✓ Read oars\.md → 3 is broken\nThe third\.\n$/);
    const json = await runCox(['sessions', 'show', FIRST, '--json'], { env, cwd: root });
    expect(ndjson(json.stdout).map(({ kind }) => kind)).toEqual([
      'session',
      'message',
      'message',
      'message',
      'message',
    ]);
  });

  it('[L-1, L-2] lists the matching ids of an ambiguous id, and reports unknown ids', async () => {
    const both = await runCox(['sessions', 'show', '1111'], { env, cwd: root });
    expect(both).toMatchObject({ code: 2, stdout: '' });
    expect(both.stderr).toContain(`${FIRST}  Which oar is broken?`);
    const unlike = await runCox(['sessions', 'resume', 'zzzz'], { env });
    expect(unlike).toMatchObject({ code: 2, stderr: expect.stringContaining('No session id starts with zzzz.') });
    expect((await runCox(['sessions', 'show', '111'], { env })).stderr).toContain('at least its first four');
    const none = await runCox(['sessions', 'show', '22222222-aaaa-4aaa-8aaa-000000000001'], { env });
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('session-not-found') });
    expect(none.stderr).toContain('`cox sessions list --all` lists');
    expect(none.stderr).not.toContain('listSessions()');
  });

  it('[L-1] rename, fork and delete change the files on disk', async () => {
    expect((await runCox(['sessions', 'rename', FIRST, 'The', 'oar'], { env })).code).toBe(0);
    const fork = await runCox(['sessions', 'fork', FIRST, '--title', 'Another oar'], { env });
    const copy = fork.stdout.trim();
    expect(copy).toMatch(/^[0-9a-f-]{36}$/);
    expect(fork.stderr).toContain(`cox chat --resume ${copy}`);
    const refused = await runCox(['sessions', 'delete', SECOND], { env });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect((await runCox(['sessions', 'delete', SECOND, '--yes'], { env })).code).toBe(0);
    const left = ndjson((await runCox(['sessions', 'list', '--all', '--json'], { env })).stdout);
    expect(left.map(({ title }) => title).sort()).toEqual(['Another oar', 'The oar']);
  });

  it('[L-1, L-2] delete asks for confirmation on a terminal', async () => {
    await using run = inTerminal(cox('sessions', 'delete', SECOND), { env });
    await run.until(/Permanently delete 1 conversation\?[\s\S]*Paint the hull[\s\S]* n {2}No\nPress y or n:$/);
    run.press('n');
    expect(await run.ended).toBe(0);
    await using again = inTerminal(cox('sessions', 'delete', SECOND), { env });
    await again.until(/Press y or n:$/);
    again.press('y');
    expect(await again.ended).toBe(0);
    expect(again.screen.text).toContain(`${SECOND} is deleted`);
  });

  it('[L-1] resume continues with one prompt, in the folder of the conversation', async () => {
    const { stdout, code } = await runCox(
      ['sessions', 'resume', FIRST, 'what', 'did', 'you', 'change?', '--demo', '--json'],
      { env },
    );
    const lines = ndjson(stdout);
    const init = { type: 'system', subtype: 'init', cwd: project };
    expect(lines).toContainEqual(expect.objectContaining({ message: expect.objectContaining(init) }));
    expect(lines.at(-1)).toMatchObject({ kind: 'result', ok: true, sessionId: FIRST });
    expect(code).toBe(0);
  });

  /** A conversation of one prompt, one tool call and one answer, as the CLI writes it. */
  async function transcript(id: string, prompt: string, answer: string, timestamp: string): Promise<void> {
    const folder = join(root, 'config', 'projects', project.replace(/[^a-zA-Z0-9]/g, '-'));
    await mkdir(folder, { recursive: true });
    const base = {
      sessionId: id,
      cwd: project,
      gitBranch: 'main',
      version: PINNED_VERSION,
      timestamp,
      isSidechain: false,
    };
    const call = { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'oars.md' } };
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: '3 is broken' };
    const messages = [
      ['user', { role: 'user', content: prompt }],
      ['assistant', { id: 'msg_1', role: 'assistant', content: [call] }],
      ['user', { role: 'user', content: [result] }],
      ['assistant', { id: 'msg_2', role: 'assistant', content: [{ type: 'text', text: answer }] }],
    ] as const;
    const lines = messages.map(([type, message], at) => {
      const uuid = (number: number): string =>
        `${id.slice(0, 35)}${number}`.replace(/.{4}$/, `${number}${id.slice(-3)}`);
      return JSON.stringify({ parentUuid: at === 0 ? null : uuid(at - 1), uuid: uuid(at), type, message, ...base });
    });
    await writeFile(join(folder, `${id}.jsonl`), `${lines.join('\n')}\n`);
  }
});
