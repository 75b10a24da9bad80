import { type Warning, warning } from '../warnings/warning.ts';
import { toolEvents } from './abilities.ts';

/** What is wrong with a hook's matcher; the CLI itself would say nothing and never call the hook. */
export function matcherProblem(matcher: unknown): string | undefined {
  if (matcher === undefined || matcher === null) return undefined;
  if (typeof matcher !== 'string') return 'must be a string, or null for all tools.';
  if (matchesAll(matcher) || isListOfNames(matcher)) return undefined;
  const regex = regexOf(matcher);
  return typeof regex === 'string' ? `is not a valid regular expression: ${regex}` : undefined;
}

/**
 * Whether a matcher fits one of some tools, by the CLI's own reading: letters, digits, `_`, `|`, `,` and spaces make a list
 * of exact names, anything else is a regular expression that may match anywhere in the name.
 */
export function matcherCanMatch(matcher: string | null | undefined, toolNames: readonly string[]): boolean {
  if (matcher === undefined || matcher === null || matchesAll(matcher)) return true;
  const names = withAliases(toolNames);
  if (isListOfNames(matcher)) {
    const wanted = matcher.split(/[|,]/).map((name) => name.trim());
    return names.some((name) => wanted.includes(name));
  }
  const regex = regexOf(matcher);
  return typeof regex !== 'string' && names.some((name) => regex.test(name));
}

/** Warns of hooks whose matcher fits no tool of `system/init.tools`. */
export function neverMatching(
  hooks: readonly { readonly id: string; readonly event: string; readonly matcher: string | null }[],
  toolNames: readonly string[],
): readonly Warning[] {
  return hooks
    .filter(({ event, matcher }) => toolEvents.includes(event) && !matcherCanMatch(matcher, toolNames))
    .map(({ id, event, matcher }) =>
      warning(
        'matcher-never-matches',
        `The matcher '${matcher}' of ${id} (${event}) fits no tool of this session, so the hook is never called.`,
        { hook: id, event, matcher },
      ),
    );
}

function matchesAll(matcher: string): boolean {
  return matcher === '' || matcher === '*';
}

function isListOfNames(matcher: string): boolean {
  return /^[A-Za-z0-9_|, ]+$/.test(matcher);
}

function regexOf(matcher: string): RegExp | string {
  try {
    return new RegExp(matcher);
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be read';
  }
}

/** `system/init` lists the subagent tool by its older name. */
function withAliases(toolNames: readonly string[]): readonly string[] {
  if (toolNames.includes('Task')) return [...toolNames, 'Agent'];
  return toolNames.includes('Agent') ? [...toolNames, 'Task'] : toolNames;
}
