import type { Context } from '@opentelemetry/api';
import { type Message, type SystemMessage, toolResultsOf, toolUsesOf } from 'coxswain';
import { AgentTrace } from './agent-trace.ts';
import { attributeNames as names, spanNames } from './names.ts';
import type { OpenSpan } from './open-span.ts';
import type { RunScope } from './scope.ts';

/** The error type of spans that were open when the CLI or the turn ended. */
const CUT_OFF = 'cut-off';

/** Answers, tools, subagents and background work of one run, from its messages. */
export class WorkTrace {
  readonly #scope: RunScope;
  readonly #tools = new Map<string, Tool>();
  /** Subagents by the tool call that started them. */
  readonly #subagents = new Map<string, AgentTrace>();
  readonly #tasks = new Map<string, Task>();

  constructor(scope: RunScope) {
    this.#scope = scope;
  }

  /** Takes a message. `main` is the agent of the turn that the message belongs to. */
  message(message: Message, at: number, main: AgentTrace | undefined): void {
    if (message.type === 'system') return this.#system(message, at, main);
    if (message.type !== 'assistant' && message.type !== 'user' && message.type !== 'stream_event') return;
    const agent = this.#agentOf(message, at, main);
    if (agent === undefined) return;
    if (message.type === 'assistant') {
      agent.answer(message, at);
      for (const { id, name, input } of toolUsesOf(message)) this.#started(agent, id, name, input, at);
    } else if (message.type === 'stream_event') {
      agent.streamed(message.event);
    } else {
      // The echo of a prompt may arrive late: the model received the prompt when the turn started.
      if (message.isReplay !== true) agent.input(at);
      for (const result of toolResultsOf(message)) this.#finished(result, at);
    }
  }

  /** The span of a running tool call. */
  toolContext(toolUseId: string | undefined): Context | undefined {
    return toolUseId === undefined ? undefined : this.#tools.get(toolUseId)?.span.context;
  }

  /** Ends the spans of a turn, except those of background work, which continues. */
  turnEnded(main: AgentTrace, at: number): void {
    const inBackground = new Set([...this.#tasks.values()].map(({ toolUseId }) => toolUseId));
    for (const [id, tool] of this.#tools) {
      if (tool.agent === main || (tool.agent.root === main && !this.#works(tool.agent))) this.#endTool(id, at, CUT_OFF);
    }
    for (const [id, agent] of this.#subagents) {
      if (agent.root === main && !inBackground.has(id)) this.#endSubagent(id, at, CUT_OFF);
    }
  }

  /** Ends everything: the CLI has exited. */
  cutOff(at: number): void {
    for (const id of [...this.#tools.keys()]) this.#endTool(id, at, CUT_OFF);
    for (const id of [...this.#subagents.keys()]) this.#endSubagent(id, at, CUT_OFF);
    for (const id of [...this.#tasks.keys()]) this.#endTask(id, at, null);
  }

  #agentOf(message: Attributed, at: number, main: AgentTrace | undefined): AgentTrace | undefined {
    const id = message.parent_tool_use_id;
    return typeof id === 'string' ? this.#subagent(id, at, main, message.subagent_type) : main;
  }

  #subagent(id: string, at: number, main: AgentTrace | undefined, type: string | undefined): AgentTrace | undefined {
    const known = this.#subagents.get(id);
    const tool = this.#tools.get(id);
    const root = tool?.agent.root ?? main;
    if (known !== undefined || root === undefined) return known;
    const parent = tool?.span.context ?? root.span.context;
    const name = type ?? 'subagent';
    const agent = new AgentTrace(this.#scope, { parent, name, at, attributes: { [names.toolCall]: id }, root });
    this.#subagents.set(id, agent);
    return agent;
  }

  #started(agent: AgentTrace, id: string, name: string, input: unknown, at: number): void {
    if (this.#tools.has(id)) return;
    const span = this.#scope.span(`${spanNames.tool} ${name}`, agent.span.context, at, {
      [names.operation]: 'execute_tool',
      [names.tool]: name,
      [names.toolCall]: id,
      [names.toolType]: 'function',
      ...this.#scope.content.toolInput(input),
    });
    this.#tools.set(id, { span, name, agent });
  }

  #finished(result: ReturnType<typeof toolResultsOf>[number], at: number): void {
    const { tool_use_id: id, content, is_error: failed } = result;
    this.#tools.get(id)?.span.set(this.#scope.content.toolResult(content));
    this.#endTool(id, at, failed ? 'tool_error' : undefined);
    const agent = this.#subagents.get(id);
    // The result of a background subagent only confirms its start.
    if (agent && !this.#works(agent)) this.#endSubagent(id, at, failed ? 'tool_error' : undefined);
  }

  #system(message: SystemMessage, at: number, main: AgentTrace | undefined): void {
    if (message.subtype === 'task_started') {
      const { task_id: id, tool_use_id: toolUseId, task_type: type } = message;
      if (typeof id !== 'string' || this.#tasks.has(id)) return;
      const agent =
        type === 'local_agent' && typeof toolUseId === 'string'
          ? this.#subagent(toolUseId, at, main, textOf(message, 'subagent_type'))
          : undefined;
      agent?.span.set({ [names.agentId]: id });
      const parent = this.toolContext(toolUseId) ?? main?.span.context;
      const span =
        agent || !parent ? undefined : this.#scope.span(spanNames.task, parent, at, { [names.taskType]: type });
      this.#tasks.set(id, { toolUseId, agent, span });
    } else if (message.subtype === 'task_notification') {
      this.#endTask(message.task_id, at, message.status);
    }
  }

  #works(agent: AgentTrace): boolean {
    return [...this.#tasks.values()].some((task) => task.agent === agent);
  }

  #endTool(id: string, at: number, errorType: string | undefined): void {
    const tool = this.#tools.get(id);
    if (tool === undefined) return;
    this.#tools.delete(id);
    const seconds = tool.span.end(at, errorType) ?? 0;
    this.#scope.instruments.record('tool', seconds, {
      [names.operation]: 'execute_tool',
      [names.tool]: tool.name,
      ...(errorType !== undefined && { [names.errorType]: errorType }),
    });
  }

  #endSubagent(id: string, at: number, errorType: string | undefined): void {
    this.#subagents.get(id)?.end(at, errorType);
    this.#subagents.delete(id);
  }

  #endTask(id: string, at: number, status: string | null): void {
    const task = this.#tasks.get(id);
    if (task === undefined) return;
    this.#tasks.delete(id);
    const errorType = status === 'completed' ? undefined : (status ?? CUT_OFF);
    const attributes = { [names.taskStatus]: status ?? CUT_OFF };
    task.span?.set(attributes);
    task.span?.end(at, errorType);
    if (task.agent === undefined || task.toolUseId === undefined) return;
    task.agent.span.set(attributes);
    this.#endSubagent(task.toolUseId, at, errorType);
  }
}

interface Tool {
  readonly span: OpenSpan;
  readonly name: string;
  readonly agent: AgentTrace;
}

/** Background work: a subagent, or other work with its own span. */
interface Task {
  readonly toolUseId: string | undefined;
  readonly agent: AgentTrace | undefined;
  readonly span: OpenSpan | undefined;
}

interface Attributed {
  readonly parent_tool_use_id: string | null;
  readonly subagent_type?: string;
}

function textOf(message: object, field: string): string | undefined {
  const value: unknown = Reflect.get(message, field);
  return typeof value === 'string' ? value : undefined;
}
