import { textOf } from '../messages/content.ts';
import { field, stringField } from '../messages/fields.ts';
import { ITEM_BYTES } from '../stream/queue.ts';
import type { Message } from '../wire/messages.ts';

/** The output of a running turn so far, in case it is interrupted. */
export class PartialTurn {
  readonly #maxBytes: number;
  #messages: { readonly message: Message; readonly bytes: number }[] = [];
  #held = 0;
  /** The answer that is being written. */
  #partial = '';
  /** The model has started to answer. */
  answered = false;

  /** Keeps the last `maxBytes`. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get any(): boolean {
    return this.answered || this.#messages.length > 0;
  }

  get messages(): readonly Message[] {
    return this.#messages.map(({ message }) => message);
  }

  get text(): string {
    const said = this.messages.filter((message) => message.type === 'assistant' && !isOfSubagent(message)).map(textOf);
    return [...said, this.#partial.slice(-this.#maxBytes)].filter((part) => part !== '').join('\n');
  }

  note(message: Message, bytes: number): void {
    if (message.type === 'stream_event') return this.#notePartial(message);
    if (message.type === 'user' && message.isReplay === true) return;
    if (message.type === 'assistant') {
      this.answered = true;
      if (!isOfSubagent(message)) this.#partial = '';
    }
    this.#messages.push({ message, bytes: bytes + ITEM_BYTES });
    this.#held += bytes + ITEM_BYTES;
    while (this.#held > this.#maxBytes && this.#messages.length > 1) this.#held -= this.#messages.shift()?.bytes ?? 0;
  }

  #notePartial(message: Message): void {
    this.answered = true;
    const delta = field(field(message, 'event'), 'delta');
    if (isOfSubagent(message) || field(delta, 'type') !== 'text_delta') return;
    this.#partial += stringField(delta, 'text') ?? '';
    // Not with each delta: cutting copies the whole text.
    if (this.#partial.length > 2 * this.#maxBytes) this.#partial = this.#partial.slice(-this.#maxBytes);
  }
}

function isOfSubagent(message: Message): boolean {
  return stringField(message, 'parent_tool_use_id') !== undefined;
}
