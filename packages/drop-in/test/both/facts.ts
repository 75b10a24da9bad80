import type { SDKMessage, SDKUserMessage } from '@coxswain/drop-in';
import type { Sdk } from './sdks.ts';

/** A message in one or two words, for lists of them. */
export function label(message: SDKMessage): string {
  // Only the fields that some kinds of message have.
  const { type, subtype, is_error, event, message: inner, state, status, isReplay } = message as Loose;
  const blocks = Array.isArray(inner?.content) ? inner.content.map((block) => block.type).join('+') : undefined;
  return [
    type,
    subtype,
    event?.type,
    blocks,
    state,
    status,
    is_error === true && 'error',
    isReplay === true && 'replay',
  ]
    .filter((part) => part !== undefined && part !== null && part !== false)
    .join(' ');
}
interface Loose {
  readonly type: string;
  readonly subtype?: string;
  readonly is_error?: boolean;
  readonly event?: { readonly type: string };
  readonly message?: { readonly content?: unknown };
  readonly state?: string;
  readonly status?: string | null;
  readonly isReplay?: boolean;
}

/** The labels in order, without consecutive repeats. */
export function labels(messages: readonly SDKMessage[]): string[] {
  const all = messages.map(label);
  return all.filter((one, index) => one !== all[index - 1]);
}

/** The properties by which a program can identify an error. */
export function errorOf(error: unknown, sdk: Sdk): unknown {
  if (error === undefined) return 'nothing';
  if (!(error instanceof Error)) return { thrown: String(error) };
  return { name: error.name, message: error.message, abort: error instanceof sdk.AbortError };
}

/** The fields by which programs classify an error without reading its text. */
export function classOf(error: unknown): { errorClass: unknown; telemetryMessage: unknown } | undefined {
  if (!(error instanceof Error)) return undefined;
  // Undeclared in both packages.
  const { errorClass, telemetryMessage } = error as { errorClass?: unknown; telemetryMessage?: unknown };
  return { errorClass, telemetryMessage };
}

/** The rejection of a promise in the format of {@link errorOf}; its value if it fulfils. */
export async function outcomeOf(promise: Promise<unknown>, sdk: Sdk): Promise<unknown> {
  return promise.then(
    (value) => ({ value: value ?? null }),
    (error: unknown) => errorOf(error, sdk),
  );
}

/** The exception of a function; otherwise its value. */
export function thrownBy(run: () => unknown, sdk: Sdk): unknown {
  try {
    return { value: run() ?? null };
  } catch (error) {
    return errorOf(error, sdk);
  }
}

/** The names of the fields with a value. */
export function keysOf(value: unknown): string[] {
  return Object.entries(value ?? {})
    .filter(([, one]) => one !== undefined)
    .map(([key]) => key)
    .sort();
}

/** A user message for an iterable prompt. */
export function userMessage(content: string, more: Partial<SDKUserMessage> = {}): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more };
}

/** An input for several turns: `send()` adds a prompt, `end()` closes it. */
export class Input implements AsyncIterable<SDKUserMessage> {
  readonly #waiting: SDKUserMessage[];
  #wake: () => void = () => {};
  #over = false;

  constructor(...first: (string | SDKUserMessage)[]) {
    this.#waiting = first.map(asMessage);
  }

  send(prompt: string | SDKUserMessage): void {
    this.#waiting.push(asMessage(prompt));
    this.#wake();
  }

  end(): void {
    this.#over = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (this.#over) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

const asMessage = (prompt: string | SDKUserMessage): SDKUserMessage =>
  typeof prompt === 'string' ? userMessage(prompt) : prompt;
