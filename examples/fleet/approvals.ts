/** Approvals that reach people by webhook: who may answer, until when, and what the audit shows afterwards. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineAgent, isFleetError, openFleet, startWorker, verifyWebhook } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';
import { allow, decideLater } from 'coxswain';

const hour = 3_600_000;

// #region agent
const agent = defineAgent({
  options: () => ({ ...scripted(), canUseTool: () => decideLater() }),
  parkAfterMs: 10_000, // a request that waits longer holds no process and no slot
  approvals: ({ toolName }) =>
    toolName === 'Bash'
      ? {
          groups: ['release'],
          expiresAfterMs: 8 * hour,
          onExpiry: {
            escalate: { groups: ['leads'], expiresAfterMs: 16 * hour, onExpiry: { deny: 'Nobody was there.' } },
          },
        }
      : undefined, // anyone who can answer approvals, without a limit
});
// #endregion

// #region authorize
const members: Record<string, string[]> = { ann: ['release'], eve: ['interns'] }; // your directory of people
const fleet = await openFleet({
  database: process.env.COXSWAIN_DATABASE_URL,
  authorize: ({ by }, { groups, tenant }) => {
    if (tenant === 'frozen') return 'releases are frozen';
    return groups === null || groups.some((group) => members[by]?.includes(group));
  },
});
// #endregion

// #region receiver
const secret = `whsec_${randomBytes(32).toString('base64')}`; // from your secret store; the worker and the receiver have the same
const handled = new Set<string>(); // your database: a webhook may come twice
const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const { id, notice } = verifyWebhook(request.headers, Buffer.concat(chunks), [secret]);
    if (!handled.has(id)) await tellPeople(notice);
    handled.add(id);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(isFleetError(error, 'webhook') ? 401 : 500).end(); // anything but 2xx: it is sent again
  }
});
// #endregion
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const { port } = receiver.address() as AddressInfo;

// #region worker
const worker = await startWorker({
  database: process.env.COXSWAIN_DATABASE_URL ?? fleet.embeddedUrl,
  agent,
  notify: { url: `http://127.0.0.1:${port}/approvals`, secrets: [secret] },
  onError: (error) => console.error(error),
});
// #endregion

// #region answer
async function tellPeople({ type, data }: ReturnType<typeof verifyWebhook>['notice']): Promise<void> {
  console.log(type, data.request?.toolName, 'for', data.groups?.join(', '));
  if (type !== 'approval.requested') return closed();
  // A person has read data.request on your page, and presses a button; the page sends the hash of what it showed.
  for (const by of ['eve', 'ann']) {
    try {
      await fleet.answer(data.id, allow(), { by, hash: data.hash, from: 'the release page' });
      console.log(by, 'approved');
    } catch (error) {
      if (!isFleetError(error, 'approval-forbidden')) throw error;
      console.log(by, 'may not answer');
    }
  }
}
// #endregion

let closed: () => void = () => {};
const notified = new Promise<void>((resolve) => {
  closed = resolve;
});
const turn = await fleet.submit({ key: 'boats', prompt: 'Make the release.' });
console.log((await turn.outcome()).outcome.kind);
await notified;

// #region audit
for (const { kind, by, from, hash } of await fleet.audit({ key: 'boats' })) {
  console.log(kind, by ?? 'the fleet', from ?? '', hash === null ? '' : 'with the hash');
}
// #endregion

await worker.drain();
await fleet.close();
receiver.close();

function scripted(): { transport: ReturnType<typeof inMemoryCli>['transport'] } {
  const release = script().otherwise((turn) =>
    turn.useTool('Bash', { command: 'npm publish' }, { result: 'published', permission: 'ask' }).say('Released.'),
  );
  return { transport: inMemoryCli(release).transport };
}
