import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConversationsPage, EntriesPage, FramesPage } from '../../src/api.ts';
import { inspect } from '../../src/inspect.ts';
import { openRehearsals } from '../../src/sources/rehearsal/rehearsal-source.ts';
import { Browser } from '../support/browser.ts';

const KEY = `sk-ant-${'a'.repeat(20)}`;
const CALLS = [
  { id: 't1', turn: 1, tool: 'Bash', input: 'npm test', outcome: 'ran' },
  { id: 't2', turn: 1, tool: 'Bash', input: 'npm publish', outcome: 'refused', reason: 'Not on Fridays.' },
];
const REFUSED = {
  ...{ change: 'now-refused', turn: 1, call: 't2', subject: 'Bash(npm publish)' },
  ...{ before: 'ran', after: 'refused by a hook', reason: 'Not on Fridays.' },
};
const EFFORT = { change: 'request', subject: 'effort', before: 'high', after: 'medium' };
const side = (stage: string) => ({ stage, turns: [{ prompt: `Publish. ${KEY}` }], calls: CALLS, gaps: [] });
const REPORT = {
  sentence: '1 of 2 calls would now be refused.',
  results: [
    { scenario: 'quiet.json', before: side('recording'), after: side('agent.js'), differences: [], gaps: [] },
    {
      ...{ scenario: 'release.json', before: side('recording'), after: side('agent.js') },
      ...{ differences: [EFFORT, REFUSED], gaps: [{ what: 'an interrupt' }] },
    },
    { scenario: 'broken.json', failure: 'There is no CLI.' },
  ],
};

describe('a rehearsal', () => {
  it('[I-1, N-4] is a conversation for each of its scenarios, with each difference at its step', async () => {
    const browser = await opened(JSON.stringify(REPORT));
    const { conversations } = await browser.get<ConversationsPage>('api/conversations');
    expect(conversations.map(({ title, warnings, state }) => `${title}, ${warnings}, ${state}`).sort()).toEqual([
      '2 differences: release.json, 2, done',
      'no difference: quiet.json, 0, done',
      'not rehearsed: broken.json, 0, failed',
    ]);
    const id = conversations.find(({ warnings }) => warnings > 0)?.id;
    const { entries } = await browser.get<EntriesPage>(`api/conversations/${id}/entries`);
    expect(entries.map((entry) => (entry.kind === 'warning' ? entry.message : entry.kind))).toEqual([
      'system',
      'effort: high → medium',
      'prompt',
      'tool',
      'tool',
      'Bash(npm publish): ran → refused by a hook',
      'system',
    ]);
    expect(entries.flatMap((entry) => (entry.kind === 'tool' ? [`${entry.argument}: ${entry.state}`] : []))).toEqual([
      'npm test: ok',
      'npm publish: refused',
    ]);
    expect(JSON.stringify(entries)).not.toContain(KEY);
    const { total } = await browser.get<FramesPage>(`api/recordings/${id}/frames`);
    expect(total).toBeGreaterThanOrEqual(entries.length);
  });

  it('[I-1] is shown as far as it can be read', async () => {
    const odd = { results: [null, 7, { scenario: 'x', differences: 'no', after: { turns: [1], calls: [null] } }] };
    const browser = await opened(JSON.stringify(odd));
    expect((await browser.get<ConversationsPage>('api/conversations')).total).toBe(3);
  });

  it('[I-1] is refused if it is not a file with a report', async () => {
    const path = await file('{"results": 1}');
    await expect(openRehearsals([path])).rejects.toThrow(/is not a report/);
    await expect(openRehearsals([`${path}.none`])).rejects.toThrow(/is not a file/);
    await expect(openRehearsals([await file('no')])).rejects.toThrow(/cannot be read/);
    execFileSync('mkfifo', [`${path}.pipe`]);
    await expect(openRehearsals([`${path}.pipe`])).rejects.toThrow(/is not a file/);
  });
});

async function opened(text: string): Promise<Browser> {
  const inspector = await inspect([], { sources: [await openRehearsals([await file(text)])], announce: false });
  onTestFinished(() => inspector.close());
  return new Browser(inspector).login();
}

async function file(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'inspector-rehearsal-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'report.json');
  await writeFile(path, text);
  return path;
}
