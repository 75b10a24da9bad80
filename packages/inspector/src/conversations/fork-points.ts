import type { Message } from 'coxswain';
import { bounded } from '../transcript/bounded.ts';
import { fieldsOf, textIn } from '../transcript/fields.ts';

/** Number of prompts before which a conversation can be forked. */
const KEPT = 1_000;

/** The answer before each prompt of a conversation: the CLI forks a conversation after an answer. */
export class ForkPoints {
  /** The uuids of answers by the number of the prompt that follows. */
  readonly #answers = new Map<string, string>();
  #last: string | null = null;

  /** Takes note of an answer of the main conversation. */
  message(message: Message): void {
    const fields = fieldsOf(message);
    if (message.type === 'assistant' && textIn(fields, 'parent_tool_use_id') === null)
      this.#last = textIn(fields, 'uuid') ?? this.#last;
  }

  /** Takes note of a prompt that begins a turn. */
  prompt(n: number): void {
    if (this.#last !== null) bounded(this.#answers, KEPT).set(String(n), this.#last);
  }

  /** The answer after which a fork continues instead of a prompt; undefined for the first prompt. */
  answerBefore(n: number): string | undefined {
    return this.#answers.get(String(n));
  }

  /** The first prompt after an answer. */
  promptAfter(answer: string): number | undefined {
    for (const [n, uuid] of this.#answers) if (uuid === answer) return Number(n);
    return undefined;
  }

  clear(): void {
    this.#answers.clear();
    this.#last = null;
  }
}
