import type { CallbackContext } from '../hooks/events.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';

/**
 * What tells that `canUseTool` was written for the official SDK, which calls it with `(toolName, input, options)`. Called
 * with one request, it compares an object with names and allows whatever it does not find; such an allow must not count.
 */
export function officialAnswer(result: JsonObject, context: CallbackContext): string | undefined {
  const { decision, behavior, updatedInput } = result;
  if ((decision ?? behavior) !== 'allow') return undefined;
  if (isCopyOf(updatedInput, context)) {
    return `its updatedInput is the context: ${CALLED}`;
  }
  if (decision === undefined && updatedInput === undefined) {
    return `an allow in the CLI's own form needs updatedInput: ${CALLED}`;
  }
  return undefined;
}

const CALLED =
  'here canUseTool is called as canUseTool(request, context), and allow() and deny() are its answers; see docs/migration.md';

/** The context itself, or what spreading it or sending it through JSON makes of it; the id of the call is in no tool's input. */
function isCopyOf(input: unknown, context: CallbackContext): boolean {
  if (input === context) return true;
  if (!isJsonObject(input)) return false;
  const { sessionId, toolUseId } = context;
  return toolUseId !== undefined && input.toolUseId === toolUseId && input.sessionId === sessionId;
}
