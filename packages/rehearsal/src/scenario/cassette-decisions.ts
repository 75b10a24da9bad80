import { isObject } from '@coxswain/shared/is-object';
import type { RecordedRun } from '@coxswain/testkit';

/** What was decided about each call of a run, by its id, as transcripts of newer releases record it. */
export function cassetteDecisions(run: RecordedRun): ReadonlyMap<string, object> {
  const asked = new Map<unknown, { readonly call: string; readonly source: string }>();
  const decisions = new Map<string, object>();
  for (const entry of run.entries) {
    if (!('frame' in entry)) continue;
    const { frame } = entry;
    if (entry.dir === 'out' && frame.type === 'control_request') {
      const about = questionIn(frame.request);
      if (about !== undefined) asked.set(frame.request_id, about);
    } else if (entry.dir === 'in' && frame.type === 'control_response' && isObject(frame.response)) {
      const about = asked.get(frame.response.request_id);
      const decision = about === undefined ? undefined : decisionIn(about.source, frame.response.response);
      if (about !== undefined && decision !== undefined) decisions.set(about.call, { decision, source: about.source });
    }
  }
  return decisions;
}

function questionIn(request: unknown): { readonly call: string; readonly source: string } | undefined {
  if (!isObject(request)) return undefined;
  if (request.subtype === 'can_use_tool') return { call: String(request.tool_use_id), source: 'user_temporary' };
  const input = isObject(request.input) ? request.input : {};
  const decides = input.hook_event_name === 'PreToolUse' || input.hook_event_name === 'PermissionRequest';
  return decides ? { call: String(input.tool_use_id), source: 'hook' } : undefined;
}

function decisionIn(source: string, answer: unknown): 'accept' | 'reject' | undefined {
  if (!isObject(answer)) return undefined;
  if (source !== 'hook') return answer.behavior === 'allow' ? 'accept' : 'reject';
  const output = isObject(answer.hookSpecificOutput) ? answer.hookSpecificOutput : {};
  const inner = isObject(output.decision) ? output.decision.behavior : undefined;
  const decided = output.permissionDecision ?? inner ?? answer.decision;
  if (decided === 'allow' || decided === 'approve') return 'accept';
  return decided === 'deny' || decided === 'block' ? 'reject' : undefined;
}
