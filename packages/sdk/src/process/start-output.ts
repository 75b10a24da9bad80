import type { PrintedText } from './printed-text.ts';
import { hintInWords } from './process-failure.ts';
import type { StderrTail } from './stderr-tail.ts';

/** What a CLI that does not start has said, without secrets. */
export interface StartWords {
  readonly stderrTail: string;
  readonly said: string;
  readonly hint: string | undefined;
}

/** `reason` is the one in its result, which says more than everything else. */
export function startWords(stderr: StderrTail, printed: PrintedText, reason?: string): StartWords {
  const stderrTail = stderr.text();
  const said = reason || `${stderrTail}\n${printed.text}`.trim();
  return { stderrTail, said, hint: hintInWords(`${stderr.raw()}\n${said}`) };
}
