import { styleText } from 'node:util';
import { type Message, outcomeOf, type ResultMessage, toolResultsOf, toolUsesOf } from 'coxswain';

type Style = Parameters<typeof styleText>[0];

/** Whether the output is a terminal; a pipe gets plain text without pauses. */
export const watched: boolean = process.stdout.isTTY === true;

/** Styles text on a terminal; returns it unchanged in a pipe and with NO_COLOR. */
export function style(format: Style, text: string): string {
  return watched && !process.env.NO_COLOR ? styleText(format, text) : text;
}

/** Waits, on a terminal only. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, watched ? ms : 0));
}

/** Prints the turn: text as it arrives, one line per tool call. */
export class Screen {
  readonly #calls = new Map<string, string>();
  /** The content of the last line: nothing, text of this kind, or a tool call that is still running. */
  #line: 'text' | 'thinking' | `call ${string}` | undefined;
  #toolCalls = 0;
  #aside = '';

  /** Types the user's prompt, letter by letter. */
  async prompt(text: string): Promise<void> {
    this.#newLine();
    process.stdout.write(`\n${style('bold', '›')} `);
    for (const letter of text) {
      process.stdout.write(style('bold', letter));
      await pause(18);
    }
    process.stdout.write('\n\n');
    await pause(300);
  }

  show(message: Message): void {
    if (message.type === 'stream_event' && message.parent_tool_use_id === null) this.#words(message.event);
    for (const call of toolUsesOf(message)) this.#call(call.id, `${toolName(call.name)} ${target(call.input)}`.trim());
    for (const result of toolResultsOf(message))
      this.#outcome(result.tool_use_id, result.is_error === true, textIn(result.content));
  }

  /** Prints a line from the program rather than from the agent. */
  note(text: string): void {
    this.#newLine();
    console.log(text);
  }

  /** Notes what decided or handled the running call: a hook, the user, this program. */
  aside(text: string): void {
    this.#aside = text;
  }

  /** Prints how the turn ended. */
  end(result: ResultMessage, costUsd: number): void {
    const outcome = outcomeOf(result);
    const verdict =
      outcome.kind === 'completed'
        ? style('green', '✓ completed')
        : outcome.kind === 'interrupted'
          ? style('yellow', '– interrupted')
          : style('red', `✗ ${outcome.kind}: ${outcome.message}`);
    const calls = this.#toolCalls > 0 ? ` · ${this.#toolCalls} tool call${this.#toolCalls === 1 ? '' : 's'}` : '';
    this.#toolCalls = 0;
    this.note(`\n${verdict}${style('dim', `${calls} · $${costUsd.toFixed(4)}`)}`);
  }

  #words(event: Extract<Message, { type: 'stream_event' }>['event']): void {
    if (event.type !== 'content_block_delta') return;
    if (event.delta.type === 'text_delta') this.#say('text', event.delta.text);
    if (event.delta.type === 'thinking_delta') this.#say('thinking', style('dim', event.delta.thinking));
  }

  #say(kind: 'text' | 'thinking', words: string): void {
    if (this.#line !== kind) this.#newLine();
    this.#line = kind;
    process.stdout.write(words);
  }

  #call(id: string, title: string): void {
    this.#newLine();
    this.#calls.set(id, title);
    this.#toolCalls += 1;
    this.#line = `call ${id}`;
    process.stdout.write(`${style('cyan', '▸')} ${title}`);
  }

  #outcome(id: string, failed: boolean, text: string): void {
    const title = this.#calls.get(id);
    if (title === undefined) return;
    // Other output came in between, so repeat the title of the call.
    if (this.#line !== `call ${id}`) {
      this.#newLine();
      process.stdout.write(style('dim', `  ${title}`));
    }
    process.stdout.write(style(failed ? 'red' : 'dim', ` → ${firstLine(text)}`));
    if (this.#aside !== '') process.stdout.write(style('yellow', ` ← ${this.#aside}`));
    this.#aside = '';
    this.#line = 'text';
    this.#newLine();
  }

  #newLine(): void {
    if (this.#line !== undefined) process.stdout.write('\n');
    this.#line = undefined;
  }
}

function toolName(name: string): string {
  return name.replace(/^mcp__(.+?)__/, '$1/');
}

function target(input: Readonly<Record<string, unknown>>): string {
  const { command, file_path, pattern, url, description } = input;
  const telling = [command, file_path, pattern, url, description].find((value) => typeof value === 'string');
  return typeof telling === 'string' ? telling : Object.values(input).join(' ');
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((block) => (block?.type === 'text' ? block.text : '')).join('') : '';
}

function firstLine(text: string): string {
  const [line = ''] = text
    .trim()
    .replace(/^PreToolUse:\w+ hook error: /, '')
    .split('\n');
  return line.length > 48 ? `${line.slice(0, 47)}…` : line || 'done';
}
