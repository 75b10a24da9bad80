import type { PrintedText } from './printed-text.ts';
import { hintFromText } from './process-failure.ts';
import type { StderrTail } from './stderr-tail.ts';

/** The output of a CLI that failed to start, without secrets. */
export interface StartOutput {
  readonly stderrTail: string;
  readonly said: string;
  readonly hint: string | undefined;
}

/** `reason` is the one from the CLI's result; it is the most specific. */
export function startOutput(stderr: StderrTail, printed: PrintedText, reason?: string): StartOutput {
  const stderrTail = stderr.text();
  const said = reason || `${stderrTail}\n${printed.text}`.trim();
  return { stderrTail, said, hint: hintFromText(`${stderr.raw()}\n${said}`) };
}
