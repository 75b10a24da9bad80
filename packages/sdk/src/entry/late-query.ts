import { type ExitReport, NEVER_STARTED } from '../process/transport.ts';
import type { QueryStream } from '../query/query-stream.ts';
import type { QueryState } from '../query/stream-machine.ts';
import type { Warning } from '../warnings/warning.ts';
import { LateStream } from './late-stream.ts';

/** A query that starts as soon as the engine is loaded. */
export class LateQuery<T> extends LateStream<T, QueryStream<T>> implements QueryStream<T> {
  get started(): Promise<void> {
    return this.late.ask((stream) => stream.started);
  }

  get closed(): Promise<ExitReport> {
    return this.late.ask((stream) => stream.closed).catch(() => NEVER_STARTED);
  }

  get state(): QueryState {
    return this.late.now?.state ?? 'streaming';
  }

  get sessionId(): string | undefined {
    return this.late.now?.sessionId;
  }

  get warnings(): readonly Warning[] {
    return this.late.now?.warnings ?? [];
  }

  close(): Promise<ExitReport> {
    return this.late.ask((stream) => stream.close()).catch(() => NEVER_STARTED);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
