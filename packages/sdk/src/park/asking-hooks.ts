import { askUser, type DecisionOf } from '../callbacks/decisions.ts';
import type { Hook, HookList, HookRun, Hooks } from '../callbacks/hook-events.ts';
import type { HookInputs } from '../callbacks/hook-inputs.ts';
import { keepingHooksOn } from '../options/hooks-off.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import type { ResumedRequest } from './parked-request.ts';

/** Whether the hooks of the session were called for the parked request. */
export interface HookWatch {
  called: boolean;
}

/**
 * Settings with a hook that makes the CLI ask for a parked call, even if a rule or the mode of the session would allow
 * it. The CLI resumes the call when it starts, before 2.1.326 possibly before it has read the handshake, which
 * registers the hooks of the session. Settings files that switch hooks off have no effect.
 */
export function askingSettings(settings: unknown, { request }: ResumedRequest): JsonObject {
  const given = isJsonObject(settings) ? settings : {};
  const hooks = isJsonObject(given.hooks) ? given.hooks : {};
  const before = Array.isArray(hooks.PreToolUse) ? hooks.PreToolUse : [];
  const asks = { matcher: '', hooks: [{ type: 'command', command: askCommand(request.toolUseId ?? '') }] };
  return {
    ...keepingHooksOn(given),
    disableAllHooks: false,
    hooks: { ...hooks, PreToolUse: [...before, asks] },
  };
}

const ASK = JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } });

/** A command that requests a permission for one call, or for every call if it cannot read the hook input on its stdin. */
function askCommand(toolUseId: string): string {
  const named = `"tool_use_id":"${toolUseId}"`;
  return `input=$(tr -d '[:space:]') && case "$input" in *'${named}'*) false;; esac || printf %s '${ASK}'`;
}

/**
 * Adds a hook that requests a permission for the parked call, and records that the session's hooks were called for it. A
 * `PermissionRequest` hook can deny this call but not allow it, because only answers to the request are checked and sent
 * once.
 */
export function watchedHooks(hooks: Hooks | undefined, { request }: ResumedRequest, watch: HookWatch): Hooks {
  const { PreToolUse: given = [], PermissionRequest: deciding = [], ...others } = hooks ?? {};
  const note = ({ tool_use_id: id }: { readonly tool_use_id?: string }): DecisionOf<'askUser'> | undefined => {
    if (id !== request.toolUseId) return undefined;
    watch.called = true;
    return askUser();
  };
  return {
    ...others,
    PreToolUse: [note, ...listed(given)],
    PermissionRequest: listed(deciding).map((hook) => denying(hook, request.toolUseId)),
  };
}

type PermissionHook = Hook<HookInputs['PermissionRequest']>;

/** Restricts a hook to denying the call with this id; other calls are not affected. */
function denying(hook: PermissionHook | PermissionHook['run'], toolUseId: string | undefined): PermissionHook {
  const { run, ...terms } = typeof hook === 'function' ? { run: hook } : hook;
  return {
    ...terms,
    async run(input, context) {
      const result = await run(input, context);
      if (context.toolUseId !== toolUseId) return result;
      return isJsonObject(result) && result.decision === 'deny' ? result : undefined;
    },
  };
}

function listed<Input>(hooks: HookList<Input>): readonly (Hook<Input> | HookRun<Input>)[] {
  // `Array.isArray` does not narrow a readonly array.
  return Array.isArray(hooks) ? hooks : [hooks as Hook<Input> | HookRun<Input>];
}
