import type { Bench } from './bench.ts';

/** The verdict of a release on a feature; the note describes what happened instead, or the difference. */
export type Verdict =
  | { readonly verdict: 'yes' }
  | { readonly verdict: 'no'; readonly note: string }
  | { readonly verdict: 'differs'; readonly note: string };

/** The parts of the protocol, in display order. */
export const GROUPS = [
  'one-shot',
  'session',
  'session store',
  'control requests',
  'hook events',
  'hook decisions',
  'permissions',
  'MCP',
  'flags',
] as const;

/** A part of the protocol. */
export type Group = (typeof GROUPS)[number];

/** A feature that can be measured. */
export interface Feature {
  /** `set_model`, `hook:PreToolUse`, `--effort`: what `--bisect` takes. */
  readonly id: string;
  readonly group: Group;
  readonly title: string;
}

/** A feature, and how the behaviour of a real CLI proves that it has it. */
export interface Probe extends Feature {
  /** An exception counts as no. */
  prove(bench: Bench): Promise<Verdict>;
}

/** The feature works as the SDK promises. */
export const yes: Verdict = { verdict: 'yes' };

/** The feature is missing or has no effect. */
export function no(note: string): Verdict {
  return { verdict: 'no', note };
}

/** The feature exists but works differently. */
export function differs(note: string): Verdict {
  return { verdict: 'differs', note };
}

/** Yes if all facts are true, otherwise no with the false ones. */
export function expecting(facts: Readonly<Record<string, boolean>>): Verdict {
  const wrong = Object.entries(facts).filter(([, holds]) => !holds);
  return wrong.length === 0 ? yes : no(`failed: ${wrong.map(([fact]) => fact).join('; ')}`);
}
