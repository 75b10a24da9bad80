import type { Hono } from 'hono';
import type { OpenedProgram, ProgramInfo, ProgramsPage } from '../api.ts';
import type { Hub } from '../conversations/hub.ts';
import { type RunningProgram, runningPrograms } from '../programs/running.ts';
import { Refusal } from '../refusal.ts';
import { oneLine } from '../transcript/cut.ts';
import type { Env } from './access.ts';

/** How the other programs are listed. */
export interface ProgramList {
  /** The id of this inspector, which is left out. */
  readonly own: string;
  /** Whether the page gets addresses with tokens. */
  readonly canOpen: boolean;
}

/** The other programs of this user. Their tokens leave the server only when a person opens one of them. */
export function addPrograms(app: Hono<Env>, hub: Hub, { own, canOpen }: ProgramList): void {
  app.get('/api/programs', async (context) => {
    const programs = (await runningPrograms()).filter(({ id }) => id !== own).map(infoOf);
    return context.json({ programs, canOpen } satisfies ProgramsPage);
  });

  app.post('/api/programs/:id/open', async (context) => {
    const id = context.req.param('id');
    const actor = { by: context.get('user') };
    const opened = await hub.perform(
      { conversation: '', action: 'open-program', note: oneLine(id) },
      actor,
      async () => {
        if (!canOpen) {
          const how = 'This inspector can be reached from other machines: run cox ui --attach on the machine itself.';
          throw new Refusal('not-possible', how);
        }
        const program = (await runningPrograms()).find((one) => one.id === id && id !== own);
        if (!program) throw new Refusal('not-found', 'This program has closed its inspector.');
        return { note: `${program.name} (${program.pid})`, result: { url: program.url } satisfies OpenedProgram };
      },
    );
    return context.json(opened);
  });
}

function infoOf({ url: _, port: __, ...info }: RunningProgram): ProgramInfo {
  return info;
}
