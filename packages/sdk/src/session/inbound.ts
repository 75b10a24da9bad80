import type { NewerDecision } from '../callbacks/abilities.ts';
import { InboundRequests, type ToolHost } from '../callbacks/inbound-requests.ts';
import { outcomesLackedBy } from '../cli/feature-gate.ts';
import { steadyNow } from '../clock.ts';
import { ToolServers } from '../mcp/bridge.ts';
import type { InContext } from '../timing/caller.ts';
import { controlRequest } from '../wire/control.ts';
import { interruptSession } from './interrupt.ts';
import type { LiveSession } from './live.ts';
import { PermissionItems } from './permission-items.ts';
import { hasToolServers } from './session-plan.ts';

/** The in-process tool servers of a session; `undefined` when it has none. */
export function createToolServers(session: LiveSession): ToolServers | undefined {
  if (!hasToolServers(session.plan)) return undefined;
  return new ToolServers(session.plan.toolServers, {
    limits: session.limits,
    context: contextOf(session),
    send: (server, message) =>
      session.sendQuietly(controlRequest(crypto.randomUUID(), 'mcp_message', { server_name: server, message })),
    warn: (warning) => session.warn(warning),
    report: (event) => session.report.event(event),
  });
}

/** Connects the callbacks of a session with the session. */
export function createInboundRequests(session: LiveSession, tools: ToolHost | undefined): InboundRequests {
  const { options } = session.plan.run;
  // The messages of a query come from its tap, not from its turn.
  const items = new PermissionItems(() => session.tap ?? session.turns.current?.feed);
  return new InboundRequests({
    hooks: session.plan.hooks,
    canUseTool: options.canUseTool,
    canDecideLater: session.tap === undefined,
    onElicitation: options.onElicitation,
    onControlRequest: options.onControlRequest,
    tools,
    limits: session.limits,
    now: steadyNow,
    sessionId: () => session.id,
    context: contextOf(session),
    unsupportedDecisions: () => unsupportedDecisions(session),
    refusesPrompt: () => session.turns.refusesPrompt(),
    write: (line) => session.link?.postLine(line),
    interrupt: () => void interruptSession(session).catch(() => {}),
    awaited: (awaited) => {
      session.turns.callbackRuns = awaited;
    },
    warn: (warning) => session.warn(warning),
    report: (event) => {
      items.note(event);
      session.report.event(event);
    },
  });
}

function contextOf(session: LiveSession): () => InContext {
  return () => session.turns.current?.inContext ?? session.inContext;
}

function unsupportedDecisions({ release, plan }: LiveSession): ReadonlySet<NewerDecision> {
  const unsupported = outcomesLackedBy(release);
  // The caller has turned the version check off. `stop` stays: an interrupt ends the turn in every release.
  if (plan.run.options.skipVersionCheck) return new Set(unsupported.has('stop') ? ['stop'] : []);
  return unsupported;
}
