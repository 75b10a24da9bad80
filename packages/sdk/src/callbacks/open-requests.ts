/**
 * Counts the CLI's unanswered requests and the bytes of their lines. The CLI decides how many it sends, and an agent how large
 * they are: a request beyond the limits is refused immediately.
 */
export class OpenRequests {
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #bytes = new Map<string, number>();
  #held = 0;

  constructor(most: number, mostBytes: number) {
    this.#most = most;
    this.#mostBytes = mostBytes;
  }

  /** False if the request exceeds a limit. Otherwise it counts until it is released. */
  admit(id: string, bytes: number): boolean {
    if (this.#bytes.size >= this.#most || this.#held + bytes > this.#mostBytes) return false;
    this.release(id);
    this.#bytes.set(id, bytes);
    this.#held += bytes;
    return true;
  }

  release(id: string): void {
    this.#held -= this.#bytes.get(id) ?? 0;
    this.#bytes.delete(id);
  }
}
