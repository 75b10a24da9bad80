import type { PermissionRequest } from 'coxswain';
import { expect, it } from 'vitest';
import type { SourceInfo } from '../../src/api.ts';
import { approvalId } from '../../src/approvals/approval-id.ts';
import { Hub } from '../../src/conversations/hub.ts';

const SOURCE: SourceInfo = { id: 'process', kind: 'process', label: 'this process' };
const plain = (text: string): string => text;

const request = (command: string, id = 'req-1'): PermissionRequest =>
  ({
    id,
    kind: 'tool',
    toolName: 'Bash',
    input: { command },
    suggestions: [],
    raw: {},
  }) as unknown as PermissionRequest;

it('[I-7] an answer to a request that the agent replaced under the same id decides nothing', async () => {
  const hub = new Hub([], { redact: plain, readOnly: false, onAudit: undefined });
  const record = hub.add(SOURCE, 'p-1', {});
  const decisions: string[] = [];
  record.controls = {
    answer: async (id, { decision }) => {
      decisions.push(`${id} ${decision}`);
    },
  };
  record.ask(request('npm test'), 1, null);
  const [shown] = hub.approvals.list();
  // The CLI crashed, and the next one uses the same id.
  record.ask(request('rm -rf /srv'), 2, null);
  const late = hub.answer(shown?.id ?? '', { decision: 'allow', scope: 'once' }, { by: 'ann' });
  await expect(late).rejects.toMatchObject({
    code: 'already-answered',
    message: expect.stringMatching(/has replaced this request/),
  });
  expect(decisions).toEqual([]);
  expect(hub.approvals.answeredList()).toMatchObject([{ id: shown?.id, decision: 'replaced' }]);
  const [now, ...others] = hub.approvals.list();
  expect([now?.what.text, others.length]).toEqual(['rm -rf /srv', 0]);
  await hub.answer(now?.id ?? '', { decision: 'deny', reason: 'no' }, { by: 'ann' });
  expect(decisions).toEqual(['req-1 deny']);
});

it('[I-5, I-7] the id of a request stays the same for the same content, and does not depend on its secrets', () => {
  const id = (command: string, redact = plain): string => approvalId('p-1', request(command, 'a/b'), redact);
  expect(id('npm test')).toMatch(/^p-1~a\.2fb~[\w-]{22}$/);
  expect(id('npm test')).toBe(id('npm test'));
  expect(id('npm test')).not.toBe(id('npm test '));
  const mask = (text: string): string => text.replaceAll(/secret\d/g, '[redacted]');
  expect(id('login secret1', mask)).toBe(id('login secret2', mask));
  const other = (input: object): PermissionRequest => ({ ...request('npm test'), input }) as PermissionRequest;
  expect(approvalId('p-1', other({ b: 1, a: 2 }), plain)).toBe(approvalId('p-1', other({ a: 2, b: 1 }), plain));
});
