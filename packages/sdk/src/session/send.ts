import type { OutputSchema } from '../options/groups.ts';
import { checkTurn } from '../options/turn.ts';
import { currentContext } from '../stream/async-context.ts';
import type { UserContent } from '../wire/messages.ts';
import { interruptSession } from './interrupt.ts';
import { isFinal } from './lifecycle.ts';
import type { LiveSession } from './live.ts';
import { SessionTurn, type TurnHost, type TurnOptions } from './turn.ts';

/** Makes a turn and puts it in the queue. Never throws: what is wrong comes out of the turn. */
export function sendTurn<T>(
  live: LiveSession,
  prompt: UserContent,
  options: TurnOptions,
  outputSchema: OutputSchema<T> | undefined,
  holds: object = {},
  id: string = crypto.randomUUID(),
): SessionTurn<T> {
  const { timeoutMs, idleTimeoutMs } = live.plan.given;
  const own = Object.entries(options ?? {}).filter(([, value]) => value !== undefined);
  const {
    problem,
    content,
    turn: settings,
  } = checkTurn(prompt, {
    timeoutMs,
    idleTimeoutMs,
    ...Object.fromEntries(own),
  });
  const turn = new SessionTurn<T>(
    { id, content, options: settings, inContext: currentContext(), holds },
    {
      host: turnHost(live),
      feed: {
        bufferBytes: live.limits.bufferBytes,
        backlogBytes: live.limits.backlogBytes,
        pausable: () => live.pausable,
        onDrained: () => live.link?.resume(),
      },
      outputSchema,
    },
  );
  if (problem) turn.feed.end(problem);
  else if (isFinal(live.state) || live.state === 'stopping') turn.feed.end(live.stoppedError('The turn was not sent'));
  else live.turns.add(turn);
  return turn;
}

function turnHost(live: LiveSession): TurnHost {
  return {
    steer: (turn, content) => live.turns.addTo(turn, content),
    async interruptTurn(turn) {
      if (live.turns.takeBack(turn)) return { stillQueued: [] };
      return live.turns.current === turn ? interruptSession(live) : { stillQueued: [] };
    },
    warn: (warning) => live.report.warn(warning),
    redact: live.redact,
  };
}
