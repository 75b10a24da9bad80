import type { Span } from '../api.ts';
import { estimated } from '../stats/prices.ts';
import { bounded } from '../transcript/bounded.ts';
import { fieldsOf, listIn, numberIn, textIn } from '../transcript/fields.ts';
import { tokensIn } from './cost.ts';
import type { ToolPlace } from './tool-spans.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Where spans are kept. */
interface SpanStore {
  set(turn: string | null, span: Span): void;
}

/** A call of the model that has begun. */
interface Call {
  readonly id: string;
  readonly model: string;
  readonly turn: string | null;
  readonly startedAt: number;
  readonly entry: number;
  usage: Fields;
  /** When its last block was complete. */
  blockAt: number;
  thoughts: number;
}

/** Number of agents whose calls are followed. */
const AGENTS = 1_000;

/**
 * The calls of the model, and its thinking, as spans. The CLI reports when a block of an answer is complete, not when the call
 * begins: a call begins when the agent had everything to go on, such as a prompt or the result of a tool.
 */
export class ModelSpans {
  readonly #store: SpanStore;
  /** When each agent could go on, by the tool use that started it. */
  readonly #ready = new Map<string, number>();
  readonly #calls = new Map<string, Call>();

  constructor(store: SpanStore) {
    this.#store = store;
  }

  /** Notes that an agent can go on from now: `null` is the agent of the conversation. */
  ready(agent: string | null, at: number): void {
    bounded(this.#ready, AGENTS).set(agent ?? '', at);
  }

  /** Notes a message of the CLI. */
  note(message: Fields, place: ToolPlace): void {
    if (message.type === 'stream_event') this.#streamed(fieldsOf(message.event), place);
    else if (message.type === 'user') this.ready(place.parent, place.at);
    else if (message.type === 'assistant') this.#answered(fieldsOf(message.message), place);
  }

  #streamed(event: Fields, place: ToolPlace): void {
    const call = this.#calls.get(place.parent ?? '');
    if (event.type === 'message_start') this.#begun(fieldsOf(event.message), place);
    else if (event.type === 'message_delta' && call) call.usage = { ...call.usage, ...fieldsOf(event.usage) };
    else if (event.type === 'message_stop' && call) this.#put(call, place.at, place.parent);
  }

  #begun(api: Fields, { parent, turn, at, entry }: ToolPlace): Call | undefined {
    const [id, model] = [textIn(api, 'id'), textIn(api, 'model')];
    if (id === null || model === null || model === '<synthetic>') return undefined;
    const before = this.#calls.get(parent ?? '');
    if (before?.id === id) return before;
    const startedAt = Math.min(at, this.#ready.get(parent ?? '') ?? at);
    const call: Call = {
      id,
      model,
      turn,
      startedAt,
      entry,
      usage: fieldsOf(api.usage),
      blockAt: startedAt,
      thoughts: 0,
    };
    bounded(this.#calls, AGENTS).set(parent ?? '', call);
    this.#put(call, null, parent);
    return call;
  }

  #answered(api: Fields, place: ToolPlace): void {
    const { at, parent } = place;
    const call = this.#begun(api, place);
    if (!call) return;
    const usage = fieldsOf(api.usage);
    // The messages of one answer repeat its first usage; the last one, or the stream, has the final one.
    if ((numberIn(usage, 'output_tokens') ?? 0) >= (numberIn(call.usage, 'output_tokens') ?? 0)) call.usage = usage;
    for (const { type } of listIn(api, 'content').map(fieldsOf)) {
      if (type === 'thinking' || type === 'redacted_thinking') this.#thought(call, at);
    }
    call.blockAt = at;
    this.#put(call, at, parent);
    this.ready(parent, at);
  }

  #thought(call: Call, at: number): void {
    const { id, turn, blockAt, entry } = call;
    call.thoughts += 1;
    const head = { id: `thinking ${id} ${call.thoughts}`, kind: 'thinking', name: 'thinking', argument: '' } as const;
    const times = { startedAt: blockAt, endedAt: at, outcome: null };
    this.#store.set(turn, { ...head, ...times, parent: `model ${id}`, entry, cost: null });
  }

  #put(call: Call, endedAt: number | null, agent: string | null): void {
    const { id, model, turn, startedAt, entry, usage } = call;
    const head = { id: `model ${id}`, kind: 'model', name: model, argument: '', entry } as const;
    const parent = agent === null ? null : `subagent ${agent}`;
    const cost = estimated(model, tokensIn(usage));
    this.#store.set(turn, { ...head, parent, startedAt, endedAt, outcome: null, cost });
  }
}
