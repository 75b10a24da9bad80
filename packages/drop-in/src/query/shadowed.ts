import type { Options } from '../declarations/options.ts';

const CODE = 'CLAUDE_SDK_CAN_USE_TOOL_SHADOWED';

/** Warns like the official SDK if other options answer before `canUseTool`. */
export function warnOfShadowedCallback({ canUseTool, permissionMode, allowedTools = [] }: Options): void {
  if (!canUseTool) return;
  const whole = allowedTools.filter((rule) => !rule.includes('('));
  if (permissionMode === 'bypassPermissions') {
    process.emitWarning('canUseTool is not called: permissionMode "bypassPermissions" allows everything.', {
      code: CODE,
    });
  } else if (whole.length > 0) {
    const message = `canUseTool is not called for ${whole.join(', ')}: allowedTools allows every call.`;
    process.emitWarning(message, { code: CODE });
  }
}
