import { type Warning, warning } from '../warnings/warning.ts';

/** The warning for a dropped line that was too long. */
export function lineTooLong(bytes: number, limit: number): Warning {
  const message = `The CLI sent a line of ${bytes} bytes, over limits.maxLineBytes; it was dropped.`;
  return warning('line-too-long', message, { bytes, limit });
}
