import { isJsonObject, objectIn } from '../wire/kinds.ts';
import type { ApiMessage, AssistantMessage, ContentBlock, Message, StreamEventMessage } from '../wire/messages.ts';
import { arrayField, field, stringField } from './fields.ts';
import { setNewest } from './newest.ts';

/** A message of a stream in which streamed answers are assembled. */
export type AssembledMessage = Exclude<Message, AssistantMessage> | AssembledAssistantMessage;

/** The part of an answer that has been streamed so far, or the whole answer. */
export interface AssembledAssistantMessage extends AssistantMessage {
  /** False for a whole answer. An answer that was cut off stays partial. */
  readonly is_partial: boolean;
}

/**
 * Assembles streamed answers: yields the answer so far for each piece, with `is_partial: true`, and the whole answer once
 * all of its content blocks are complete, with `is_partial: false`. An answer is identified by `parent_tool_use_id` and
 * `message.id`. Other messages, and stream events that belong to no answer, pass through.
 */
export async function* assemblePartials(
  stream: AsyncIterable<Message>,
): AsyncGenerator<AssembledMessage, void, undefined> {
  // The main conversation and each subagent stream one answer at a time.
  const drafts = new Map<string, Draft>();
  for await (const message of stream) {
    if (message?.type === 'assistant') {
      yield takeAssistant(message, drafts);
    } else if (message?.type === 'stream_event') {
      const shown = takeEvent(message, drafts);
      if (shown !== undefined) yield shown;
    } else {
      yield message;
    }
  }
}

function takeAssistant(message: AssistantMessage, drafts: ReadonlyMap<string, Draft>): AssembledAssistantMessage {
  const draft = drafts.get(parentOf(message));
  if (draft !== undefined && draft.id === stringField(message.message, 'id')) return draft.take(message);
  return { ...message, is_partial: message.aborted === true };
}

/** Undefined for an event without a visible change. */
function takeEvent(message: StreamEventMessage, drafts: Map<string, Draft>): AssembledMessage | undefined {
  const { event } = message;
  const parent = parentOf(message);
  if (event?.type === 'message_start' && isJsonObject(event.message)) {
    const draft = new Draft(message, event.message);
    setNewest(drafts, parent, draft);
    return draft.snapshot();
  }
  const draft = drafts.get(parent);
  return draft === undefined ? message : draft.follow(message);
}

function parentOf(message: AssistantMessage | StreamEventMessage): string {
  return stringField(message, 'parent_tool_use_id') ?? '';
}

/** Maximum number of assembled blocks; every partial answer repeats all of them. */
const MOST_BLOCKS = 1_000;

interface Slot {
  readonly index: number | undefined;
  block: ContentBlock;
  /** Whether the CLI has sent the complete block. */
  complete: boolean;
}

/**
 * An answer while it is streamed. The CLI sends each content block in pieces, then the complete block in an assistant
 * message, then the end of the block; it never sends a complete block that has no content.
 */
class Draft {
  readonly id: string | undefined;
  readonly #slots: Slot[] = [];
  /** The CLI's last message about the answer; its content is outdated. */
  #latest: AssembledAssistantMessage;
  /** The stop reason and usage from `message_delta`. */
  #ending: Partial<ApiMessage> = {};
  /** The block that is being streamed. */
  #open: Slot | undefined;
  #hasCompleteBlocks = false;
  #cut = false;
  #unfinished = false;
  #stopped = false;

  constructor(start: StreamEventMessage, message: ApiMessage) {
    const { uuid, session_id, parent_tool_use_id } = start;
    this.id = stringField(message, 'id');
    this.#latest = { type: 'assistant', uuid, session_id, parent_tool_use_id, message, is_partial: true };
  }

  /**
   * Applies an event. Returns the answer so far if it changed, nothing if there is no visible change, and the event itself
   * if it does not belong to the answer.
   */
  follow(message: StreamEventMessage): AssembledAssistantMessage | StreamEventMessage | undefined {
    const { event } = message;
    if (message.abandoned_blocks !== undefined) this.#cut = true;
    switch (event?.type) {
      case 'content_block_start':
        if (!isBlock(event.content_block) || this.#slots.length >= MOST_BLOCKS) return message;
        this.#open = { index: event.index, block: event.content_block, complete: false };
        this.#slots.push(this.#open);
        return this.snapshot();
      case 'content_block_delta': {
        const slot = this.#slotAt(event.index);
        const block = slot && grown(slot.block, event.delta);
        if (slot === undefined || block === undefined) return message;
        if (slot.complete) return undefined;
        slot.block = block;
        this.#open = slot;
        return this.snapshot();
      }
      case 'content_block_stop': {
        const slot = this.#slotAt(event.index);
        if (slot?.complete === false) slot.block = withParsedInput(slot.block);
        if (slot === this.#open) this.#open = undefined;
        return undefined;
      }
      case 'message_delta':
        this.#end(event.delta, event.usage);
        return undefined;
      case 'message_stop':
        this.#stopped = !this.#unfinished;
        return this.#isPartial() ? undefined : this.snapshot();
      default:
        return message;
    }
  }

  /** Adds complete blocks. */
  take(message: AssistantMessage): AssembledAssistantMessage {
    if (message.aborted === true) this.#cut = true;
    for (const block of arrayField(message.message, 'content')) {
      if (isBlock(block)) this.#put(block);
    }
    this.#latest = { ...message, message: { ...message.message, ...this.#ending }, is_partial: true };
    this.#hasCompleteBlocks = true;
    return this.snapshot();
  }

  /** The answer so far. A returned answer never changes later. */
  snapshot(): AssembledAssistantMessage {
    const isPartial = this.#isPartial();
    const shown = this.#slots.filter(({ complete }) => isPartial || complete || !this.#hasCompleteBlocks);
    const content = shown.map(({ block }) => block);
    return { ...this.#latest, message: { ...this.#latest.message, content }, is_partial: isPartial };
  }

  #isPartial(): boolean {
    return this.#cut || !this.#stopped;
  }

  #end(delta: unknown, usage: unknown): void {
    this.#unfinished = field(delta, 'stop_reason') === null;
    this.#ending = {
      ...this.#ending,
      ...(isJsonObject(delta) ? delta : {}),
      ...(isJsonObject(usage) ? { usage: { ...this.#latest.message.usage, ...usage } } : {}),
    };
    this.#latest = { ...this.#latest, message: { ...this.#latest.message, ...this.#ending } };
  }

  /** Replaces the block that is being streamed, or else the first incomplete one of the same type. */
  #put(block: ContentBlock): void {
    const fits = (slot: Slot | undefined): boolean => slot?.complete === false && slot.block.type === block.type;
    const slot = fits(this.#open) ? this.#open : this.#slots.find(fits);
    if (slot) Object.assign(slot, { block, complete: true });
    else if (this.#slots.length < MOST_BLOCKS) this.#slots.push({ index: undefined, block, complete: true });
  }

  #slotAt(index: number): Slot | undefined {
    return this.#open?.index === index ? this.#open : this.#slots.findLast((slot) => slot.index === index);
  }
}

/** A copy of the block with one more piece; undefined if the piece does not fit the block. */
function grown(block: ContentBlock, delta: unknown): ContentBlock | undefined {
  if (!isJsonObject(delta)) return undefined;
  switch (delta.type) {
    case 'text_delta':
      return block.type === 'text' ? { ...block, text: joined(block.text, delta.text) } : undefined;
    case 'citations_delta':
      if (block.type !== 'text') return undefined;
      return { ...block, citations: [...arrayField(block, 'citations'), delta.citation].filter(isJsonObject) };
    case 'thinking_delta':
      return block.type === 'thinking' ? { ...block, thinking: joined(block.thinking, delta.thinking) } : undefined;
    case 'signature_delta':
      return block.type === 'thinking' ? { ...block, signature: joined('', delta.signature) } : undefined;
    case 'input_json_delta':
      return takesInput(block) ? { ...block, partial_json: joined(block.partial_json, delta.partial_json) } : undefined;
    case 'compaction_delta':
      return block.type === 'compaction' ? { ...block, content: joined(block.content, delta.content) } : undefined;
    default:
      return undefined;
  }
}

function withParsedInput(block: ContentBlock): ContentBlock {
  if (!takesInput(block) || block.partial_json === undefined) return block;
  const { partial_json, ...rest } = block;
  const input = objectIn(partial_json);
  return input ? { ...rest, input } : block;
}

/** Appending takes constant time: the JavaScript engine joins the pieces when the text is read. */
function joined(text: unknown, piece: unknown): string {
  return (typeof text === 'string' ? text : '') + (typeof piece === 'string' ? piece : '');
}

type InputBlock = Extract<ContentBlock, { readonly partial_json?: string; readonly input: unknown }>;

function takesInput(block: ContentBlock): block is InputBlock {
  return block.type === 'tool_use' || block.type === 'server_tool_use' || block.type === 'mcp_tool_use';
}

function isBlock(value: unknown): value is ContentBlock {
  return stringField(value, 'type') !== undefined;
}
