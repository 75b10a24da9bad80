import { TransportError } from '../errors/stream.ts';
import { safely } from '../report/safely.ts';

type Step = IteratorResult<Uint8Array, undefined>;

const DONE: Step = { done: true, value: undefined };

/** The output of a custom transport: yields bytes or fails, and its iteration can be ended at any time. */
export class GivenOutput implements AsyncIterable<Uint8Array> {
  readonly #name: string;
  readonly #read: () => unknown;

  /** `read` may throw or return anything. */
  constructor(name: string, read: () => unknown) {
    this.#name = name;
    this.#read = read;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    let source: AsyncIterator<unknown> | undefined;
    let leave = (): void => {};
    let left = false;
    const next = async (): Promise<Step> => {
      source ??= this.#open();
      return this.#checked(await source.next());
    };
    return {
      next: () =>
        new Promise<Step>((resolve, reject) => {
          if (left) return resolve(DONE);
          leave = () => resolve(DONE);
          next().then(resolve, reject);
        }),
      return: async () => {
        left = true;
        safely(() => source?.return?.());
        leave();
        return DONE;
      },
    };
  }

  #open(): AsyncIterator<unknown> {
    const output = this.#read();
    if (typeof output === 'object' && output !== null && Symbol.asyncIterator in output) {
      // The yielded values are checked; a missing iterator method throws when it is called.
      return (output as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    }
    throw new TransportError(`The \`${this.#name}\` of the transport is not an async iterable of bytes.`);
  }

  #checked(step: IteratorResult<unknown>): Step {
    if (step.done) return DONE;
    const chunk: unknown = step.value;
    if (isBytes(chunk)) return { done: false, value: chunk };
    throw new TransportError(`The \`${this.#name}\` of the transport yielded a ${typeof chunk} instead of bytes.`);
  }
}

/** True also for bytes of another realm, as test runners create them. */
function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && 'BYTES_PER_ELEMENT' in value && value.BYTES_PER_ELEMENT === 1;
}
