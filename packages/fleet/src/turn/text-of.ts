/** Reads a text from what an agent's function threw, which need not be an error: it may be any value, and refuse to become a text. */
export function textOf(read: () => unknown): string {
  try {
    return String(read());
  } catch {
    return 'It has no text.';
  }
}

/** The message of what was thrown. */
export function messageOf(error: unknown): string {
  return textOf(() => (error instanceof Error ? error.message : error));
}
