import type { TurnOutcome } from '../turn/outcome.ts';
import { checkedRetry, retryDelayMs } from '../turn/retry-policy.ts';
import type { Claim } from './claim.ts';
import type { EndReasons } from './ending.ts';
import { isCommand } from './is-command.ts';
import { mayReplay } from './may-replay.ts';
import type { RunContext } from './run-context.ts';

/**
 * Time until the next attempt of a turn whose attempt has ended; undefined if its outcome counts. A prompt is sent again only if nothing
 * ran, or if `replay` of the agent allows it. A command may have run something without a message about it.
 */
export function nextAttemptMs(
  claim: Claim,
  { agent: { retry, replay }, onError }: Pick<RunContext, 'agent' | 'onError'>,
  end: { readonly outcome: TurnOutcome; readonly reasons: EndReasons; readonly acted: boolean },
): number | undefined {
  const { outcome, reasons, acted } = end;
  const policy = claim.retry ?? (retry && checkedRetry(retry));
  if (policy === undefined || reasons.cancelledBy !== undefined || claim.parked !== undefined) return undefined;
  const afterMs = retryDelayMs({ policy, retries: claim.retries, outcome, random: Math.random() });
  if (afterMs === undefined) return undefined;
  if (!acted && !isCommand(claim.prompt)) return afterMs;
  return typeof replay === 'function' && mayReplay(replay, { ...claim, answered: true }, onError) ? afterMs : undefined;
}
