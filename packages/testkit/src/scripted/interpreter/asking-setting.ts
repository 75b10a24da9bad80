import { type JsonObject, objectOf, objectsIn } from '../../json.ts';

/**
 * True if a hook in the settings makes the CLI ask about this call, as in a session that resumes a parked request. Other commands
 * of settings have no effect: the scripted CLI does not run them.
 */
export function settingsAsk(settings: JsonObject | undefined, toolUseId: string): boolean {
  const commands = objectsIn(objectOf(settings?.hooks)?.PreToolUse)
    .flatMap(({ hooks }) => objectsIn(hooks))
    .map(({ command }) => String(command));
  const asks = ['"permissionDecision":"ask"', `"tool_use_id":"${toolUseId}"`];
  return commands.some((command) => asks.every((part) => command.includes(part)));
}
