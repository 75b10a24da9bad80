import type { Writable } from 'node:stream';
import { TransportError } from '../errors/stream.ts';

/** The writing end of a child's stdin: writes keep their order and always settle. */
export class ChildInput {
  private readonly pending = new Set<(error: TransportError) => void>();
  private stream: Writable | undefined;
  private ended: Promise<void> | undefined;
  /** Why nothing can be written any more. An error is made of it when somebody tries: mostly nobody does. */
  private closed: { readonly why: string; readonly cause: unknown } | undefined;

  attach(stream: Writable): void {
    this.stream = stream;
    stream.on('error', (error) => this.close(`The CLI no longer reads its stdin: ${error.message}.`, error));
    stream.on('close', () => this.close("The CLI's stdin is closed."));
  }

  /** Resolves when the pipe has taken all of `text`. @throws TransportError */
  write(text: string): Promise<void> {
    const stream = this.stream;
    if (this.closed !== undefined) return Promise.reject(new TransportError(this.closed.why, this.closed.cause));
    if (stream === undefined) return Promise.reject(new TransportError('The CLI was not started; call start() first.'));
    if (this.ended !== undefined) {
      return Promise.reject(
        new TransportError("The CLI's stdin was closed with endInput(); nothing can be written to it."),
      );
    }
    return new Promise((resolve, reject) => {
      this.pending.add(reject);
      stream.write(text, (error) => {
        if (!this.pending.delete(reject)) return;
        if (error) reject(new TransportError(`Writing to the CLI's stdin failed: ${error.message}.`, error));
        else resolve();
      });
    });
  }

  /** Writes what nobody waits for: a promise per answer would cost a tenth of a quick hook. */
  post(text: string): void {
    if (this.closed === undefined && this.ended === undefined) this.stream?.write(text);
  }

  /** Resolves when everything is written and the pipe is closed, or the child is gone. */
  end(): Promise<void> {
    const stream = this.stream;
    if (stream === undefined || stream.destroyed) return Promise.resolve();
    this.ended ??= new Promise((resolve) => {
      stream.once('close', resolve);
      stream.end(() => resolve());
    });
    return this.ended;
  }

  /** Fails every write that waits and every later one. Node itself calls a write that a closing pipe cut off a success. */
  close(why: string, cause?: unknown): void {
    this.closed ??= { why, cause };
    for (const reject of this.pending) reject(new TransportError(this.closed.why, this.closed.cause));
    this.pending.clear();
  }
}
