import { isObject } from '@coxswain/shared/is-object';
import type { CallDecider, CallOutcome, RecordedResult } from './scenario.ts';

/** The outcome of a call, from the entry of a transcript that contains its `tool_result` block. */
export function resultIn(tool: string, entry: Fields, block: Fields): RecordedResult {
  const text = textIn(block.content);
  const isError = block.is_error === true;
  const decision = isObject(entry.permissionDecision) ? entry.permissionDecision : undefined;
  const outcome =
    decided(text, isError, decision, entry.toolDenialKind) ?? (isRefusal(tool, text, isError) ? 'refused' : 'ran');
  const how = decision === undefined ? undefined : HOW[String(decision.source)];
  return { outcome, ...(how === undefined ? {} : { how }), text, isError };
}

function decided(
  text: string,
  isError: boolean,
  decision: Fields | undefined,
  denial: unknown,
): CallOutcome | undefined {
  if (isError && /^<tool_use_error>(Error: )?No such tool available/.test(text)) return 'missing';
  if (decision?.decision === 'accept') return 'ran';
  if (decision?.decision === 'reject' || denial !== undefined) return 'refused';
  return isError && text.startsWith('<tool_use_error>') ? 'invalid' : undefined;
}

// Only newer releases record the decision. In older ones the whole result is the reason of the hook or callback. For
// commands it can be recognised, because their errors begin with the exit code.
function isRefusal(tool: string, text: string, isError: boolean): boolean {
  if (!isError) return false;
  if (tool === 'Bash') return !/^(Exit code \d|Command (timed out|was aborted)|Error: )/.test(text);
  return REFUSALS.some((pattern) => pattern.test(text));
}

type Fields = Readonly<Record<string, unknown>>;

const HOW: Readonly<Record<string, CallDecider>> = {
  config: 'rule',
  hook: 'hook',
  user_temporary: 'asked',
  user_permanent: 'asked',
  user_reject: 'asked',
  user_abort: 'asked',
};

const REFUSALS: readonly RegExp[] = [
  /^Permission to use \S+ (with command [\s\S]* )?has been denied/,
  /^Permission for this action has been denied/,
  /^Claude requested permissions? to /,
  /^The user doesn't want to (proceed with|take) this/,
  /^(PreToolUse|PermissionRequest):\S+ hook error/,
  /^\[?Request interrupted by user/,
  /requires approval/,
  /but you haven't granted it/,
];

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter(isObject)
    .map((block) => (block.type === 'text' ? String(block.text ?? '') : `[${String(block.type)}]`))
    .join('\n');
}
