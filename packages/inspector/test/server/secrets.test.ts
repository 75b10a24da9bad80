import { inMemoryCli, script } from '@coxswain/testkit';
import { type AgentOptions, createClient, createPool, openSession, type Session } from 'coxswain';
import { describe, expect, it } from 'vitest';
import type { AuditEntry, QueueInfo } from '../../src/api.ts';
import { askInspector } from '../../src/ask-inspector.ts';
import { inspect } from '../../src/inspect.ts';
import { Browser } from '../support/browser.ts';
import { nextApproval } from '../support/stage.ts';

/** The secrets in the options of a run, each of a different kind. */
const OPTIONS = {
  apiKey: 'plain-api-key-0123',
  env: { B_TOKEN: 'session-secret-67890' },
  mcpServers: {
    tides: { type: 'http', url: 'http://127.0.0.1:9/', headers: { Authorization: 'Bearer mcp-header-secret-4444' } },
  },
} as const satisfies AgentOptions;
const ALL = 'plain-api-key-0123 session-secret-67890 mcp-header-secret-4444';
const SECRET = /plain-api-key|session-secret|mcp-header-secret/;

const AGENT = script()
  .onPrompt(/ask/, (turn) =>
    turn
      .useTool(
        'AskUserQuestion',
        {
          questions: [
            {
              question: `Is ${ALL} right?`,
              header: ALL,
              multiSelect: false,
              options: [{ label: ALL, description: ALL }],
            },
          ],
        },
        { permission: 'ask' },
      )
      .say(ALL),
  )
  .otherwise((turn) =>
    turn
      .useTool(
        'Bash',
        // The secret spans the position at which the line is cut.
        { command: `${'x'.repeat(190)} ${ALL}`, description: ALL },
        { permission: 'ask', result: ALL },
      )
      .say(`The end: ${ALL}`),
  );

/** Lets the agent write its secrets everywhere, and returns all output of the server as one text. */
async function everything(browser: Browser, session: Session): Promise<string> {
  const [only] = await browser.conversations();
  const id = only?.id ?? '';
  const events = browser.events(`?watch=${id}`);
  await events.until(({ type }) => type === 'snapshot');
  const asks = session.send(`ask ${ALL}`);
  const question = await nextApproval(events);
  const [shown] = question.questions;
  const answers = { [shown?.question ?? '']: shown?.options[0]?.label };
  const pages = [await (await browser.fetch('api/approvals')).text()];
  await browser.post(`api/approvals/${question.id}`, { decision: 'answer', answers });
  await asks.result();
  const runs = session.send(ALL);
  const call = await nextApproval(events, [question.id]);
  await browser.post(`api/approvals/${call.id}`, { decision: 'deny', reason: ALL });
  await runs.result();
  await browser.post(`api/conversations/${id}/actions`, { action: 'steer', text: ALL });
  const about = `api/conversations/${id}`;
  for (const path of [
    ...['api/conversations', about, `${about}/entries`, `${about}/turns`, `${about}/export`, 'api/audit', 'api/stats'],
    ...[`${about}/export?format=markdown`, 'api/approvals', 'api/queues', 'api/search?q=The+end'],
  ]) {
    const answer = await browser.fetch(path);
    expect([path, answer.status]).toEqual([path, 200]);
    pages.push(await answer.text());
  }
  return pages.join('\n') + JSON.stringify(events.seen);
}

describe('the secrets of a run', () => {
  it('[I-5] are redacted if they are in its own options: approvals, questions, transcript, audit, events', async () => {
    const { transport, runs } = inMemoryCli(AGENT);
    const audits: AuditEntry[] = [];
    const client = createClient({ transport, canUseTool: askInspector(), includePartialMessages: true });
    await using inspector = await inspect(client, { onAudit: (entry) => audits.push(entry) });
    await using session = client.openSession({ ...OPTIONS, title: `Row ${ALL}` });
    const browser = await new Browser(inspector).login();
    const shown = await everything(browser, session);
    expect(shown).toContain('[redacted]');
    expect(shown).toContain('The end: ');
    expect(shown.match(SECRET)).toBeNull();
    expect(JSON.stringify(audits).match(SECRET)).toBeNull();
    // The model has received its own label.
    const sent = JSON.stringify(runs());
    expect(sent).toContain(`"Is ${ALL} right?":"${ALL}"`);
    browser.close();
  });

  it('[I-5] are redacted if its session was opened without a client and before the inspector', async () => {
    const { transport } = inMemoryCli(AGENT);
    await using session = openSession({ ...OPTIONS, transport, canUseTool: askInspector() });
    await session.ready;
    await using inspector = await inspect(session);
    const browser = await new Browser(inspector).login();
    const shown = await everything(browser, session);
    expect(shown).toContain('The end: ');
    expect(shown.match(SECRET)).toBeNull();
    browser.close();
  });

  it('[I-5] are redacted in the waiting jobs of a pool', async () => {
    const { transport } = inMemoryCli(AGENT);
    await using pool = createPool({ size: 1, defaults: { ...OPTIONS, transport, canUseTool: askInspector() } });
    await using inspector = await inspect(pool);
    const browser = await new Browser(inspector).login();
    const events = browser.events();
    await events.until(({ type }) => type === 'snapshot');
    const jobs = [pool.submit({ prompt: 'first' }), pool.submit({ prompt: `wait ${ALL}` })];
    await nextApproval(events);
    const { queues } = await browser.get<{ queues: QueueInfo[] }>('api/queues');
    expect(queues[0]?.waiting).toMatchObject([{ title: 'wait [redacted] [redacted] [redacted]' }]);
    browser.close();
    await pool.close();
    await Promise.all(jobs.map(({ outcome }) => outcome));
  });
});
