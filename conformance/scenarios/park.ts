import { decideLater, type OpenSessionOptions, type ParkedRequest } from 'coxswain';
import type { Host } from './scenario.ts';

/** Sends a prompt and parks the first permission request. */
export async function park(host: Host, prompt: string, options: OpenSessionOptions): Promise<ParkedRequest> {
  let parked: ParkedRequest | undefined;
  await host.session({ ...options, canUseTool: () => decideLater() }, async (session) => {
    const turn = session.send(prompt);
    for await (const item of turn.items({ permissions: true })) {
      if (item.kind !== 'permission-requested') continue;
      parked = await session.park(item.id);
      break;
    }
  });
  if (parked === undefined) throw new Error('No permission was asked for.');
  return parked;
}
