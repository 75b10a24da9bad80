import { type Warning, warning } from '../warnings/warning.ts';
import { comesFromPolicy } from './policy.ts';
import type { CanUseTool } from './request.ts';

/** The options that decide whether `canUseTool` is ever asked. */
export interface ShadowingOptions {
  readonly canUseTool?: CanUseTool | undefined;
  /** As the caller gave them: the SDK's own tools are allowed on purpose. */
  readonly allowedTools?: readonly string[] | undefined;
  /** The mode the CLI is asked to start in, wherever it was asked for. */
  readonly permissionMode?: string | undefined;
}

/** Warns of a configuration under which `canUseTool` is not asked: for anything, or for some tools. */
export function shadowedPermissions({
  canUseTool,
  allowedTools,
  permissionMode,
}: ShadowingOptions): readonly Warning[] {
  if (canUseTool === undefined) return [];
  const why = permissionMode === undefined ? undefined : NOBODY_ASKED.get(permissionMode);
  if (why !== undefined) {
    return [shadowed(`permissionMode '${permissionMode}' ${why}, so canUseTool is never asked.`, { permissionMode })];
  }
  const tools = comesFromPolicy(canUseTool) ? [] : (allowedTools ?? []).filter(coversWholeTool);
  if (tools.length === 0) return [];
  return [shadowed(`allowedTools permits ${tools.join(', ')} outright, so canUseTool is not asked for it.`, { tools })];
}

/** Warns of a CLI that runs in a mode nobody asked for, in which `canUseTool` is not asked. */
export function unwantedMode(asked: string | undefined, found: string): Warning | undefined {
  if (asked === undefined || asked === found || STRICT_MODES.includes(found)) return undefined;
  const message = `The CLI runs in the permission mode '${found}' and not in '${asked}', so canUseTool may never be asked.`;
  return shadowed(message, { permissionMode: found, asked });
}

/** Warns of tools that were refused in a turn, as its result says. */
export function deniedInResult(result: unknown): Warning | undefined {
  const denials: unknown =
    typeof result === 'object' && result !== null ? Reflect.get(result, 'permission_denials') : [];
  const names = (Array.isArray(denials) ? denials : []).map((denial: unknown) =>
    typeof denial === 'object' && denial !== null ? Reflect.get(denial, 'tool_name') : undefined,
  );
  const tools = [...new Set(names.filter((name) => typeof name === 'string'))];
  if (tools.length === 0) return undefined;
  return warning('permission-denied', `Not permitted in this turn: ${tools.join(', ')}.`, {
    tools,
    count: names.length,
  });
}

/** In these somebody is asked about whatever no rule decides. */
const STRICT_MODES: readonly string[] = ['default', 'plan'];

const NOBODY_ASKED: ReadonlyMap<string, string> = new Map([
  ['bypassPermissions', 'permits every tool'],
  ['dontAsk', 'refuses what no rule allows'],
  ['auto', 'has the CLI itself judge'],
]);

/** `Bash`, `Bash(*)`, `Bash(:*)`, `mcp__files`, `mcp__files__*`; not `Bash(git log *)`. */
function coversWholeTool(rule: string): boolean {
  return /^[\w-]+\*?(\(\s*:?\*{1,2}\s*\))?$/.test(rule.trim());
}

function shadowed(message: string, context: Readonly<Record<string, unknown>>): Warning {
  return warning('permissions-shadowed', message, context);
}
