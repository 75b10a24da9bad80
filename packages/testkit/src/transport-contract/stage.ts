import { Buffer } from 'node:buffer';
import type { ExitReport, StartRequest, Transport } from 'coxswain/transport';
import type { AgentStep, ContractAgent } from './agent.ts';

/** A transport and the request to start it with. */
export interface StagedTransport {
  readonly transport: Transport;
  readonly request: StartRequest;
  /** Cleans up after a rule; the agent has been ended by then. */
  close?(): unknown;
}

/** A rule is broken: what the transport did, or did not do. */
export class ContractViolation extends Error {
  constructor(message: string) {
    super(message);
    Object.defineProperty(this, 'name', { value: 'ContractViolation', configurable: true });
  }
}

/** @throws ContractViolation unless `condition` holds */
export function must(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new ContractViolation(otherwise);
}

/** A transport under test: every operation has a time limit. */
export class Stage {
  readonly transport: Transport;
  readonly request: StartRequest;
  readonly #timeoutMs: number;
  #output: AsyncIterator<Uint8Array> | undefined;
  #seen: Buffer = Buffer.alloc(0);
  started = false;

  constructor(staged: StagedTransport, timeoutMs: number) {
    this.transport = staged.transport;
    this.request = staged.request;
    this.#timeoutMs = timeoutMs;
  }

  start(): Promise<void> {
    this.started = true;
    return this.within('start()', this.transport.start(this.request));
  }

  /** The value of `promise`. @throws ContractViolation when it takes too long */
  async within<T>(what: string, promise: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const violation = new ContractViolation(`${what} did not settle within ${this.#timeoutMs} ms`);
      timer = setTimeout(() => reject(violation), this.#timeoutMs);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  exited(): Promise<ExitReport> {
    const neverRejects = this.transport.exited.catch((error: unknown) => {
      throw new ContractViolation(`exited rejected: ${String(error)}`);
    });
    return this.within('exited', neverRejects);
  }

  /** The error of an operation that must fail. */
  async rejection(what: string, promise: () => Promise<unknown>): Promise<unknown> {
    let asked: Promise<unknown>;
    try {
      asked = promise();
    } catch (error) {
      throw new ContractViolation(`${what} threw instead of rejecting: ${String(error)}`);
    }
    const outcome = await this.within(
      what,
      asked.then(
        () => ({ error: undefined }),
        (error: unknown) => ({ error }),
      ),
    );
    must(outcome.error !== undefined, `${what} resolved, but must reject`);
    return outcome.error;
  }

  /** Reads stdout until it contains this. */
  async readUntil(text: string): Promise<void> {
    while (!this.#seen.includes(text)) {
      const step = await this.next();
      must(
        !step.done,
        `stdout ended before ${JSON.stringify(text)} arrived; the output was ${JSON.stringify(this.#words())}`,
      );
    }
  }

  next(): Promise<IteratorResult<Uint8Array, unknown>> {
    return this.within('a read of output', this.pull());
  }

  /** Keeps reading, without a bound. */
  async pull(): Promise<IteratorResult<Uint8Array, unknown>> {
    this.#output ??= this.transport.output[Symbol.asyncIterator]();
    const step = await this.#output.next();
    if (!step.done) {
      must(step.value instanceof Uint8Array, 'output yielded something that is not a Uint8Array');
      this.#seen = Buffer.concat([this.#seen, step.value]);
    }
    return step;
  }

  /** Ends the iteration of stdout. */
  leave(): Promise<unknown> {
    this.#output ??= this.transport.output[Symbol.asyncIterator]();
    return this.within('return() of output', Promise.resolve(this.#output.return?.()));
  }

  /** Reads stdout to its end; returns the agent's lines in it as one text. */
  async readAll(): Promise<Buffer> {
    const chunks: Uint8Array[] = [this.#seen];
    this.#output ??= this.transport.output[Symbol.asyncIterator]();
    for (;;) {
      const step = await this.within('a read of output', this.#output.next());
      if (step.done) break;
      must(step.value instanceof Uint8Array, 'output yielded something that is not a Uint8Array');
      // A transport may reuse the memory.
      chunks.push(Uint8Array.from(step.value));
    }
    this.#seen = Buffer.concat(chunks);
    return ownLines(this.#seen);
  }

  async readErrors(): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    const reading = this.transport.errorOutput[Symbol.asyncIterator]();
    for (;;) {
      const step = await this.within('a read of errorOutput', reading.next());
      if (step.done) return ownLines(Buffer.concat(chunks));
      chunks.push(Uint8Array.from(step.value));
    }
  }

  #words(): string {
    return this.#seen.toString('utf8').slice(-300);
  }
}

/** An agent with steps only. */
export function agent(...steps: readonly AgentStep[]): ContractAgent {
  return { steps, args: [], env: {}, files: [] };
}

/** Other lines, such as the banner of a remote machine or the frames of a scripted CLI, do not count. */
function ownLines(bytes: Buffer): Buffer {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from);
    const next = end === -1 ? bytes.length : end + 1;
    const line = bytes.subarray(from, next);
    if (line.subarray(0, OWN.length).toString('latin1') === OWN) lines.push(line);
    from = next;
  }
  return Buffer.concat(lines);
}

const OWN = 'contract:';
