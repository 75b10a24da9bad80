import type { Attributes, Context } from '@opentelemetry/api';
import { type AssistantMessage, textOf } from 'coxswain';
import type { StreamEvent, Usage } from 'coxswain/types';
import { attributeNames as names, spanNames } from './names.ts';
import type { OpenSpan } from './open-span.ts';
import type { RunScope } from './scope.ts';

/** What a trace of an agent starts with. */
export interface AgentStart {
  readonly parent: Context;
  readonly name: string;
  readonly at: number;
  readonly attributes: Attributes;
  /** The agent of the turn that a subagent works for. */
  readonly root?: AgentTrace;
}

/** One turn of an agent, or one run of a subagent: its span, and those of the answers of the model. */
export class AgentTrace {
  readonly span: OpenSpan;
  /** The agent of the turn; itself for that one. */
  readonly root: AgentTrace;
  readonly #scope: RunScope;
  /** When the model last got something to answer. */
  #inputAt: number;
  #chat: Chat | undefined;

  constructor(scope: RunScope, { parent, name, at, attributes, root }: AgentStart) {
    this.#scope = scope;
    this.#inputAt = at;
    this.root = root ?? this;
    this.span = scope.span(`${spanNames.agent} ${name}`, parent, at, {
      [names.operation]: 'invoke_agent',
      [names.provider]: 'anthropic',
      [names.agent]: name,
      ...attributes,
    });
  }

  /** A prompt or a tool result reached the model. */
  input(at: number): void {
    this.#inputAt = at;
  }

  /** A block of an answer. All blocks of one answer have the same id, and others may come in between. */
  answer(message: AssistantMessage, at: number): void {
    const { id, model, usage } = message.message;
    if (this.#chat?.id !== id) this.#endChat();
    this.#chat ??= {
      id,
      model,
      span: this.#chatSpan(id, model, inputOf(usage)),
      lastAt: at,
      texts: [],
      error: undefined,
    };
    this.#chat.lastAt = at;
    if (this.#scope.content.wanted) this.#chat.texts.push(textOf(message));
    if (message.error !== undefined || message.is_api_error_message) this.#chat.error = message.error ?? 'api-error';
  }

  /** With `includePartialMessages`: the count of tokens and the reason for the end of an answer. */
  streamed(event: StreamEvent): void {
    if (event.type !== 'message_delta' || this.#chat === undefined) return;
    // The discriminator is a literal, but unknown events have any type.
    const { delta, usage } = event as Extract<StreamEvent, { delta: { stop_reason: unknown } }>;
    if (typeof usage?.output_tokens === 'number') this.#chat.span.set({ [names.outputTokens]: usage.output_tokens });
    if (typeof delta?.stop_reason === 'string') this.#chat.span.set({ [names.finishReasons]: [delta.stop_reason] });
  }

  end(at: number, errorType?: string): number | undefined {
    this.#endChat();
    if (this.#scope.conversation !== undefined) this.span.set({ [names.conversation]: this.#scope.conversation });
    return this.span.end(at, errorType);
  }

  /** Its answer cannot continue: the CLI is gone. */
  cutOff(): void {
    this.#endChat();
  }

  #chatSpan(id: string, model: string, usage: Attributes): OpenSpan {
    return this.#scope.span(`${spanNames.chat} ${model}`, this.span.context, this.#inputAt, {
      [names.operation]: 'chat',
      [names.provider]: 'anthropic',
      [names.requestModel]: model,
      [names.responseModel]: model,
      [names.responseId]: id,
      ...usage,
    });
  }

  #endChat(): void {
    const chat = this.#chat;
    if (chat === undefined) return;
    this.#chat = undefined;
    chat.span.set(this.#scope.content.answer(chat.texts));
    const seconds = chat.span.end(chat.lastAt, chat.error);
    this.#scope.instruments.record('chat', seconds ?? 0, {
      [names.operation]: 'chat',
      [names.provider]: 'anthropic',
      [names.requestModel]: chat.model,
      ...(chat.error !== undefined && { [names.errorType]: chat.error }),
    });
  }
}

/** One answer of the model. */
interface Chat {
  readonly id: string;
  readonly model: string;
  readonly span: OpenSpan;
  lastAt: number;
  /** Kept only if content is recorded. */
  readonly texts: string[];
  error: string | undefined;
}

function inputOf(usage: Usage | undefined): Attributes {
  if (typeof usage?.input_tokens !== 'number') return {};
  const read = usage.cache_read_input_tokens ?? 0;
  const created = usage.cache_creation_input_tokens ?? 0;
  return {
    [names.inputTokens]: usage.input_tokens + read + created,
    [names.cacheRead]: read,
    [names.cacheCreation]: created,
  };
}
