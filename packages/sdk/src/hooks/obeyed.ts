/**
 * What a hook can give back that not every release obeys, by its name in the table of releases, with the first release
 * that does. An older one ignores it in silence. Measured.
 */
export const OBEYED_SINCE = {
  'PreToolUse:allow:updatedInput': '2.0.10',
  'PreToolUse:modify': '2.1.2',
  'PreToolUse:context': '2.1.9',
  'PreToolUse:ask': '2.1.85',
  'PreToolUse:defer': '2.1.89',
  'PostToolUse:replaceOutput': '2.1.121',
  /** A deny with `continue: false`, or with `interrupt`, ends the turn by itself. */
  stop: '2.1.325',
} as const;

/** One of them. */
export type LateOutcome = keyof typeof OBEYED_SINCE;
