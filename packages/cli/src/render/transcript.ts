import { type Message, type StreamItem, toolResultsOf, toolUsesOf } from 'coxswain';
import type { Look } from './look.ts';
import { noteOf } from './notes.ts';
import { ThoughtRecord } from './thoughts.ts';
import { TokenCount } from './tokens.ts';
import { ToolLines } from './tool-lines.ts';

/** What to show: words of the answer as they arrive, or a whole line about it. */
export type Piece = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'note'; readonly text: string };

/** Turns the items of a conversation into readable output. Pure, except for the state of the turn it keeps. */
export class Transcript {
  readonly tools: ToolLines;
  readonly tokens: TokenCount = new TokenCount();
  readonly #look: Look;
  readonly #thoughts: ThoughtRecord;
  /** The id of the answer that is being streamed; empty if the events do not name it. */
  #streamed: string | undefined;
  /** Whether the answer so far ends in an unfinished line. */
  #midLine = false;
  #saidSomething = false;

  constructor(look: Look) {
    this.#look = look;
    this.#thoughts = new ThoughtRecord(look);
    this.tools = new ToolLines(look);
  }

  /** Whether any part of an answer has been shown. */
  get saidSomething(): boolean {
    return this.#saidSomething;
  }

  /** What the agent is doing, in a few words. */
  get activity(): string {
    return this.tools.running ?? (this.#thoughts.open ? 'thinking' : this.#midLine ? 'writing' : 'waiting');
  }

  take(item: StreamItem): Piece[] {
    if (item.kind === 'message') return this.#shown(item.message, item.at);
    const { paint } = this.#look;
    if (item.kind === 'error') return this.#notes([`${paint.yellow('!')} ${item.error.code}: ${item.error.message}`]);
    if (TOLD_OTHERWISE.has(item.warning.code)) return [];
    return this.#notes([`${paint.yellow('!')} ${item.warning.code}: ${item.warning.message}`]);
  }

  /** The remaining output when nothing more arrives. */
  end(at: number): Piece[] {
    return [...this.#endBlock(at), ...this.#notes(this.tools.abandon())];
  }

  /** Only the type of a message is certain; one that lacks the fields of its type is not shown. */
  #shown(message: Message, at: number): Piece[] {
    try {
      return this.#message(message, at);
    } catch {
      return [];
    }
  }

  #message(message: Message, at: number): Piece[] {
    this.tokens.take(message);
    if (message.type === 'result') return this.#endBlock(at);
    const isMain = !('parent_tool_use_id' in message) || typeof message.parent_tool_use_id !== 'string';
    const pieces = isMain ? this.#words(message, at) : [];
    for (const call of toolUsesOf(message)) this.tools.begin(call, at, isMain);
    const lines = toolResultsOf(message).flatMap((result) => this.tools.end(result, at));
    if (message.type === 'system' && message.subtype === 'permission_denied') this.tools.refuse(message);
    const note = noteOf(message, this.#look.paint);
    return [...pieces, ...this.#notes(note === undefined ? lines : [...lines, note])];
  }

  #words(message: Message, at: number): Piece[] {
    if (message.type === 'stream_event') return this.#event(message, at);
    if (message.type !== 'assistant') return [];
    // A message about an API failure is not an answer: the result contains it.
    if (message.error !== undefined) return [];
    const isStreamed = this.#streamed === '' || (this.#streamed !== undefined && this.#streamed === message.message.id);
    if (isStreamed) return [];
    return message.message.content.flatMap((block) => {
      if (block.type === 'thinking') return this.#notes(this.#thoughts.whole(block.thinking));
      return block.type === 'text' ? [...this.#say(block.text), ...this.#endLine()] : [];
    });
  }

  #event(message: Extract<Message, { type: 'stream_event' }>, at: number): Piece[] {
    const { event } = message;
    switch (event.type) {
      case 'message_start':
        this.#streamed = event.message.id ?? '';
        return [];
      case 'content_block_start':
        if (event.content_block.type === 'thinking') this.#thoughts.begin(at);
        return event.content_block.type === 'text' ? this.#say(event.content_block.text) : [];
      case 'content_block_delta':
        this.#streamed ??= '';
        if (event.delta.type === 'thinking_delta') this.#thoughts.add(event.delta.thinking, at);
        return event.delta.type === 'text_delta' ? this.#say(event.delta.text) : [];
      case 'content_block_stop':
        return this.#endBlock(at);
      default:
        return [];
    }
  }

  #say(text: string): Piece[] {
    if (text === '') return [];
    this.#midLine = !text.endsWith('\n');
    this.#saidSomething = true;
    return [{ kind: 'text', text }];
  }

  #endBlock(at: number): Piece[] {
    return [...this.#endLine(), ...this.#notes(this.#thoughts.close(at))];
  }

  #notes(lines: readonly string[]): Piece[] {
    if (lines.length === 0) return [];
    return [...this.#endLine(), ...lines.map((text) => ({ kind: 'note', text }) as const)];
  }

  #endLine(): Piece[] {
    if (!this.#midLine) return [];
    this.#midLine = false;
    return [{ kind: 'text', text: '\n' }];
  }
}

/** Denied calls are shown at the call and in the hint at the end; retries are shown by their own message. */
const TOLD_OTHERWISE: ReadonlySet<string> = new Set(['permission-denied', 'api-retry', 'unrequested-configuration']);
