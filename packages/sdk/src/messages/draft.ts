import type { ApiMessage, AssistantMessage, ContentBlock, StreamEventMessage } from '../wire/messages.ts';
import { copyRaw } from '../wire/raw.ts';
import type { AssembledAssistantMessage } from './assemble-partials.ts';
import { grown, settled } from './grow-block.ts';
import { arrayField, field, isObject, stringField } from './read.ts';

/** What an event did to a draft: something to show, something for later, or nothing because it is not about an answer. */
export type Change = 'seen' | 'noted' | 'foreign';

interface Slot {
  readonly index: number | undefined;
  block: ContentBlock;
  /** Whether the CLI has sent the block as a whole. */
  whole: boolean;
}

/**
 * An answer while it is streamed. The CLI sends each content block in pieces, then as a whole in an assistant message of
 * its own, then its end; blocks without content are never sent as a whole.
 */
export class Draft {
  readonly id: string | undefined;
  readonly #slots: Slot[] = [];
  #envelope: Omit<AssistantMessage, 'message'>;
  #message: ApiMessage;
  #ending: Partial<ApiMessage> = {};
  #lastWhole: AssistantMessage | undefined;
  #open: Slot | undefined;
  #cut = false;
  #unfinished = false;
  #stopped = false;

  constructor(start: StreamEventMessage, message: ApiMessage) {
    const { uuid, session_id, parent_tool_use_id } = start;
    this.id = stringField(message, 'id');
    this.#envelope = { type: 'assistant', uuid, session_id, parent_tool_use_id };
    this.#message = message;
  }

  /** Takes one event of the answer. */
  follow(message: StreamEventMessage): Change {
    const { event } = message;
    if (message.abandoned_blocks !== undefined) this.#cut = true;
    switch (event?.type) {
      case 'content_block_start':
        return this.#start(event.index, event.content_block);
      case 'content_block_delta':
        return this.#grow(event.index, event.delta);
      case 'content_block_stop':
        return this.#settle(event.index);
      case 'message_delta':
        return this.#end(event.delta, event.usage);
      case 'message_stop':
        this.#stopped = !this.#unfinished;
        return this.#isPartial() ? 'noted' : 'seen';
      default:
        return 'foreign';
    }
  }

  /** Takes blocks that the CLI has sent as a whole. */
  take(message: AssistantMessage): AssembledAssistantMessage {
    const { message: api, ...envelope } = message;
    if (message.aborted === true) this.#cut = true;
    for (const block of arrayField(api, 'content')) {
      if (isBlock(block)) this.#put(block);
    }
    this.#envelope = envelope;
    this.#message = api;
    this.#lastWhole = message;
    return this.snapshot(message);
  }

  /** The answer so far; `source` is the message that brought the last of it. */
  snapshot(source: AssistantMessage | StreamEventMessage): AssembledAssistantMessage {
    const isPartial = this.#isPartial();
    const snapshot: AssembledAssistantMessage = {
      ...this.#envelope,
      message: { ...this.#message, ...this.#ending, content: this.#content(isPartial) },
      is_partial: isPartial,
    };
    copyRaw(isPartial ? source : (this.#lastWhole ?? source), snapshot);
    return snapshot;
  }

  #isPartial(): boolean {
    return this.#cut || !this.#stopped;
  }

  #content(isPartial: boolean): ContentBlock[] {
    const slots = isPartial || this.#lastWhole === undefined ? this.#slots : this.#slots.filter((slot) => slot.whole);
    return slots.map((slot) => slot.block);
  }

  #start(index: number, block: ContentBlock): Change {
    if (!isBlock(block)) return 'foreign';
    this.#open = { index, block, whole: false };
    this.#slots.push(this.#open);
    return 'seen';
  }

  #grow(index: number, delta: unknown): Change {
    const slot = this.#slotAt(index);
    const block = slot && grown(slot.block, delta);
    if (slot === undefined || block === undefined) return 'foreign';
    if (slot.whole) return 'noted';
    slot.block = block;
    this.#open = slot;
    return 'seen';
  }

  #settle(index: number): Change {
    const slot = this.#slotAt(index);
    if (slot !== undefined && !slot.whole) slot.block = settled(slot.block);
    if (slot === this.#open) this.#open = undefined;
    return 'noted';
  }

  #end(delta: unknown, usage: unknown): Change {
    this.#unfinished = field(delta, 'stop_reason') === null;
    this.#ending = {
      ...(isObject(delta) ? delta : {}),
      ...(isObject(usage) ? { usage: { ...this.#message.usage, ...usage } } : {}),
    };
    return 'noted';
  }

  /** In the place of the block that is being streamed, or else of the first of its kind that is still in pieces. */
  #put(block: ContentBlock): void {
    const fits = (slot: Slot | undefined): boolean => slot?.whole === false && slot.block.type === block.type;
    const slot = fits(this.#open) ? this.#open : this.#slots.find(fits);
    if (slot === undefined) {
      this.#slots.push({ index: undefined, block, whole: true });
      return;
    }
    slot.block = block;
    slot.whole = true;
  }

  #slotAt(index: number): Slot | undefined {
    return this.#open?.index === index ? this.#open : this.#slots.findLast((slot) => slot.index === index);
  }
}

function isBlock(value: unknown): value is ContentBlock {
  return stringField(value, 'type') !== undefined;
}
