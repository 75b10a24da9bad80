import type { Message, PermissionDecision, PermissionRequest, UserContent, Warning } from 'coxswain';
import type { PlainError } from 'coxswain/types';

/** The part of a fleet of `@coxswain/fleet` that the inspector uses. Times are in ms since the epoch. */
export interface WatchableFleet {
  conversations(filter?: { readonly limit?: number }): Promise<readonly FleetConversation[]>;
  turns(filter?: FleetTurnFilter): Promise<readonly FleetTurnInfo[]>;
  turn(id: string): Promise<{
    follow(options: { readonly after: number; readonly signal: AbortSignal }): AsyncIterable<FleetItem>;
    info(): Promise<FleetTurnInfo>;
  }>;
  approvals(filter?: FleetApprovalFilter): Promise<readonly FleetApproval[]>;
  answer(
    id: string,
    answer: FleetAnswer,
    who: { readonly by: string; readonly hash: string; readonly groups?: readonly string[]; readonly from: string },
  ): Promise<void>;
  seen(id: string, who: { readonly by: string; readonly from: string }): Promise<void>;
  cancel(id: string, who: { readonly by: string }): Promise<unknown>;
  resend(id: string, who: { readonly by: string }): Promise<unknown>;
  submit(turn: {
    readonly key: string;
    readonly tenant: string;
    readonly prompt: string;
    readonly by: string;
  }): Promise<unknown>;
  events(options: { readonly signal: AbortSignal }): AsyncIterable<FleetHappening>;
  /** What happened to approvals, oldest first. Older fleets do not have it. */
  audit?(filter: { readonly approval: string; readonly limit: number }): Promise<readonly FleetAuditRecord[]>;
  stats(): Promise<FleetNumbers>;
  spend(filter: { readonly days: number }): Promise<readonly { readonly day: string; readonly usd: number }[]>;
}

export type FleetAnswer = Exclude<PermissionDecision, { decision: 'decideLater' }>;

export interface FleetConversation {
  readonly key: string;
  readonly tenant: string;
  readonly sessionId: string | null;
  readonly turns: number;
  readonly waiting: number;
  readonly running: boolean;
  /** A turn waits for an approval, or for a worker after its answer, without a process. */
  readonly parked: boolean;
  /** The kind of outcome of the last ended turn. Older fleets do not report it. */
  readonly outcome?: string | null;
  readonly costUsd: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface FleetTurnFilter {
  readonly key?: string;
  readonly state?: 'waiting';
  readonly outcome?: string;
  readonly limit?: number;
}

interface FleetApprovalFilter {
  readonly id?: string;
  readonly state?: 'pending' | 'answered' | 'void';
  readonly limit?: number;
}

export interface FleetTurnInfo {
  readonly id: string;
  readonly key: string;
  /** Its number in the conversation, counted from 1. */
  readonly seq: number;
  /** `done` is the final state. */
  readonly state: string;
  readonly prompt: UserContent;
  readonly outcome: { readonly kind: string; readonly message?: string } | null;
  readonly costUsd: number;
  readonly submittedBy: string | null;
  readonly resendOf: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** One item of a turn. */
export type FleetItem = { readonly seq: number; readonly at: number } & (
  | { readonly kind: 'state'; readonly state: string; readonly worker: string | null; readonly attempt: number }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'warning'; readonly warning: Warning }
  | { readonly kind: 'error'; readonly error: PlainError }
  | { readonly kind: 'permission-requested'; readonly approval: string | null; readonly request: PermissionRequest }
  | { readonly kind: 'permission-answered'; readonly requestId: string; readonly decision: string }
  | { readonly kind: 'steered'; readonly steer: string; readonly content: UserContent; readonly by: string }
  | {
      readonly kind: 'retry';
      readonly outcome: { readonly kind: string };
      readonly attempt: number;
      readonly afterMs: number;
    }
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'outcome'; readonly outcome: { readonly kind: string; readonly message?: string } }
);

export interface FleetApproval {
  readonly id: string;
  readonly key: string;
  readonly turn: string;
  readonly request: PermissionRequest;
  readonly hash: string;
  readonly groups: readonly string[] | null;
  readonly expiresAt: number | null;
  readonly onExpiry: 'deny' | 'escalate' | null;
  readonly answer: PermissionDecision | null;
  readonly by: string | null;
  readonly answeredAt: number | null;
  readonly requestedAt: number;
  readonly parkedAt: number | null;
}

interface FleetAuditRecord {
  readonly kind: string;
  readonly by: string | null;
  /** Where the person was. */
  readonly from: string | null;
}

interface FleetHappening {
  readonly kind: string;
  readonly key: string | null;
}

interface FleetNumbers {
  readonly turns: {
    readonly waiting: number;
    readonly delayed: number;
    readonly running: number;
    readonly parked: number;
  };
  readonly outcomesLastHour: Readonly<Record<string, number>>;
  readonly workers: readonly FleetWorker[];
  readonly pauses: readonly { readonly credential: string; readonly reason: string; readonly until: number }[];
  readonly heldBack: readonly FleetQuota[];
  /** Turns that no live worker may run. Older fleets do not report it. */
  readonly unserved?: readonly { readonly waiting: number; readonly reason: string }[];
}

export interface FleetWorker {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly slots: number;
  readonly running: number;
  readonly draining: boolean;
  readonly alive: boolean;
  readonly heartbeatAt: number;
  /** Older fleets do not report it. */
  readonly agents?: readonly FleetAgentOfWorker[];
}

interface FleetAgentOfWorker {
  readonly name: string;
  readonly version: string | null;
  /** The release of the CLI. */
  readonly cli: string | null;
}

/** A tenant whose turns wait because of its quota. */
export interface FleetQuota {
  readonly tenant: string;
  readonly waiting: number;
  readonly running: number;
  readonly usdToday: number;
  readonly maxConcurrent?: number | undefined;
  readonly maxUsdPerDay?: number | undefined;
  readonly reached: string | null;
}

export function isFleet(target: object): target is WatchableFleet {
  return 'submit' in target && 'approvals' in target && 'conversations' in target;
}
