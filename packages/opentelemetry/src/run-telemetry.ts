import { type Attributes, type Context, context } from '@opentelemetry/api';
import type { Message, RunEvent, TurnCost } from 'coxswain';
import type { ObservedMessage, ObservedPrompt, ObservedRun, ObservedTurnEnd, RunWatcher } from 'coxswain/observe';
import { AgentTrace } from './agent-trace.ts';
import { cliEnvironment } from './cli-environment.ts';
import { eventNames, attributeNames as names, spanNames } from './names.ts';
import type { OpenSpan } from './open-span.ts';
import type { TelemetryOptions } from './options.ts';
import { Permissions } from './permissions.ts';
import type { RunScope } from './scope.ts';
import { WorkTrace } from './work-trace.ts';

/** Outcomes of turns that are not failures. */
export const NO_FAILURES: ReadonlySet<string> = new Set([
  'completed',
  'interrupted',
  'cancelled',
  'deferred',
  'stopped-by-hook',
]);

/** Traces and measures one query or one session. */
export class RunTelemetry implements RunWatcher {
  readonly #run: ObservedRun;
  readonly #scope: RunScope;
  readonly #options: TelemetryOptions;
  /** The context in which the run was opened. */
  readonly #opened: Context = context.active();
  readonly #work: WorkTrace | undefined;
  readonly #permissions: Permissions;
  /** Turns by id; a turn that is sent again has two. */
  readonly #turns = new Map<string, TurnTrace>();
  /** The running turn. */
  #current: TurnTrace | undefined;
  /** A turn that the CLI started on its own. */
  #background: AgentTrace | undefined;
  #backgroundCost: TurnCost | undefined;
  /** The span of the CLI process; for a query, the span of its turn. */
  #process: OpenSpan | undefined;
  #incarnation = 0;
  /** When the CLI process of a session exited, and with which error. */
  #exit: ProcessExit | undefined;
  #stopping = false;
  #over = false;

  constructor(run: ObservedRun, scope: RunScope, options: TelemetryOptions) {
    this.#run = run;
    this.#scope = scope;
    this.#options = options;
    this.#work = options.cliTelemetry === 'cli' ? undefined : new WorkTrace(scope);
    this.#permissions = new Permissions(scope);
    if (run.kind === 'session') scope.instruments.record('sessions', 1);
  }

  /** Whether the run and all its turns have ended. */
  get ended(): boolean {
    return this.#over && this.#turns.size === 0;
  }

  environment(): Readonly<Record<string, string>> {
    return cliEnvironment(this.#options, this.#cliParent(Date.now()));
  }

  prompt({ turn: id, content, steers, job, at }: ObservedPrompt): void {
    if (steers) return this.#turns.get(id)?.agent.span.event(eventNames.steered, at);
    const agent = new AgentTrace(this.#scope, {
      parent: context.active(),
      name: this.#agentName,
      at,
      attributes: {
        [names.turn]: id,
        ...(this.#run.options.model !== undefined && { [names.requestModel]: this.#run.options.model }),
        ...(job !== null && { [names.job]: job }),
        ...this.#place,
        ...this.#scope.content.prompt(content),
      },
    });
    this.#turns.set(id, { agent, ids: [id], at, begunAt: undefined });
    this.#scope.instruments.record('waiting', 1);
  }

  message({ message, turn, at }: ObservedMessage): void {
    if (this.#scope.conversation === undefined || isInit(message)) this.#noteConversation(message);
    if (message.type === 'system' && message.subtype === 'api_retry') {
      const status = message.error_status === null ? {} : { [names.status]: message.error_status };
      this.#current?.agent.span.event(eventNames.retry, at, status);
    }
    const traced = turn === null ? undefined : this.#turns.get(turn);
    this.#work?.message(message, at, traced?.agent ?? (turn === null ? this.#inBackground(message, at) : undefined));
    if (turn === null && message.type === 'result') this.#endBackground(at);
  }

  event(event: RunEvent): void {
    const { at } = event;
    switch (event.type) {
      case 'started':
        this.#process?.set(event.pid === null ? {} : { [names.pid]: event.pid });
        // A one-shot query has no turns.
        if (this.#run.kind === 'query') this.#began(this.#run.id, at);
        return;
      case 'ready':
        this.#scope.conversation = event.sessionId ?? this.#scope.conversation;
        return;
      case 'turn-started':
        return this.#began(event.turn, at);
      case 'turn-ended':
        if (this.#current?.ids.includes(event.turn)) this.#current = undefined;
        return;
      case 'turn-interrupted':
        return this.#interrupted(event.turn, event.replayedAs, at);
      case 'cost-reported':
        // The cost of a turn is reported at its end.
        if (event.turn !== null) return;
        this.#backgroundCost = event.cost;
        return this.#scope.instruments.cost(event.cost, { [names.background]: true });
      case 'warning':
        this.#scope.instruments.record('warnings', 1, { [names.warning]: event.warning.code });
        (this.#current?.agent.span ?? this.#process)?.event(eventNames.warning, at, {
          [names.warning]: event.warning.code,
        });
        return;
      case 'restarted':
        return this.#scope.instruments.record('restarts', 1);
      case 'callback-ended':
        if (event.kind === 'permission') return this.#permissions.called(event);
        if (event.kind !== 'hook') return;
        return this.#scope.instruments.record('hook', event.ms / 1_000, {
          ...(event.event !== null && { [names.hookEvent]: event.event }),
          [names.decision]: event.decision,
        });
      case 'permission-requested': {
        const { request } = event;
        const turn = this.#current?.agent.span.context ?? this.#process?.context ?? this.#opened;
        return this.#permissions.requested(request, this.#work?.toolContext(request.toolUseId) ?? turn, at);
      }
      case 'permission-answered':
        return this.#permissions.answered(event);
      case 'state-changed':
        this.#stopping ||= event.state === 'stopping';
        return;
      case 'exit':
        // The messages of a query may be read after the exit.
        if (this.#run.kind === 'session') this.#exited(at, event);
        return;
      case 'restarting':
        return this.#endProcess(at, event.cause ? String(event.cause.code ?? event.cause.name) : undefined);
      case 'failed':
        return this.#finished(at, String(event.error.code ?? event.error.name));
      case 'stopped':
      case 'ended':
        return this.#finished(at);
    }
  }

  turnEnded({ turn, outcome, error, cost }: ObservedTurnEnd): void {
    const traced = this.#turns.get(turn);
    if (traced === undefined) return;
    const failure = error === null ? undefined : String(error.code ?? error.name);
    const errorType = failure ?? (outcome === null || NO_FAILURES.has(outcome) ? undefined : outcome);
    traced.agent.span.set({ ...costAttributes(cost), ...(outcome !== null && { [names.outcome]: outcome }) });
    this.#scope.instruments.cost(cost, {});
    const at = Date.now();
    this.#endTurn(traced, at, errorType);
    // The process has exited or is being stopped; the exit event may precede the last messages.
    if (this.#run.kind === 'query') this.#cutOff(at);
  }

  /** Stops observing: ends every span. */
  end(): void {
    const at = Date.now();
    for (const traced of new Set(this.#turns.values())) this.#endTurn(traced, at, undefined);
    this.#finished(at);
  }

  /** A query has one process and one span; each process of a session has its own span. */
  #cliParent(at: number): Context {
    if (this.#run.kind === 'query') {
      this.#process = this.#turns.get(this.#run.id)?.agent.span;
      return this.#process?.context ?? this.#opened;
    }
    this.#endProcess(at);
    const attributes = { [names.incarnation]: this.#incarnation++, ...this.#place };
    this.#process = this.#scope.span(spanNames.cli, this.#opened, at, attributes);
    return this.#process.context;
  }

  get #agentName(): string {
    return this.#run.options.agent ?? 'claude-code';
  }

  get #place(): Attributes {
    const { pool } = this.#run;
    if (pool === undefined) return {};
    return { [names.slot]: pool.slot, ...(pool.key !== null && { [names.key]: pool.key }) };
  }

  #noteConversation(message: Message): void {
    if ('session_id' in message && typeof message.session_id === 'string')
      this.#scope.conversation = message.session_id;
  }

  #began(id: string, at: number): void {
    const traced = this.#turns.get(id);
    if (traced === undefined) return;
    this.#current = traced;
    const { agent } = traced;
    agent.input(at);
    if (this.#process && this.#process !== agent.span) agent.span.link(this.#process.spanContext);
    if (traced.begunAt !== undefined) return;
    traced.begunAt = at;
    const waited = Math.max(at - traced.at, 0) / 1_000;
    agent.span.set({ [names.waited]: waited });
    agent.span.event(eventNames.started, at);
    this.#scope.instruments.record('waiting', -1);
    this.#scope.instruments.record('waited', waited);
  }

  #interrupted(id: string, replayedAs: string | null, at: number): void {
    const traced = this.#turns.get(id);
    if (traced === undefined || replayedAs === null) return;
    traced.ids.push(replayedAs);
    traced.agent.cutOff();
    traced.agent.span.event(eventNames.replayed, at, { [names.turn]: replayedAs });
    this.#turns.set(replayedAs, traced);
  }

  #endTurn(traced: TurnTrace, at: number, errorType: string | undefined): void {
    for (const id of traced.ids) this.#turns.delete(id);
    if (this.#current === traced) this.#current = undefined;
    this.#work?.turnEnded(traced.agent, at);
    traced.agent.end(at, errorType);
    if (traced.begunAt === undefined) this.#scope.instruments.record('waiting', -1);
    this.#scope.instruments.record('agent', Math.max(at - (traced.begunAt ?? traced.at), 0) / 1_000, {
      [names.agent]: this.#agentName,
      [names.provider]: 'anthropic',
      ...(errorType !== undefined && { [names.errorType]: errorType }),
    });
  }

  /** The trace of a turn that the CLI started on its own; its first answer opens it. */
  #inBackground(message: Message, at: number): AgentTrace | undefined {
    if (message.type !== 'assistant' || message.parent_tool_use_id !== null) return this.#background;
    this.#background ??= new AgentTrace(this.#scope, {
      parent: this.#process?.context ?? this.#opened,
      name: this.#agentName,
      at,
      attributes: { [names.background]: true, ...this.#place },
    });
    return this.#background;
  }

  #endBackground(at: number, errorType?: string): void {
    const agent = this.#background;
    if (agent === undefined) return;
    if (this.#backgroundCost) agent.span.set(costAttributes(this.#backgroundCost));
    this.#background = undefined;
    this.#backgroundCost = undefined;
    this.#work?.turnEnded(agent, at);
    agent.end(at, errorType);
  }

  /** The next event has the reason of the exit, so the span ends then. */
  #exited(at: number, exit: ExitEvent): void {
    this.#cutOff(at);
    if (exit.exitCode !== null) this.#process?.set({ [names.exitCode]: exit.exitCode });
    this.#exit = { at, errorType: exitError(exit, this.#stopping) };
  }

  /** `errorType` is the failure of the session, which is less specific than a bad exit. */
  #endProcess(at: number, errorType?: string): void {
    this.#cutOff(at);
    if (this.#scope.conversation !== undefined) {
      this.#process?.set({ [names.conversation]: this.#scope.conversation });
    }
    this.#process?.end(this.#exit?.at ?? at, this.#exit?.errorType ?? errorType);
    this.#process = undefined;
    this.#exit = undefined;
  }

  /** Ends all open spans of the CLI. */
  #cutOff(at: number): void {
    this.#work?.cutOff(at);
    this.#permissions.end(at);
    this.#endBackground(at, 'cut-off');
  }

  /** Ends the run. The ends of its turns follow when their costs are known. */
  #finished(at: number, errorType?: string): void {
    if (this.#over) return;
    this.#over = true;
    // The process span of a query is the span of its turn.
    if (this.#run.kind === 'query') return this.#cutOff(at);
    this.#endProcess(at, errorType);
    this.#scope.instruments.record('sessions', -1);
  }
}

type ExitEvent = Extract<RunEvent, { type: 'exit' }>;

interface ProcessExit {
  readonly at: number;
  readonly errorType: string | undefined;
}

/** The error of an exit; undefined if the CLI was asked to exit, unless it had to be killed. */
function exitError({ exitCode, signal, ended }: ExitEvent, asked: boolean): string | undefined {
  if (ended === 'killed') return 'killed';
  if (asked || ended !== 'by-itself') return undefined;
  return signal ?? (exitCode === 0 ? undefined : `exit_${exitCode ?? 'unknown'}`);
}

/** A turn from its prompt to its end. */
interface TurnTrace {
  readonly agent: AgentTrace;
  readonly ids: string[];
  /** When the caller sent the prompt. */
  readonly at: number;
  /** When the CLI started the turn. */
  begunAt: number | undefined;
}

function isInit(message: Message): boolean {
  return message.type === 'system' && message.subtype === 'init';
}

function costAttributes({ costUsd, usage, complete }: TurnCost): Attributes {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = usage;
  return {
    [names.inputTokens]: inputTokens + cacheReadTokens + cacheCreationTokens,
    [names.outputTokens]: outputTokens,
    [names.cacheRead]: cacheReadTokens,
    [names.cacheCreation]: cacheCreationTokens,
    [names.cost]: costUsd,
    [names.costComplete]: complete,
  };
}
