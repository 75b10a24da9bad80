/** An agent at work, as it happens. `npm run demo`, or `npm run demo -- --real "your prompt"` on the installed CLI. */
import { styleText } from 'node:util';
import { type Script, script } from '@coxswain/testkit';
import {
  costOf,
  isCoxswainError,
  type Message,
  outcomeOf,
  query,
  type ResultMessage,
  textOf,
  toolResultsOf,
  toolUsesOf,
} from 'coxswain';
import { pickAgent } from './agent.ts';

type Style = Parameters<typeof styleText>[0];

/** Writes what happens: words as they come, tool calls one a line. */
class Screen {
  readonly #calls = new Map<string, string>();
  /** What the last line holds: nothing, words of this kind, or a tool call that is still running. */
  #line: 'text' | 'thinking' | `call ${string}` | undefined;
  #toolCalls = 0;

  show(message: Message): void {
    if (message.type === 'stream_event' && message.parent_tool_use_id === null) this.#words(message.event);
    for (const call of toolUsesOf(message)) {
      const { command, file_path, pattern, url, description } = call.input;
      const target = [command, file_path, pattern, url, description].find((value) => typeof value === 'string') ?? '';
      this.#call(call.id, `${call.name} ${target}`);
    }
    for (const result of toolResultsOf(message))
      this.#outcome(result.tool_use_id, result.is_error === true, said(result.content));
  }

  end(result: ResultMessage): void {
    const outcome = outcomeOf(result);
    const completed = outcome.kind === 'completed';
    const verdict = completed
      ? style('green', '✓ completed')
      : style('red', `✗ ${outcome.kind}: ${textOf(result) || outcome.message}`);
    const calls = `${this.#toolCalls} tool call${this.#toolCalls === 1 ? '' : 's'}`;
    const cost = `$${(costOf(result) ?? 0).toFixed(4)}`;
    const seconds = `${(result.duration_ms / 1000).toFixed(1)} s`;
    this.#newLine();
    console.log(`\n${verdict} ${style('dim', `· ${calls} · ${cost} · ${seconds}`)}`);
    process.exitCode = completed ? 0 : 1;
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
    // Another call has begun its line meanwhile: say again whose outcome this is.
    if (this.#line !== `call ${id}`) {
      this.#newLine();
      process.stdout.write(style('dim', `  ${title}`));
    }
    process.stdout.write(style(failed ? 'red' : 'dim', ` → ${firstLine(text)}`));
    this.#line = 'text';
    this.#newLine();
  }

  #newLine(): void {
    if (this.#line !== undefined) process.stdout.write('\n');
    this.#line = undefined;
  }
}

/** Styled where the terminal shows it; plain in a pipe and with NO_COLOR. */
function style(format: Style, text: string): string {
  return process.stdout.isTTY && !process.env.NO_COLOR ? styleText(format, text) : text;
}

function said(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((block) => (block?.type === 'text' ? block.text : '')).join('') : '';
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > 70 ? `${line.slice(0, 69)}…` : line || 'done';
}

/** A small bug hunt, at a pace one can follow. */
function bugHunt(): Script {
  const rowing = 'src/stroke-rate.ts';
  return script()
    .pace(7)
    .otherwise((turn) =>
      turn
        .think('A failing test and a hint: the rate. First see what fails, then read the code that counts.')
        .say('I will run the tests first.')
        .useTool(
          'Bash',
          { command: 'npm test' },
          { result: '1 failed, 41 passed: stroke rate is 0 at the start', isError: true, durationMs: 90 },
        )
        .say('One failure, in the stroke rate. Let me read it.')
        .useTools([
          {
            name: 'Read',
            input: { file_path: rowing },
            result: 'export const rate = (strokes, s) => (strokes / s) * 60;',
            durationMs: 30,
          },
          { name: 'Grep', input: { pattern: 'rate(' }, result: '3 matches in 2 files', durationMs: 50 },
        ])
        .think('At the start no time has passed: 0 / 0 is NaN, and NaN is shown as 0.')
        .say(
          'At the start no time has passed, so it divides zero by zero. The rate should be unknown until the first full stroke.',
        )
        .useTool(
          'Edit',
          { file_path: rowing, old_string: '(strokes / s)', new_string: 's > 0 ? (strokes / s)' },
          { durationMs: 30 },
        )
        .useTool('Bash', { command: 'npm test' }, { result: '42 passed', durationMs: 90 })
        .say(
          'All 42 tests pass. The rate is now undefined before the first stroke, and the two callers already handle that.',
        )
        .result({ costUsd: 0.0184 }),
    );
}

await using agent = await pickAgent(bugHunt());
const prompt = agent.prompt ?? 'One test fails since the last change of the stroke rate. Find out why and fix it.';
console.log(`${style('bold', '>')} ${prompt}\n`);

const screen = new Screen();
const stream = query(prompt, { cli: agent.cli, includePartialMessages: true });
try {
  for await (const message of stream) screen.show(message);
  screen.end(await stream.result());
} catch (error) {
  if (!isCoxswainError(error)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
