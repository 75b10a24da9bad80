import type { EventSink } from '../callbacks/callback-request.ts';
import { CliRequestHandler } from '../callbacks/cli-request-handler.ts';
import type { PermissionDeps } from '../callbacks/permission-dispatch.ts';
import { ignoresDecision } from '../cli/feature-gate.ts';
import { steadyNow } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { ToolServers } from '../mcp/tool-servers.ts';
import type { EventBody } from '../report/events.ts';
import type { Feed } from '../stream/feed.ts';
import type { InContext } from '../timing/caller.ts';
import type { Warning } from '../warnings/warning.ts';
import type { OwnerRules } from './owner-rules.ts';
import type { Parking } from './parking.ts';
import type { SessionPlan } from './plan.ts';
import type { TurnRunner } from './turn-runner.ts';

/** The parts of a conversation that its callbacks use. */
export interface CallbackHost {
  readonly plan: SessionPlan;
  readonly limits: Limits;
  readonly rules: OwnerRules;
  readonly turns: TurnRunner;
  readonly parking: Pick<Parking, 'askedAgain' | 'settle'>;
  readonly release: string | undefined;
  /** The id of the conversation, if it is known. */
  readonly id: string | undefined;
  /** The async context in which the session was opened. */
  readonly inContext: InContext;
  readonly report: EventSink<EventBody>;
  readonly connection: {
    readonly requests: { post(subtype: string, payload: object): void };
    /** Writes one line without waiting. */
    post(line: string): void;
  };
  interrupt(): Promise<unknown>;
  warn(warning: Warning): void;
}

/** The in-process tool servers of a conversation; `undefined` when it has none. */
export function createToolServers(host: CallbackHost): ToolServers | undefined {
  const { toolServers } = host.plan;
  if (Object.keys(toolServers).length === 0) return undefined;
  return new ToolServers(toolServers, {
    limits: host.limits,
    context: contextOf(host),
    send: (server, message) => host.connection.requests.post('mcp_message', { server_name: server, message }),
    warn: (warning) => host.warn(warning),
    report: host.report,
  });
}

/** Connects the callbacks in the options with the conversation. */
export function connectCallbacks(host: CallbackHost, tools: ToolServers | undefined): CliRequestHandler {
  const { options } = host.plan.run;
  return new CliRequestHandler({
    hooks: host.plan.hooks,
    canUseTool: options.canUseTool,
    askedAgain: host.parking.askedAgain,
    settle: (id, answer, write, stopping) => host.parking.settle(id, answer, write, stopping),
    updates: options,
    onElicitation: options.onElicitation,
    onControlRequest: options.onControlRequest,
    tools,
    limits: host.limits,
    now: steadyNow,
    sessionId: () => host.id,
    context: contextOf(host),
    // The caller may have turned the version check off. `stop` stays: an interrupt ends the turn in every release.
    ignores: (decision) =>
      (options.versionCheck !== 'off' || decision === 'stop') && ignoresDecision(host.release, decision),
    refusesPrompt: () => host.turns.refusesPrompt(),
    write: (line) => host.connection.post(line),
    interrupt: () => void host.interrupt().catch(() => {}),
    awaited: (awaited) => {
      host.turns.callbackRuns = awaited;
      host.rules.awaited?.(awaited);
    },
    warn: (warning) => host.warn(warning),
    report: host.report,
    ...permissionItems(host),
  });
}

/** Adds permission requests and their answers to the items of their turn, if its reader requested them. */
function permissionItems({ rules, turns }: CallbackHost): Pick<PermissionDeps, 'requested' | 'answered'> {
  /** By request: the next turn may run when the answer arrives. */
  const feeds = new Map<string, Pick<Feed, 'permission'>>();
  return {
    requested: (request) => {
      const feed = rules.feed ?? turns.current?.feed;
      if (!feed?.takesPermissions) return;
      feeds.set(request.id, feed);
      feed.permission({ kind: 'permission-requested', id: request.id, request });
    },
    answered: ({ id, toolName: tool }, decision, ms) => {
      feeds.get(id)?.permission({ kind: 'permission-answered', id, tool, decision, ms });
      feeds.delete(id);
    },
  };
}

function contextOf(host: CallbackHost): () => InContext {
  return () => host.turns.current?.inContext ?? host.inContext;
}
