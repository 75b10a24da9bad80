import type { CallbackReply } from '../../src/hooks/callback-events.ts';
import { PermissionDispatcher, type PermissionEvent } from '../../src/permissions/dispatch.ts';
import type { CanUseTool } from '../../src/permissions/request.ts';
import { currentContext } from '../../src/timing/caller.ts';
import type { Warning } from '../../src/warnings/warning.ts';

/** A dispatcher with everything around it that a test looks at. */
export interface PermissionDesk {
  readonly dispatcher: PermissionDispatcher;
  readonly warnings: Warning[];
  readonly events: PermissionEvent[];
  /** Asks for a permission as the CLI does. */
  ask(request?: unknown, requestId?: string): CallbackReply | Promise<CallbackReply>;
}

/** A `can_use_tool` request as 2.1.325 sends it. */
export const writeRequest: Readonly<Record<string, unknown>> = {
  subtype: 'can_use_tool',
  tool_name: 'Write',
  display_name: 'Write',
  input: { file_path: '/home/user/out.txt', content: 'orig' },
  description: 'out.txt',
  permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
  tool_use_id: 'toolu_1',
};

/** A question of the model. */
export const questionRequest: Readonly<Record<string, unknown>> = {
  subtype: 'can_use_tool',
  tool_name: 'AskUserQuestion',
  display_name: 'AskUserQuestion',
  input: {
    questions: [
      {
        question: 'Which?',
        header: 'Pick',
        options: [
          { label: 'A', description: 'a' },
          { label: 'B', description: 'b' },
        ],
        multiSelect: true,
      },
    ],
  },
  tool_use_id: 'toolu_2',
  requires_user_interaction: true,
};

/** Sets up a dispatcher on the test's (fake) clock. */
export function permissionDesk(
  canUseTool: CanUseTool | undefined,
  permissionTimeoutMs = 0,
  onEvent: (event: PermissionEvent) => void = () => {},
): PermissionDesk {
  const warnings: Warning[] = [];
  const events: PermissionEvent[] = [];
  let count = 0;
  const dispatcher = new PermissionDispatcher({
    canUseTool,
    limits: { permissionTimeoutMs },
    now: () => Date.now(),
    sessionId: () => 'session-1',
    context: currentContext,
    warn: (warning) => warnings.push(warning),
    // Numbered in place, as a session's report does it.
    report: (event) => {
      events.push(Object.assign(event, { seq: events.length, at: Date.now() }));
      onEvent(event);
    },
  });
  return {
    dispatcher,
    warnings,
    events,
    ask: (request = writeRequest, requestId = `ask-${count++}`) =>
      dispatcher.handle({ requestId, request, arrivedAt: Date.now() }),
  };
}
