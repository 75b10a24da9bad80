import type { ToolResultBlock, ToolUseBlock } from 'coxswain';
import type { SystemPermissionDenied } from 'coxswain/types';
import { duration } from './format.ts';
import type { Look } from './look.ts';
import { columnsOf, fit } from './measure.ts';
import { outcomeLine, targetOf, toolTitle } from './tool-call.ts';

interface Call {
  readonly title: string;
  readonly target: string;
  readonly at: number;
  readonly isMain: boolean;
  refused: boolean;
}

/** One line for each tool call, written when its outcome is known. */
export class ToolLines {
  readonly #look: Look;
  readonly #open = new Map<string, Call>();
  #count = 0;

  constructor(look: Look) {
    this.#look = look;
  }

  /** How many calls were made. */
  get count(): number {
    return this.#count;
  }

  /** The running calls, in a few words. */
  get running(): string | undefined {
    const [first, ...others] = this.#open.values();
    if (first === undefined) return undefined;
    const more = others.length > 0 ? ` (+${others.length})` : '';
    return `${first.title} ${first.target}`.trim() + more;
  }

  begin(call: ToolUseBlock, at: number, isMain: boolean): void {
    if (this.#open.has(call.id)) return;
    this.#count += 1;
    this.#open.set(call.id, { title: toolTitle(call.name), target: targetOf(call.input), at, isMain, refused: false });
  }

  refuse({ tool_use_id }: SystemPermissionDenied): void {
    const call = this.#open.get(tool_use_id);
    if (call !== undefined) call.refused = true;
  }

  /** The line of a call whose result has arrived. */
  end(result: ToolResultBlock, at: number): string[] {
    const call = this.#open.get(result.tool_use_id);
    if (call === undefined) return [];
    this.#open.delete(result.tool_use_id);
    const isBad = result.is_error === true;
    const took = at - call.at >= SLOW_MS ? ` (${duration(at - call.at)})` : '';
    const fallback = isBad ? 'failed' : 'done';
    const outcome = `${call.refused ? 'not permitted: ' : ''}${outcomeLine(result.content) || fallback}${took}`;
    return [this.#line(call, isBad ? 'bad' : 'good', outcome)];
  }

  /** The lines of the calls without a result. */
  abandon(): string[] {
    const lines = [...this.#open.values()].map((call) => this.#line(call, 'cut', 'cut short'));
    this.#open.clear();
    return lines;
  }

  #line(call: Call, how: 'good' | 'bad' | 'cut', outcome: string): string {
    const { paint, columns } = this.#look;
    const indent = call.isMain ? '' : '  ';
    const mark = how === 'good' ? paint.green('✓') : how === 'bad' ? paint.red('✗') : paint.yellow('–');
    const room = Math.max(12, columns() - indent.length - 2);
    const title = fit(call.title, room);
    // The target gets up to half of the remaining space, or more if the outcome is short.
    const left = room - columnsOf(title) - 1;
    const forTarget = Math.max(Math.floor(left / 2), left - columnsOf(outcome) - 3);
    const target = fit(call.target, Math.max(0, Math.min(columnsOf(call.target), forTarget)));
    const said = fit(outcome, Math.max(0, left - columnsOf(target) - 3));
    const words = [paint.bold(title), target].filter(Boolean).join(' ');
    const painted = how === 'bad' ? paint.red(said) : paint.dim(said);
    return `${indent}${mark} ${words}${said === '' ? '' : ` ${paint.dim('→')} ${painted}`}`;
  }
}

/** Calls that take longer show their duration. */
const SLOW_MS = 2_000;
