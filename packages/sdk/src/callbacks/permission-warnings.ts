import type { AgentOptions } from '../options/option-types.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject } from '../wire/kinds.ts';
import type { CanUseTool } from './permission-request.ts';

const POLICY = Symbol('coxswain.policy');

/** Marks the `canUseTool` of a policy, whose rules take precedence on purpose. */
export function ofPolicy(ask: CanUseTool): CanUseTool {
  const canUseTool: CanUseTool = (request, context) => ask(request, context);
  // The check of the option `canUseTool` looks at the number of parameters.
  return Object.defineProperties(canUseTool, { [POLICY]: { value: true }, length: { value: ask.length } });
}

/**
 * Warns about options that keep the CLI from calling `canUseTool`, for all tools or for some. `allowedTools` is as the caller
 * gave it, because the SDK allows its own tools on purpose; the mode is the one the CLI starts in, whichever option set it.
 */
export function shadowedPermissions(
  options: Pick<AgentOptions, 'canUseTool' | 'allowedTools' | 'permissionMode' | 'agents'>,
): readonly Warning[] {
  const { canUseTool, allowedTools, permissionMode, agents } = options;
  if (canUseTool === undefined) return [];
  const why = permissionMode === undefined ? undefined : MODES_WITHOUT_CALLBACK.get(permissionMode);
  if (why !== undefined) {
    return [shadowed(`permissionMode '${permissionMode}' ${why}, so canUseTool is never called.`, { permissionMode })];
  }
  // The `allow` rules of a policy take precedence on purpose.
  const tools = POLICY in canUseTool ? [] : (allowedTools ?? []).filter(coversWholeTool);
  const message = `allowedTools allows every call of ${tools.join(', ')}, so canUseTool is not called for it.`;
  return [...(tools.length === 0 ? [] : [shadowed(message, { tools })]), ...shadowedInAgents(agents)];
}

/** An agent may set a mode. */
function shadowedInAgents(agents: AgentOptions['agents'] = {}): Warning[] {
  return Object.entries(agents).flatMap(([agent, { permissionMode = '' }]) => {
    const why = MODES_WITHOUT_CALLBACK.get(permissionMode);
    if (why === undefined) return [];
    const message = `permissionMode '${permissionMode}' of the agent ${agent} ${why}, so canUseTool is not called for its tools.`;
    return [shadowed(message, { permissionMode, agent })];
  });
}

/** Warns about a CLI that runs in a mode other than requested, in which `canUseTool` may not be called. */
export function unwantedMode(asked: string | undefined, found: string): Warning | undefined {
  if (asked === undefined || asked === found || STRICT_MODES.includes(found)) return undefined;
  const message = `The CLI runs in the permission mode '${found}' instead of '${asked}', so canUseTool may never be called.`;
  return shadowed(message, { permissionMode: found, asked });
}

/** Warns about the tools that were denied in a turn, according to its result. */
export function deniedInResult(result: unknown): Warning | undefined {
  const denials = isJsonObject(result) && Array.isArray(result.permission_denials) ? result.permission_denials : [];
  const names = denials.map((denial: unknown) => (isJsonObject(denial) ? denial.tool_name : undefined));
  const tools = [...new Set(names.filter((name) => typeof name === 'string'))];
  if (tools.length === 0) return undefined;
  const message = `Denied in this turn: ${tools.join(', ')}.`;
  return warning('permission-denied', message, { tools, count: names.length });
}

/** Modes in which the CLI asks about everything that no rule decides. */
const STRICT_MODES: readonly string[] = ['default', 'plan'];

const MODES_WITHOUT_CALLBACK: ReadonlyMap<string, string> = new Map([
  ['bypassPermissions', 'allows every tool'],
  ['dontAsk', 'denies what no rule allows'],
  ['auto', 'lets the CLI decide'],
]);

/** `Bash`, `Bash(*)`, `Bash(:*)`, `mcp__files`, `mcp__files__*`; not `Bash(git log *)`. */
function coversWholeTool(rule: string): boolean {
  return /^[\w-]+\*?(\(\s*:?\*{1,2}\s*\))?$/.test(rule.trim());
}

function shadowed(message: string, context: Readonly<Record<string, unknown>>): Warning {
  return warning('permissions-shadowed', message, context);
}
