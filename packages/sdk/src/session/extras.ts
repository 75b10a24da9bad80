import type { CoxswainError } from '../errors/base.ts';
import type { ExitReport } from '../process/transport.ts';
import type { Report } from '../report/report.ts';
import type { Unnumbered } from '../stream/feed.ts';
import type { PermissionItem } from '../stream/items.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';
import type { CostAccount } from './cost-ledger.ts';
import type { Observers } from './observers.ts';

/** Sees everything that comes out of a session, in order: a query that runs as one. */
export interface SessionTap {
  message(message: Message, rawJson: string, at: number): void;
  warning(warning: Warning): void;
  permission(item: Unnumbered<PermissionItem>): void;
  /** A line could not be decoded; `inARow` counts those since the last that could. */
  undecodable(error: CoxswainError, inARow: number): void;
  /** A line over the limit was dropped. */
  oversize(): void;
  /** stdout has ended: with the process, with a failure, or, without either, while the process ran on. */
  ended(end: { exit?: ExitReport; failure?: Error | undefined; unfinishedLine?: string | undefined }): void;
}

/** What may be given to a session besides its plan. */
export interface SessionExtras {
  /** Nothing is started: the session only has this error to give. */
  readonly refusal?: Error | undefined;
  /** Sees what no turn keeps. */
  readonly tap?: SessionTap | undefined;
  /** Where it tells what happens, when that is more than itself. */
  readonly report?: Report | undefined;
  readonly observers?: Observers | undefined;
  /** Where it adds up what it costs, when that is more than itself. */
  readonly account?: CostAccount | undefined;
  /** Somebody waits for its end to begin anew, and must not lose the host meanwhile. */
  readonly outlived?: boolean;
}
