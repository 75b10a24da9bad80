import { outcomesLackedBy } from '../cli/feature-gate.ts';
import { steadyNow } from '../clock.ts';
import { HookDispatcher } from '../hooks/dispatch.ts';
import type { LateOutcome } from '../hooks/obeyed.ts';
import { isThenable } from '../hooks/open-request.ts';
import { ToolServers } from '../mcp/bridge.ts';
import { PermissionDispatcher } from '../permissions/dispatch.ts';
import type { CanUseTool } from '../permissions/request.ts';
import type { InContext } from '../timing/caller.ts';
import { controlRequest } from '../wire/control.ts';
import { Callbacks } from './callbacks.ts';
import { interruptSession } from './interrupt.ts';
import type { LiveSession } from './live.ts';
import { PermissionItems } from './permission-items.ts';
import { hasToolServers } from './session-plan.ts';

/** Answers the CLI's requests. What it needs for that is made at the first: it would be a fifth of a session. */
export class Answering {
  private readonly session: LiveSession;
  private parts: AnsweringParts | undefined;
  private stopped = false;

  constructor(session: LiveSession) {
    this.session = session;
  }

  get permissions(): PermissionDispatcher {
    return (this.parts ?? this.make()).permissions;
  }

  get callbacks(): Callbacks {
    return (this.parts ?? this.make()).callbacks;
  }

  /** The in-process tool servers; `undefined` when the session has none. */
  get tools(): ToolServers | undefined {
    return hasToolServers(this.session.plan) ? (this.parts ?? this.make()).tools : undefined;
  }

  /** How many requests are unanswered. */
  get open(): number {
    return this.parts?.callbacks.open ?? 0;
  }

  /** Answers everything at once, now and from now on; resolves when the answers are written. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.parts?.callbacks.stop();
  }

  private make(): AnsweringParts {
    const parts = createParts(this.session);
    this.parts = parts;
    if (this.stopped) void parts.callbacks.stop();
    return parts;
  }
}

interface AnsweringParts {
  readonly permissions: PermissionDispatcher;
  readonly callbacks: Callbacks;
  readonly tools: ToolServers | undefined;
}

/** Connects the callbacks of a session with what they need of it. */
function createParts(session: LiveSession): AnsweringParts {
  const { options } = session.plan.run;
  const around = {
    limits: session.limits,
    now: steadyNow,
    sessionId: () => session.id,
    context: (): InContext => session.turns.current?.inContext ?? session.inContext,
    warn: session.warn.bind(session),
    report: session.report.event.bind(session.report),
  };
  // The messages of a query are taken from its tap, not from its turn.
  const items = new PermissionItems(() => session.tap ?? session.turns.current?.feed);
  const permissions = new PermissionDispatcher({
    canUseTool: session.tap ? answeringNow(options.canUseTool) : options.canUseTool,
    ...around,
    report: (event) => {
      items.note(event);
      session.report.event(event);
    },
  });
  const tools = hasToolServers(session.plan)
    ? new ToolServers(session.plan.toolServers, {
        send: (server, message) =>
          session.sendQuietly(controlRequest(crypto.randomUUID(), 'mcp_message', { server_name: server, message })),
        ...around,
      })
    : undefined;
  const callbacks = new Callbacks({
    hooks: new HookDispatcher({
      hooks: session.plan.hooks,
      lacks: lackedOutcomes(session),
      refusesPrompt: () => session.turns.refusesPrompt(),
      ...around,
    }),
    permissions,
    tools,
    onElicitation: options.onElicitation,
    onControlRequest: options.onControlRequest,
    context: around.context,
    write: (line) => session.link?.postLine(line),
    interrupt: () => void interruptSession(session).catch(() => {}),
    awaited: (awaited) => session.turns.callbackRuns(awaited),
    warn: around.warn,
  });
  return { permissions, callbacks, tools };
}

/** Asked for at every hook that gives something back, but different only when the version becomes known. */
function lackedOutcomes(session: LiveSession): () => ReadonlySet<LateOutcome> {
  const { skipVersionCheck } = session.plan.run.options;
  let judged: { readonly release: string | undefined; readonly lacked: ReadonlySet<LateOutcome> } | undefined;
  return () => {
    const { release } = session;
    if (judged === undefined || judged.release !== release) {
      const all = outcomesLackedBy(release);
      // A turn can be interrupted in any case. About the rest the caller has said not to mind the version.
      judged = { release, lacked: skipVersionCheck ? new Set(all.has('stop') ? ['stop'] : []) : all };
    }
    return judged.lacked;
  };
}

/** A query has nobody who could answer later: what is put off there is refused, with a warning. */
function answeringNow(canUseTool: CanUseTool | undefined): CanUseTool | undefined {
  if (canUseTool === undefined) return undefined;
  return (request, context) => {
    const answer = canUseTool(request, context);
    return isThenable(answer) ? Promise.resolve(answer).then(givenNow) : givenNow(answer);
  };
}

function givenNow<A>(answer: A): A {
  if (typeof answer !== 'object' || answer === null || !('outcome' in answer) || answer.outcome !== 'later')
    return answer;
  throw new Error('decideLater() needs a session, which has answerPermission(): use openSession(), or decide at once.');
}
