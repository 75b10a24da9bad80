import { onTestFinished } from 'vitest';
import type { AgentOptions } from '../../src/options/option-types.ts';
import type { RunEvent } from '../../src/report/events.ts';
import { openSession } from '../../src/restart/open-session.ts';
import type { Session } from '../../src/session/session.ts';
import { cliPath } from './say.ts';

/** The behaviour of `session-cli.mjs` beyond the protocol. */
export interface Conduct {
  readonly version?: string;
  readonly versionMs?: number;
  readonly exit?: readonly [code: number, stderr: string];
  readonly silent?: boolean;
  readonly stubborn?: boolean;
  readonly parting?: string;
}

/** Opens a session on a process of the fixture CLI; it is stopped at the end of the test. */
export function openProcess(
  conduct: Conduct = {},
  options: AgentOptions = {},
): { session: Session; events: RunEvent[] } {
  const events: RunEvent[] = [];
  const session = openSession({
    cli: cliPath('session-cli.mjs'),
    versionCheck: conduct.version === undefined ? 'off' : undefined,
    orphanGuard: false,
    onEvent: (event) => void events.push(event),
    ...options,
    env: { SESSION_CLI: JSON.stringify(conduct), ...options.env },
    // Generous for a busy machine.
    limits: { versionTimeoutMs: 30_000, ...(conduct.stubborn && { graceMs: 300, termMs: 200 }), ...options.limits },
  });
  onTestFinished(async () => {
    await session.close();
  });
  return { session, events };
}

/** The pid of a session's process, even after its end. */
export function pidOf(events: readonly RunEvent[]): number {
  const pid = events.find((event) => event.type === 'started')?.pid;
  if (typeof pid !== 'number') throw new Error('The process has not started');
  return pid;
}
