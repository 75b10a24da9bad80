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
const AGENTS = 1_000;
const BLOCKS = 100;

/** The texts that are streaming now, of the main conversation and of each subagent. */
export class Streams {
  readonly #grown: (n: number) => void;
  readonly #agents = new Map<string | null, { message: string | null; model: string | null; blocks: OpenBlock[] }>();

  constructor(grown: (n: number) => void) {
    this.#grown = grown;
  }

  /** Takes an event of the API. Returns the kind of a new block: the caller then calls `began` with the number of its entry. */
  take(parent: string | null, event: Readonly<Record<string, unknown>>): Begun | undefined {
    const agent = this.#agent(parent);
    switch (event.type) {
      case 'message_start': {
        const message = fieldsOf(event.message);
        agent.message = textIn(message, 'id');
        agent.model = textIn(message, 'model');
        return undefined;
      }
      case 'content_block_start': {
        const { type } = fieldsOf(event.content_block);
        if (type !== 'text' && type !== 'thinking') return undefined;
        if (agent.blocks.length >= BLOCKS) agent.blocks.shift();
        agent.blocks.push({ type, message: agent.message, index: numberIn(event, 'index') ?? 0, n: -1, text: '' });
        return type;
      }
      case 'content_block_delta': {
        const delta = fieldsOf(event.delta);
        const text = textIn(delta, 'text') ?? textIn(delta, 'thinking');
        const block = agent.blocks.findLast(({ index }) => index === (numberIn(event, 'index') ?? 0));
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
    const block = this.#agent(parent).blocks.at(-1);
    if (block) block.n = n;
  }

  modelOf(parent: string | null): string | null {
    return this.#agent(parent).model;
  }

  textOf(n: number): string | undefined {
    for (const { blocks } of this.#agents.values()) {
      const block = blocks.find((open) => open.n === n);
      if (block) return block.text;
    }
    return undefined;
  }

  /** Removes a block when its complete form arrives. Returns the entry it began as. */
  finish(parent: string | null, message: string | null, type: string | null): { readonly n: number } | undefined {
    const blocks = this.#agents.get(parent)?.blocks ?? [];
    const at = blocks.findIndex(
      (block) => block.type === type && (block.message === message || block.message === null),
    );
    return at === -1 ? undefined : blocks.splice(at, 1)[0];
  }

  /** Removes all blocks. Returns the incomplete texts. */
  drop(): { readonly n: number; readonly text: string }[] {
    const left = [...this.#agents.values()].flatMap(({ blocks }) => blocks);
    this.#agents.clear();
    return left;
  }

  #agent(parent: string | null): { message: string | null; model: string | null; blocks: OpenBlock[] } {
    const known = this.#agents.get(parent);
    if (known) return known;
    const agent = { message: null, model: null, blocks: [] };
    const [oldest = null] = this.#agents.keys();
    if (this.#agents.size >= AGENTS) this.#agents.delete(oldest);
    this.#agents.set(parent, agent);
    return agent;
  }
}
