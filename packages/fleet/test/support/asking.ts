import {
  type Approval,
  type ApprovalTerms,
  type Fleet,
  type FleetTurn,
  type OpenFleetOptions,
  openFleet,
  startWorker,
  type Worker,
} from '@coxswain/fleet';
import { quick as limits, scriptedAgent } from './agents.ts';
import { testDatabase } from './database.ts';

/** A fleet whose worker has a turn that waits for an approval. */
export interface Asking extends AsyncDisposable {
  readonly database: string;
  readonly schema: string;
  readonly fleet: Fleet;
  readonly worker: Worker;
  readonly turn: FleetTurn;
  readonly approval: Approval;
  readonly errors: unknown[];
}

/** Starts a fleet whose agent asks for `make`, with these terms. */
export async function asking(
  terms?: ApprovalTerms,
  options: Pick<OpenFleetOptions, 'authorize'> = {},
): Promise<Asking> {
  const place = await testDatabase();
  const fleet = await openFleet({ ...place, ...options, limits });
  const errors: unknown[] = [];
  const agent = scriptedAgent(
    (turn) => turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }).say('built'),
    { approvals: () => terms },
  );
  const worker = await startWorker({ ...place, limits, agent, onError: (error) => errors.push(error) });
  const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
  for await (const item of turn.follow()) if (item.kind === 'permission-requested') break;
  // On a busy machine, a short time for the answer may be over.
  const [approval] = [...(await fleet.approvals()), ...(await fleet.approvals({ state: 'expired' }))];
  if (approval === undefined) throw new Error('The turn does not wait for an approval.');
  const end = async (): Promise<void> => {
    await worker.stop();
    await fleet.close();
  };
  return { ...place, fleet, worker, turn, approval, errors, [Symbol.asyncDispose]: end };
}
