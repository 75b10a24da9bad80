import { isCoxswainError, type StreamItem } from 'coxswain';
import type { Screen } from '../terminal/screen.ts';
import type { ShownEnd, View } from './view.ts';

/** Everything as NDJSON on stdout: each message, warning and error as it arrives, then one line about the end. */
export class JsonView implements View {
  readonly #screen: Screen;
  #seq = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  begin(): void {}

  waiting(): void {}

  async item(item: StreamItem): Promise<void> {
    if (item.kind === 'message') {
      const { at, rawJson } = item;
      this.#screen.data(`{"kind":"message","seq":${this.#seq++},"at":${at},"message":${rawJson}}`);
    } else {
      this.#line({ ...item, seq: this.#seq++ });
    }
    await this.#screen.drained();
  }

  end({ result, cost, durationMs, outcome, sessionId, exitCode }: ShownEnd): void {
    this.#line({
      kind: 'result',
      ok: outcome.kind === 'completed',
      outcome,
      costUsd: cost.costUsd ?? null,
      totalCostUsd: cost.totalCostUsd,
      durationMs,
      turns: result.num_turns,
      usage: cost.usage,
      permissionDenials: result.permission_denials,
      sessionId: sessionId ?? null,
      exitCode,
    });
  }

  failure(error: unknown, exitCode: number): void {
    const plain = error instanceof Error ? { name: error.name, message: error.message } : { message: String(error) };
    this.#line({ kind: 'failure', error: isCoxswainError(error) ? error.toJSON() : plain, exitCode });
  }

  close(): void {
    this.#screen.close();
  }

  #line(value: object): void {
    this.#screen.data(JSON.stringify(value));
  }
}
