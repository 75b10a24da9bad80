import { script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import type { ApiFailure, AuditEntry, EntriesPage } from '../../src/api.ts';
import { settledMessage } from '../../src/approvals/settled-message.ts';
import { nextApproval, stage } from '../support/stage.ts';

const AGENT = script().otherwise((turn) =>
  turn.useTool('Bash', { command: 'npm test' }, { permission: 'ask' }).say('Done.'),
);

describe('answers that are refused', () => {
  it('[I-2] the audit records the tool, the request and the reason of each refused answer', async () => {
    const { browser, open } = await stage(AGENT);
    const events = browser.events();
    await events.until(({ type }) => type === 'snapshot');
    const turn = open().send('go');
    const { id, conversation } = await nextApproval(events);
    const answer = async (body: object): Promise<ApiFailure['error']> => {
      const { error } = (await (await browser.post(`api/approvals/${id}`, body)).json()) as ApiFailure;
      return error;
    };
    await answer({ decision: 'answer', answers: { 'Which boat?': 'Eight' } });
    await answer({ decision: 'allow', scope: 'once' });
    await turn.result();
    const late = await answer({ decision: 'deny', reason: 'no' });
    expect(late).toMatchObject({ code: 'already-answered', message: 'local has already allowed this request.' });
    await browser.post('api/approvals/none', { decision: 'allow', scope: 'once' });
    const { entries } = await browser.get<{ entries: AuditEntry[] }>('api/audit');
    const about = { conversation, approval: id, note: 'Bash: npm test' };
    expect(entries).toMatchObject([
      { action: 'allow', approval: 'none', note: '', error: expect.stringContaining('no such request') },
      { ...about, action: 'deny', error: 'local has already allowed this request.' },
      { ...about, action: 'allow', error: null },
      { ...about, action: 'answer', error: 'This request is not a question: allow or deny it.' },
    ]);
    const transcript = await browser.get<EntriesPage>(`api/conversations/${conversation}/entries`);
    expect(transcript.entries.filter(({ kind }) => kind === 'audit')).toHaveLength(3);
  });

  it('[I-2] the audit of a failed action records what was attempted', async () => {
    const { browser, open } = await stage(AGENT);
    await open().close();
    const [conversation] = await browser.conversations();
    await browser.post(`api/conversations/${conversation?.id}/actions`, { action: 'send', text: 'Row!' });
    const { entries } = await browser.get<{ entries: AuditEntry[] }>('api/audit');
    expect(entries).toMatchObject([{ action: 'send', note: 'Row!', approval: null, error: expect.any(String) }]);
  });

  it('[I-2] a late answer is refused with the reason in plain words', () => {
    const settled = (decision: string, by: string | null = null): string =>
      settledMessage({ id: 'x', conversation: 'c', decision, by, at: 0 });
    expect(settled('answerQuestions', 'ann')).toBe('ann has already answered this request.');
    expect(settled('deny')).toBe('The program has already denied this request.');
    expect(settled('session-stop')).toBe('The session has ended, which closed this request.');
    expect(settled('timeout')).toContain('not answered in time');
    expect(settled('bad-result')).toBe('This request no longer needs an answer.');
  });
});
