import { buildRegistry, type RegisteredHook } from '../callbacks/registry.ts';
import { initializeFields } from '../options/flag-table.ts';
import { hasHooks, keepingHooksOn } from '../options/hooks-off.ts';
import type { RunPlan } from '../options/plan.ts';
import { autoAllowed, ownServers, type SdkMcpServer } from '../options/sdk-server.ts';
import { askingSettings, type HookWatch, watchedHooks } from '../park/asking-hooks.ts';
import type { ResumedRequest } from '../park/parked-request.ts';

/** The options of a session, prepared for its start. */
export interface SessionPlan {
  /** The plan with the options as the command line takes them. */
  readonly run: RunPlan;
  /** The options as the caller gave them. */
  readonly given: RunPlan['options'];
  /** Known from the start, except when the CLI chooses the conversation itself. */
  readonly sessionId: string | undefined;
  readonly hooks: readonly RegisteredHook[];
  readonly toolServers: Readonly<Record<string, SdkMcpServer>>;
  /** The body of the `initialize` request. */
  readonly initialize: Readonly<Record<string, unknown>>;
  /** The parked request that the session resumes, and whether the hooks were called for it. */
  readonly parked: (ResumedRequest & { readonly guard: HookWatch }) | undefined;
}

/** Splits the options into command line, handshake and what stays in this process. */
export function planSessionRun(plan: RunPlan, parked?: ResumedRequest): SessionPlan {
  const { options } = plan;
  const own = ownServers(options.mcpServers ?? {});
  const { resume, forkSession } = options;
  const keepsId = resume !== undefined && !forkSession;
  // The CLI chooses the conversation with `continue`.
  const chosenId = options.continue && resume === undefined ? undefined : crypto.randomUUID();
  const sessionId = options.sessionId ?? (keepsId ? resume : chosenId);
  const allowed = [...(options.allowedTools ?? []), ...autoAllowed(own)];
  const guard: HookWatch = { called: false };
  const registry = buildRegistry(parked ? watchedHooks(options.hooks, parked, guard) : options.hooks, plan.limits);
  const names = Object.keys(own);
  return {
    run: {
      ...plan,
      resumesCall: parked !== undefined,
      options: Object.assign({}, options, {
        allowedTools: allowed,
        settings: parked ? askingSettings(options.settings, parked) : settingsOf(options),
        sessionId: keepsId ? undefined : sessionId,
        permissionPromptTool: options.canUseTool || parked ? 'stdio' : options.permissionPromptTool,
      }),
    },
    given: options,
    sessionId,
    hooks: registry.entries,
    toolServers: own,
    initialize: {
      hooks: registry.initialize,
      sdkMcpServers: names.length > 0 ? names : undefined,
      ...initializeFields(options),
    },
    parked: parked && { ...parked, guard },
  };
}

/** The settings on the command line. A file of the caller stays as it is. */
function settingsOf(options: RunPlan['options']): RunPlan['options']['settings'] {
  const { settings, settingSources } = options;
  const isReached = typeof settings !== 'string' && settingSources?.length !== 0;
  return isReached && hasHooks(options) ? keepingHooksOn(settings) : settings;
}
