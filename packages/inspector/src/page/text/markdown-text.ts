import { marked, type Token } from 'marked';
import { visible } from './visible.ts';

/**
 * Markdown that grows at its end: only the last block is parsed again. The page creates every element itself: HTML
 * in the text is shown as text, images become links, and links lead only to the web.
 */
export class MarkdownText {
  private done: Token[] = [];
  private doneLength = 0;
  private text = '';
  private tail: Token[] = [];

  /** The blocks of a text that equals or continues the text of the last call. */
  blocks(text: string): readonly Token[] {
    const source = visible(text);
    if (source === this.text) return [...this.done, ...this.tail];
    if (!source.startsWith(this.text.slice(0, this.doneLength))) {
      this.done = [];
      this.doneLength = 0;
    }
    this.text = source;
    const tokens = lexed(source.slice(this.doneLength));
    const last = tokens.pop();
    for (const token of tokens) {
      this.done.push(token);
      this.doneLength += token.raw.length;
    }
    this.tail = last === undefined ? [] : [last];
    return [...this.done, ...this.tail];
  }
}

/** A line that opens more blocks than this is not Markdown for people: the parser and the page would run out of stack. */
const NESTED = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){50}/m;

function lexed(text: string): Token[] {
  return NESTED.test(text) ? [{ type: 'unparsed', raw: text }] : marked.lexer(text);
}
