import { script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import type { ApiFailure, AuditEntry, EntriesPage, TurnsPage } from '../../src/api.ts';
import { nextApproval, onlyConversation, type Stage, stage } from '../support/stage.ts';

const AGENT = script()
  .onPrompt(/question/, (turn) =>
    turn
      .useTool(
        'AskUserQuestion',
        {
          questions: [
            {
              question: 'Which boat?',
              header: 'Boat',
              multiSelect: false,
              options: [
                { label: 'Eight', description: 'eight rowers' },
                { label: 'Single', description: 'one rower' },
              ],
            },
          ],
        },
        { permission: 'ask' },
      )
      .say('Good choice.'),
  )
  .onPrompt(/plan/, (turn) =>
    turn.useTool('ExitPlanMode', { plan: '1. Row.' }, { permission: 'ask' }).say('Off we go.'),
  )
  .onPrompt(/described/, (turn) =>
    turn.useTool('Bash', { command: 'ls -la', description: 'List the boats' }, { permission: 'ask' }).say('Listed.'),
  )
  .otherwise((turn) =>
    turn.useTool('Bash', { command: 'npm test' }, { result: 'ran', permission: 'ask' }).say('Done.'),
  );

async function asked(prompt: string, options: Parameters<typeof stage>[1] = {}) {
  const set: Stage = await stage(AGENT, options);
  const session = set.open();
  const events = set.browser.events();
  await events.until(({ type }) => type === 'snapshot');
  const turn = session.send(prompt);
  const approval = await nextApproval(events);
  return { ...set, session, events, turn, approval };
}

describe('approvals', () => {
  it('[I-11] the description of a command is that of its agent, also if the request only repeats the command', async () => {
    const { approval } = await asked('described');
    expect(approval).toMatchObject({ argument: 'ls -la', description: 'List the boats' });
  });

  it('[I-2, I-9] a request shows what would run and why; allowed once, it runs, and the audit records who and when', async () => {
    const audits: AuditEntry[] = [];
    const { browser, turn, approval, events } = await asked('test', { onAudit: (entry) => audits.push(entry) });
    expect(approval).toMatchObject({ kind: 'tool', tool: 'Bash', what: { text: 'npm test' }, argument: 'npm test' });
    expect(await onlyConversation(browser)).toMatchObject({ state: 'needs-me', outcome: 'waiting' });
    const { turns } = await browser.get<TurnsPage>(`api/conversations/${approval.conversation}/turns`);
    expect(turns).toMatchObject([{ outcome: 'waiting', endedAt: null }]);
    const answer = await browser.post(`api/approvals/${approval.id}`, { decision: 'allow', scope: 'once' });
    expect([answer.status, await answer.json()]).toEqual([200, { ok: true, conversation: null }]);
    expect(await turn.text()).toBe('Done.');
    const { answered } = await events
      .until((event) => event.type === 'approval-answered')
      .then((event) => event as { answered: object });
    expect(answered).toMatchObject({ id: approval.id, by: 'local', decision: 'allow' });
    expect(audits).toMatchObject([{ by: 'local', action: 'allow', note: 'Bash: npm test', error: null }]);
    const { entries } = await browser.get<EntriesPage>(`api/conversations/${approval.conversation}/entries`);
    expect(entries.find(({ kind }) => kind === 'audit')).toMatchObject({ audit: { action: 'allow' } });
    expect(entries.find(({ kind }) => kind === 'tool')).toMatchObject({ state: 'ok', result: { text: 'ran' } });
  });

  it('[I-2] the model receives the reason of a denial', async () => {
    const { browser, turn, approval } = await asked('test');
    await browser.post(`api/approvals/${approval.id}`, { decision: 'deny', reason: 'not on a Sunday' });
    await turn.result();
    const { entries } = await browser.get<EntriesPage>(`api/conversations/${approval.conversation}/entries`);
    const tool = entries.find(({ kind }) => kind === 'tool');
    expect(tool).toMatchObject({ state: 'refused', result: { text: expect.stringContaining('not on a Sunday') } });
  });

  it('[I-2] an edited input runs instead, and transcript, export and audit show it', async () => {
    const { browser, turn, approval } = await asked('test');
    const input = JSON.stringify({ command: 'npm run lint' });
    expect(JSON.parse(approval.input ?? '')).toEqual({ command: 'npm test' });
    await browser.post(`api/approvals/${approval.id}`, { decision: 'allow', scope: 'once', input });
    await turn.result();
    const path = `api/conversations/${approval.conversation}`;
    const { entries } = await browser.get<EntriesPage>(`${path}/entries`);
    expect(entries.find(({ kind }) => kind === 'tool')).toMatchObject({
      argument: 'npm run lint',
      input: { text: expect.stringContaining('npm run lint') },
      asked: { text: expect.stringContaining('npm test') },
    });
    const audit = await browser.get<{ entries: AuditEntry[] }>('api/audit');
    expect(audit.entries).toMatchObject([
      { note: 'Bash: npm run lint, edited; asked for: npm test', detail: expect.stringContaining('npm run lint') },
    ]);
    const text = await (await browser.fetch(`${path}/export?format=markdown`)).text();
    expect(text).toMatch(/npm run lint.*A person changed the input.*npm test/s);
    const bad = await browser.post(`api/approvals/${approval.id}`, { decision: 'allow', scope: 'once', input: '[1]' });
    expect(bad.status).toBe(409);
  });

  it.each([
    { decision: 'allow', inputs: '{"command":"ls"}' },
    { decision: 'allow', scope: 'once', updatedInput: { command: 'ls' } },
    { decision: 'allow', updatedPermissions: [] },
    { decision: 'deny', reasons: 'no' },
  ])('[I-2, P-8] an answer with an unknown field is refused, and nothing runs (%#)', async (answer) => {
    const { browser, turn, approval } = await asked('test');
    const refused = await browser.post(`api/approvals/${approval.id}`, answer);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('an answer has no field')]);
    await browser.post(`api/approvals/${approval.id}`, { decision: 'deny', reason: 'no' });
    await turn.result();
  });

  it('[I-2] a person answers questions and approves plans', async () => {
    const question = await asked('question');
    expect(question.approval).toMatchObject({ kind: 'question', questions: [{ question: 'Which boat?' }] });
    const wrong = await question.browser.post(`api/approvals/${question.approval.id}`, { decision: 'allow' });
    expect(wrong.status).toBe(400);
    await question.browser.post(`api/approvals/${question.approval.id}`, {
      decision: 'answer',
      answers: { 'Which boat?': 'Eight' },
    });
    expect(await question.turn.text()).toBe('Good choice.');
    const { entries } = await question.browser.get<{ entries: AuditEntry[] }>('api/audit');
    const kept = { action: 'answer', note: 'Which boat? → Eight', detail: expect.stringContaining('"Eight"') };
    expect(entries[0]).toMatchObject(kept);
    const transcript = await question.browser.get<EntriesPage>(
      `api/conversations/${question.approval.conversation}/entries`,
    );
    expect(transcript.entries.find(({ kind }) => kind === 'tool')).toMatchObject({ argument: 'Which boat?' });
    const plan = await asked('plan');
    expect(plan.approval).toMatchObject({ kind: 'plan', what: { text: '1. Row.' }, scopes: ['once'] });
    await plan.browser.post(`api/approvals/${plan.approval.id}`, { decision: 'allow', scope: 'once' });
    expect(await plan.turn.text()).toBe('Off we go.');
  });

  it('[I-2] a request that a query left open with decideLater() can be answered', async () => {
    const { browser, client } = await stage(AGENT);
    const events = browser.events();
    const query = client.query('test');
    const text = query.text();
    const approval = await nextApproval(events);
    const answer = await browser.post(`api/approvals/${approval.id}`, { decision: 'allow', scope: 'once' });
    expect([answer.status, await text]).toEqual([200, 'Done.']);
  });

  it('[I-2] the first of two answers wins, and the second person sees who was first', async () => {
    const users = ['ann', 'bob'];
    const auth = (request: Request) => ({ user: request.headers.get('x-user') ?? 'nobody' });
    const set = await stageWithAuth(auth);
    const [first, second] = await Promise.all(
      users.map((user) =>
        set.browser.post(`api/approvals/${set.approval.id}`, { decision: 'allow', scope: 'once' }, { 'x-user': user }),
      ),
    );
    expect([first?.status, second?.status].sort()).toEqual([200, 409]);
    await set.turn.result();
    const late = await set.browser.post(
      `api/approvals/${set.approval.id}`,
      { decision: 'deny', reason: 'no' },
      { 'x-user': 'cyd' },
    );
    const failure = (await late.json()) as ApiFailure;
    expect(late.status).toBe(409);
    const winner = first?.status === 200 ? 'ann' : 'bob';
    expect(failure.error).toMatchObject({ code: 'already-answered', answered: { by: winner, decision: 'allow' } });
    expect(failure.error.message).toContain(winner);
  });
});

async function stageWithAuth(auth: (request: Request) => { user: string }) {
  const { inMemoryCli } = await import('@coxswain/testkit');
  const { createClient } = await import('coxswain');
  const { askInspector } = await import('../../src/ask-inspector.ts');
  const { inspect } = await import('../../src/inspect.ts');
  const { Browser } = await import('../support/browser.ts');
  const { onTestFinished } = await import('vitest');
  const client = createClient({ transport: inMemoryCli(AGENT).transport, canUseTool: askInspector() });
  const inspector = await inspect(client, { auth });
  const browser = new Browser(inspector);
  const session = client.openSession();
  onTestFinished(async () => {
    browser.close();
    await inspector.close();
    await session.close();
  });
  const events = browser.events();
  await events.until(({ type }) => type === 'snapshot');
  const turn = session.send('test');
  return { browser, turn, approval: await nextApproval(events) };
}
