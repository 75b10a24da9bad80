import { isObject } from '@coxswain/shared/is-object';

/**
 * The files that a conversation read or changed, as they were before it. The CLI rejects a read of a file that does not exist before
 * it asks for permission, so a rehearsal without these files would not observe the decision.
 */
export class FileSeeds {
  readonly files: Record<string, string> = {};
  /** Files that the conversation created itself. */
  readonly #created = new Set<string>();
  #bytes = 0;

  /** Records the contents in the structured result of a file tool. */
  fromResult(result: unknown): void {
    if (!isObject(result)) return;
    const file = isObject(result.file) ? result.file : undefined;
    if (file !== undefined && typeof file.filePath === 'string' && typeof file.content === 'string') {
      const before = typeof file.startLine === 'number' ? Math.min(Math.max(file.startLine - 1, 0), LONGEST) : 0;
      this.#seed(file.filePath, `${'\n'.repeat(before)}${file.content}`);
    } else if (typeof result.filePath === 'string') {
      if (typeof result.originalFile === 'string') this.#seed(result.filePath, result.originalFile);
      else if (result.type === 'create') this.#created.add(result.filePath);
      else if (typeof result.oldString === 'string') this.#seed(result.filePath, result.oldString);
    }
  }

  #seed(path: string, content: string): void {
    if (Object.hasOwn(this.files, path) || this.#created.has(path)) return;
    if (content.length > LONGEST || this.#bytes + content.length > ALL) return;
    this.#bytes += content.length;
    Object.defineProperty(this.files, path, { value: content, enumerable: true });
  }
}

/** The CLI does not read longer files as text. */
const LONGEST = 1_000_000;
const ALL = 32_000_000;
