import type { Options } from '../declarations/options.ts';

const CODE = 'CLAUDE_SDK_CAN_USE_TOOL_SHADOWED';

/** Warns, as the official SDK does, when other options answer before `canUseTool` is asked. */
export function warnOfShadowedCallback({ canUseTool, permissionMode, allowedTools = [] }: Options): void {
  if (!canUseTool) return;
  const whole = allowedTools.filter((rule) => !rule.includes('('));
  if (permissionMode === 'bypassPermissions') {
    process.emitWarning('canUseTool is not asked: permissionMode "bypassPermissions" allows everything.', {
      code: CODE,
    });
  } else if (whole.length > 0) {
    const message = `canUseTool is not asked about ${whole.join(', ')}: allowedTools allows that without asking.`;
    process.emitWarning(message, { code: CODE });
  }
}
