import { outcomeOf } from '../messages/outcome.ts';
import type { ObservedPrompt } from '../report/run-observer.ts';
import type { Watchers } from '../report/watchers.ts';
import type { ItemFeed } from './feed.ts';

/** A turn, or a query, whose prompt has just been given. */
interface WatchedTurn {
  /** A turn that is sent again changes its id. */
  readonly id: string;
  readonly content: ObservedPrompt['content'];
  readonly feed: ItemFeed;
}

/** Tells the watchers of a prompt, and later how its turn ended. */
export function watchTurn(
  watchers: Watchers,
  turn: WatchedTurn,
  { shown, job = null, at = Date.now() }: WatchedTurnParts,
): void {
  if (!watchers.watchTurns) return;
  watchers.prompt({ turn: turn.id, content: turn.content, steers: false, job, at });
  const { ended, cost } = turn.feed;
  // Neither of the two rejects.
  void Promise.all([ended, cost]).then(([failure, cost]) => {
    const result = turn.feed.results.at(-1);
    const outcome = result ? outcomeOf(result).kind : null;
    watchers.turnEnded({ turn: turn.id, outcome, error: failure ? shown(failure) : null, cost });
  });
}

/** What else the watchers are told. */
interface WatchedTurnParts extends Partial<Pick<ObservedPrompt, 'job' | 'at'>> {
  /** An error as plain JSON without secrets. */
  readonly shown: (error: Error) => Readonly<Record<string, unknown>>;
}
