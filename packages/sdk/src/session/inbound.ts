import { InboundRequests } from '../callbacks/inbound-requests.ts';
import type { PermissionEvent } from '../callbacks/permission-dispatch.ts';
import { ignoresDecision } from '../cli/feature-gate.ts';
import { steadyNow } from '../clock.ts';
import { ToolServers } from '../mcp/tool-servers.ts';
import { copyOf } from '../report/redacted.ts';
import type { InContext } from '../timing/caller.ts';
import { interruptSession } from './interrupt.ts';
import type { LiveSession, SessionTap } from './live.ts';

/** The in-process tool servers of a session; `undefined` when it has none. */
export function createToolServers(session: LiveSession): ToolServers | undefined {
  const { toolServers } = session.plan;
  if (Object.keys(toolServers).length === 0) return undefined;
  return new ToolServers(toolServers, {
    limits: session.limits,
    context: contextOf(session),
    send: (server, message) => session.requests.post('mcp_message', { server_name: server, message }),
    warn: (warning) => session.warn(warning),
    report: (event) => session.report.event(event),
  });
}

/** Connects the callbacks of a session with the session. */
export function createInboundRequests(session: LiveSession): InboundRequests {
  const { options } = session.plan.run;
  return new InboundRequests({
    hooks: session.plan.hooks,
    canUseTool: options.canUseTool,
    updates: options,
    onElicitation: options.onElicitation,
    onControlRequest: options.onControlRequest,
    tools: session.tools,
    limits: session.limits,
    now: steadyNow,
    sessionId: () => session.id,
    context: contextOf(session),
    // The caller may have turned the version check off. `stop` stays: an interrupt ends the turn in every release.
    ignores: (decision) =>
      (!options.skipVersionCheck || decision === 'stop') && ignoresDecision(session.release, decision),
    refusesPrompt: () => session.turns.refusesPrompt(),
    write: (line) => session.link?.postLine(line),
    interrupt: () => void interruptSession(session).catch(() => {}),
    awaited: (awaited) => {
      session.turns.callbackRuns = awaited;
      session.tap?.awaited(awaited);
    },
    warn: (warning) => session.warn(warning),
    report: permissionReport(session),
  });
}

/** Puts permission requests and their answers into the turn that they came in, and reports them. */
function permissionReport(session: LiveSession): (event: PermissionEvent) => void {
  /** By request: the next turn may run when its answer comes. */
  const feeds = new Map<string, SessionTap['feed']>();
  return (event) => {
    if (event.type === 'permission-requested') {
      const { request } = event;
      // The messages of a query come from its tap, not from its turn.
      const { feed } = session.tap ?? session.turns.current ?? {};
      if (feed) feeds.set(request.id, feed);
      feed?.permission({ kind: 'permission-requested', id: request.id, request: copyOf(request) });
    } else if (event.type === 'permission-answered') {
      const { id, tool, decision, ms } = event;
      feeds.get(id)?.permission({ kind: 'permission-answered', id, tool, decision, ms });
      feeds.delete(id);
    }
    session.report.event(event);
  };
}

function contextOf(session: LiveSession): () => InContext {
  return () => session.turns.current?.inContext ?? session.inContext;
}
