import { fieldsOf, numberIn, textIn } from './fields.ts';

/** A streaming block of an answer. */
interface OpenBlock {
  readonly type: 'text' | 'thinking';
  readonly message: string | null;
  readonly index: number;
  n: number;
  text: string;
}

/** The kind of a block that has just begun. */
type Begun = OpenBlock['type'];

/** Characters kept of a streaming text: the page shows no more until it is complete. */
const KEPT = 20_000;

/** Number of subagents that may stream at the same time, and of blocks of each. */
const SPEAKERS = 1_000;
const BLOCKS = 100;

/** The texts that are streaming now, of the main conversation and of each subagent. */
export class Streams {
  readonly #grown: (n: number) => void;
  readonly #speakers = new Map<string | null, { message: string | null; model: string | null; blocks: OpenBlock[] }>();

  constructor(grown: (n: number) => void) {
    this.#grown = grown;
  }

  /** Takes an event of the API. Returns the kind of a new block: the caller then calls `began` with the number of its entry. */
  take(parent: string | null, event: Readonly<Record<string, unknown>>): Begun | undefined {
    const speaker = this.#speaker(parent);
    switch (event.type) {
      case 'message_start': {
        const message = fieldsOf(event.message);
        speaker.message = textIn(message, 'id');
        speaker.model = textIn(message, 'model');
        return undefined;
      }
      case 'content_block_start': {
        const { type } = fieldsOf(event.content_block);
        if (type !== 'text' && type !== 'thinking') return undefined;
        if (speaker.blocks.length >= BLOCKS) speaker.blocks.shift();
        speaker.blocks.push({ type, message: speaker.message, index: numberIn(event, 'index') ?? 0, n: -1, text: '' });
        return type;
      }
      case 'content_block_delta': {
        const delta = fieldsOf(event.delta);
        const text = textIn(delta, 'text') ?? textIn(delta, 'thinking');
        const block = speaker.blocks.findLast(({ index }) => index === (numberIn(event, 'index') ?? 0));
        if (text === null || block === undefined || block.text.length >= KEPT) return undefined;
        block.text += text;
        this.#grown(block.n);
        return undefined;
      }
      default:
        return undefined;
    }
  }

  began(parent: string | null, n: number): void {
    const block = this.#speaker(parent).blocks.at(-1);
    if (block) block.n = n;
  }

  modelOf(parent: string | null): string | null {
    return this.#speaker(parent).model;
  }

  textOf(n: number): string | undefined {
    for (const { blocks } of this.#speakers.values()) {
      const block = blocks.find((open) => open.n === n);
      if (block) return block.text;
    }
    return undefined;
  }

  /** Removes a block when its complete form arrives. Returns the entry it began as. */
  finish(parent: string | null, message: string | null, type: string | null): { readonly n: number } | undefined {
    const blocks = this.#speakers.get(parent)?.blocks ?? [];
    const at = blocks.findIndex(
      (block) => block.type === type && (block.message === message || block.message === null),
    );
    return at === -1 ? undefined : blocks.splice(at, 1)[0];
  }

  /** Removes all blocks. Returns the incomplete texts. */
  drop(): { readonly n: number; readonly text: string }[] {
    const left = [...this.#speakers.values()].flatMap(({ blocks }) => blocks);
    this.#speakers.clear();
    return left;
  }

  #speaker(parent: string | null): { message: string | null; model: string | null; blocks: OpenBlock[] } {
    const known = this.#speakers.get(parent);
    if (known) return known;
    const speaker = { message: null, model: null, blocks: [] };
    const [oldest = null] = this.#speakers.keys();
    if (this.#speakers.size >= SPEAKERS) this.#speakers.delete(oldest);
    this.#speakers.set(parent, speaker);
    return speaker;
  }
}
