import type { Message } from 'coxswain';

/** Counts the tokens of a turn while it runs: input and output. */
export class TokenCount {
  /** By the id of the answer: the latest usage of an answer replaces the earlier ones. */
  readonly #answers = new Map<string, number>();
  #current = '';

  get total(): number {
    let total = 0;
    for (const tokens of this.#answers.values()) total += tokens;
    return total;
  }

  take(message: Message): void {
    if (message.type === 'assistant') this.#set(message.message.id ?? '', message.message.usage);
    if (message.type !== 'stream_event') return;
    const { event } = message;
    if (event.type === 'message_start') {
      this.#current = event.message.id ?? '';
      this.#set(this.#current, event.message.usage);
    }
    if (event.type === 'message_delta') this.#set(this.#current, event.usage);
  }

  #set(id: string, usage: object | null | undefined): void {
    const tokens = tokensOf(usage);
    if (tokens > (this.#answers.get(id) ?? 0)) this.#answers.set(id, tokens);
  }
}

/** All tokens of a usage, cached ones included. */
function tokensOf(usage: object | null | undefined): number {
  const counted = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'];
  const fields: Readonly<Record<string, unknown>> = { ...usage };
  return counted.reduce((sum, name) => sum + (typeof fields[name] === 'number' ? fields[name] : 0), 0);
}
