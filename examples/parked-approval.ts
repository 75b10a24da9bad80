/** An approval that outlives the process: files hold the request, HTTP brings the answer, and no CLI runs while it waits. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { script } from '@coxswain/testkit';
import type { ResumedRequest, Session, Turn } from 'coxswain';
import { allow, checkAnswer, decideLater, deny, isCoxswainError, openSession } from 'coxswain';
import { fileStore } from 'coxswain/store';
import { pickAgent } from './agent.ts';
import { ApprovalFiles } from './approval-files.ts';

const scripted = script().otherwise((turn) =>
  turn.useTool('Bash', { command: 'make deploy' }, { result: 'deployed' }).say('It is deployed.'),
);
await using agent = await pickAgent(scripted);
const folder = process.env.APPROVALS ?? (await mkdtemp(join(tmpdir(), 'cox-approvals-'))); // the same one after a restart

// #region park
const sessionStore = fileStore(join(folder, 'conversations'));
const approvals = new ApprovalFiles(join(folder, 'approvals')); // a table of your database

function open(parked?: ResumedRequest): Session {
  const session = openSession({
    ...{ cli: agent.cli, sessionStore, parked },
    canUseTool({ id }) {
      // If the model wants two things at once, it asks for the second one again.
      if (session.pendingPermissions()[0]?.id === id) park(session, id).catch(() => refuse(session, id));
      return decideLater();
    },
  });
  return session;
}

async function park(session: Session, id: string): Promise<void> {
  await approvals.add(await session.parkable(id)); // plain JSON. From now on a crash loses nothing
  await session.park(id); // ends the CLI; the turn fails with turn-parked
}

/** What cannot be parked is refused here; your program can also hold it, and answer it with answerPermission(). */
function refuse(session: Session, id: string): Promise<void> {
  return session.answerPermission(id, deny('Nobody can be asked about this.')).catch(() => {}); // it was withdrawn
}

async function follow(session: Session, turn: Turn): Promise<void> {
  try {
    console.log(await turn.text());
  } catch (error) {
    if (!isCoxswainError(error, 'turn-parked')) throw error;
    console.log('parked');
  } finally {
    await session.close();
  }
}
// #endregion

// #region resume
async function resume(parked: ResumedRequest): Promise<void> {
  const session = open(parked);
  try {
    if (session.parkedTurn) await follow(session, session.parkedTurn);
  } catch (error) {
    // After any other error, try again later: a call that may have run has the problem `answered` then.
    if (!isCoxswainError(error, 'parked-request') || error.problem === 'unguarded') throw error;
    console.log(`not run again: ${error.problem}`);
  }
  await approvals.remove(parked);
}
// #endregion

// #region answer
const token = crypto.randomUUID(); // not in a variable or a file that the agent can read
const server = createServer(async (request, response) => {
  const reply = (status: number, body: unknown = {}) => response.writeHead(status).end(JSON.stringify(body));
  if (request.headers.authorization !== `Bearer ${token}`) return reply(401);
  const waiting = (await approvals.all()).filter(({ answer }) => !answer);
  if (request.method === 'GET') return reply(200, waiting);
  const hash = /^\/([0-9a-f]{64})$/.exec(request.url ?? '')?.[1] ?? ''; // of what the person has read
  const parked = await approvals.find(hash);
  if (!parked) return reply(404);
  try {
    const answer = checkAnswer(await json(request), parked.request);
    if (!(await approvals.answer(parked, answer))) return reply(409);
    await resume({ ...parked, answer });
    return reply(200);
  } catch (error) {
    return reply(500, String(error));
  }
});
// #endregion
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const headers = { authorization: `Bearer ${token}` };

// A program that is started again continues what was answered before it ended.
for (const parked of await approvals.all()) if (parked.answer) await resume(parked);
if (agent.prompt !== undefined || agent.cli !== 'auto') {
  const session = open();
  await follow(session, session.send(agent.prompt ?? 'Deploy it.'));
}
if (agent.cli === 'auto') console.log(`curl -H 'authorization: ${headers.authorization}' ${url}`);
else {
  // A person reads what is asked, perhaps days later, and answers.
  const waiting = (await (await fetch(url, { headers })).json()) as ResumedRequest[]; // what the server above lists
  for (const { hash, request } of waiting) {
    console.log(`${request.toolName}: ${JSON.stringify(request.input)}`);
    await fetch(`${url}/${hash}`, { method: 'POST', headers, body: JSON.stringify(allow()) });
  }
  server.close();
  await rm(folder, { recursive: true });
}
