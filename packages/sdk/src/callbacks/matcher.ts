import { type Warning, warning } from '../warnings/warning.ts';
import { comparedField } from './abilities.ts';
import type { RegisteredHook } from './registry.ts';

/** The problem with a matcher. The CLI itself would not report it and never call the hook. */
export function matcherProblem(matcher: string): string | undefined {
  try {
    if (matcher !== '*') new RegExp(matcher);
    return undefined;
  } catch (error) {
    return `is not a valid regular expression: ${error instanceof Error ? error.message : 'it cannot be read'}`;
  }
}

/** Warns about hooks whose matcher matches no tool of the session. */
export function neverMatching(
  hooks: readonly Pick<RegisteredHook, 'id' | 'event' | 'matcher'>[],
  toolNames: readonly string[],
): Warning[] {
  return hooks
    .filter(({ event, matcher }) => comparedField(event) === 'tool_name' && !matcherCanMatch(matcher, toolNames))
    .map(({ id, event, matcher }) => {
      const message = `The matcher ${JSON.stringify(matcher)} of ${event} matches no tool of this session, so ${id} is never called.`;
      return warning('matcher-never-matches', message, { hook: id, event, matcher });
    });
}

/**
 * Whether a matcher matches one of the tools, as the CLI reads it: letters, digits, `_`, `|`, `,` and spaces form a list of
 * exact names. Anything else is a regular expression that may match anywhere in the name.
 */
export function matcherCanMatch(matcher: string | null, toolNames: readonly string[]): boolean {
  if (matcher === null || matcher === '' || matcher === '*') return true;
  const names = withAliases(toolNames);
  if (/^[A-Za-z0-9_|, ]+$/.test(matcher)) {
    const wanted = matcher.split(/[|,]/).map((name) => name.trim());
    return names.some((name) => wanted.includes(name));
  }
  const regex = new RegExp(matcher);
  return names.some((name) => regex.test(name));
}

/** `system/init` may list the subagent tool under its older name. */
function withAliases(toolNames: readonly string[]): readonly string[] {
  if (toolNames.includes('Task')) return [...toolNames, 'Agent'];
  return toolNames.includes('Agent') ? [...toolNames, 'Task'] : toolNames;
}
