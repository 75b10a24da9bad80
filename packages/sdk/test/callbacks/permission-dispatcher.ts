import { PermissionDispatcher, type PermissionEvent } from '../../src/callbacks/permission-dispatch.ts';
import type { CanUseTool } from '../../src/callbacks/permission-request.ts';
import { defaultLimits } from '../../src/limits.ts';
import { currentContext } from '../../src/timing/caller.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { Replies, type Reply } from './replies.ts';

/** A dispatcher, with everything it reports. */
export interface TestPermissions {
  readonly dispatcher: PermissionDispatcher;
  readonly warnings: Warning[];
  readonly events: PermissionEvent[];
  /** Requests a permission as the CLI does. */
  ask(request?: unknown, requestId?: string): Reply;
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

/** Creates a dispatcher on the (fake) clock of the test. */
export function permissionDispatcher(
  canUseTool: CanUseTool | undefined,
  permissionTimeoutMs = 0,
  onEvent: (event: PermissionEvent) => void = () => {},
): TestPermissions {
  const warnings: Warning[] = [];
  const events: PermissionEvent[] = [];
  const replies = new Replies();
  let count = 0;
  const dispatcher = new PermissionDispatcher({
    canUseTool,
    updates: {},
    limits: { ...defaultLimits, permissionTimeoutMs },
    now: () => Date.now(),
    sessionId: () => 'session-1',
    context: currentContext,
    warn: (warning) => warnings.push(warning),
    report: {
      skip: () => false,
      event: (event) => {
        events.push({ ...event });
        onEvent(event);
      },
    },
    requested: () => {},
    answered: () => {},
    settled: (id, answer) => replies.settle(id, answer),
  });
  return {
    dispatcher,
    warnings,
    events,
    ask: (request = writeRequest, requestId = `ask-${count++}`) =>
      replies.to(requestId, () => dispatcher.handle(requestId, request, Date.now())),
  };
}
