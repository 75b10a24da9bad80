import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Conversation } from '../../api.ts';
import { connection, unwatch, watch } from '../connection/event-stream.ts';
import { coversPage, detailOpen } from '../detail/panel-state.ts';
import { forgetTurns } from '../detail/turn-events.ts';
import { approvalsOf } from '../needs/approvals.ts';
import { ApprovalCard } from '../needs/card.tsx';
import { settleCards } from '../needs/card-keys.ts';
import { Recording } from '../replay/recording.ts';
import { ReplayBar } from '../replay/replay-bar.tsx';
import { linkToConversation } from '../route.ts';
import { conversationOf, needsFetch, snapshots } from '../sessions/conversations.ts';
import { loadConversation } from '../sessions/load-conversation.ts';
import { plural } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { Entries } from '../transcript/entries.ts';
import { selectedEntry } from '../transcript/selection.ts';
import { type Start, Transcript } from '../transcript/transcript.tsx';
import { Composer } from './composer.tsx';
import { ForkForm } from './fork-form.tsx';
import { forkable, forkFrom } from './fork-from.ts';
import { ConversationHeader } from './header.tsx';
import { openTranscript } from './open-transcript.ts';

/** A conversation: its header, its transcript, its requests and the input. */
export function ConversationView({
  id,
  entry,
}: {
  readonly id: string;
  readonly entry: number | null;
}): ComponentChild {
  const conversation = conversationOf(id);
  const failure = useSignal<string | null>(null);
  const folded = useSignal(false);
  const replay = useSignal<Recording | null>(null);
  const isFetching = useRef(false);
  const entries = useMemo(() => new Entries(id), [id]);
  const start = useSignal(entry === null ? null : { row: entry });
  const isLive = connection.value === 'live';
  useEffect(() => {
    failure.value = null;
    replay.value = null;
    openTranscript.value = entries;
    selectedEntry.value = entry === null ? null : { conversation: id, n: entry };
    watch(id);
    void entries.open(entry);
    return () => {
      if (openTranscript.peek() === entries) openTranscript.value = null;
      unwatch(id);
      forgetTurns();
    };
  }, [id]);
  // A link to another entry of the same conversation scrolls there; an entry selected on the page is already in view.
  useEffect(() => {
    const selected = selectedEntry.peek();
    if (entry === (selected?.conversation === id ? selected.n : null)) return;
    selectedEntry.value = entry === null ? null : { conversation: id, n: entry };
    if (entry === null) return;
    // The replay may not have reached this entry yet.
    replay.value = null;
    start.value = { row: entry };
    if (coversPage()) detailOpen.value = false;
  }, [entry]);
  // Fetched again when it is unknown, when a snapshot does not contain it, and when the server is reachable again.
  useEffect(() => {
    if (needsFetch(id)) void loadConversation(id).then((problem) => (failure.value = problem));
  }, [id, conversation === undefined, snapshots.value, isLive]);
  useEffect(() => {
    if (isLive) entries.retry();
  }, [isLive]);
  const canFork = replay.value === null && conversation?.actions.includes('fork') === true;
  useEffect(() => {
    forkable.value = canFork ? id : null;
    return () => {
      forkable.value = null;
    };
  }, [id, canFork]);
  if (conversation === undefined) {
    return failure.value === null ? (
      <p class="empty quiet">Loading …</p>
    ) : (
      <div class="empty">
        <h2>This conversation cannot be shown</h2>
        <p>{failure.value}</p>
        <a class="button" href="#/">
          Back to the list
        </a>
      </div>
    );
  }
  const player = replay.value;
  const waiting = approvalsOf(id).length;
  // An empty or unreadable transcript cannot be replayed; a run that failed can.
  const isEmpty = conversation.entries === 0;
  const isUnreadable = conversation.kind === 'recording' && conversation.state === 'failed' && conversation.turns === 0;
  const canReplay = player === null && !isEmpty && !isUnreadable;
  const startReplay = async (): Promise<void> => {
    // A second click would start it again, perhaps after it was ended.
    if (isFetching.current) return;
    isFetching.current = true;
    try {
      replay.value = await Recording.load(conversation);
    } finally {
      isFetching.current = false;
    }
  };
  const fold = (): void => {
    // The cards move under the finger.
    settleCards();
    folded.value = !folded.value;
  };
  return (
    <>
      <ConversationHeader conversation={conversation} onReplay={canReplay ? () => void startReplay() : undefined} />
      <Body conversation={conversation} entries={entries} player={player} start={start.value} />
      <div class="dock" data-folded={folded.value}>
        {waiting === 0 ? null : (
          <button type="button" class="button fold-cards only-narrow" onClick={fold}>
            {folded.value ? `Answer ${plural(waiting, 'request')}` : 'Look at the conversation first'}
          </button>
        )}
        {approvalsOf(id).map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} linked={false} />
        ))}
        {player === null ? (
          forkFrom.value?.conversation === id ? (
            <ForkForm key={forkFrom.value.prompt.n} conversation={id} prompt={forkFrom.value.prompt} />
          ) : (
            <Composer conversation={conversation} />
          )
        ) : (
          <ReplayBar player={player} onClose={() => (replay.value = null)} />
        )}
      </div>
    </>
  );
}

function Body({
  conversation,
  entries,
  player,
  start,
}: {
  readonly conversation: Conversation;
  readonly entries: Entries;
  readonly player: Recording | null;
  readonly start: Start | null;
}): ComponentChild {
  if (player !== null) return <Transcript key="replay" source={player} start={null} />;
  if (entries.total.value === null) {
    const problem = entries.failure.value;
    return problem === null ? (
      <p class="empty quiet">Loading …</p>
    ) : (
      <div class="empty">
        <h2>The transcript cannot be read</h2>
        <p>{problem.message}</p>
        <button type="button" class="button" onClick={() => entries.reload()}>
          Try again
        </button>
      </div>
    );
  }
  if (entries.total.value === 0) {
    return <Unsaid conversation={conversation} />;
  }
  return <Transcript key={entries.conversation} source={entries} start={start} />;
}

function Unsaid({ conversation: { parent } }: { readonly conversation: Conversation }): ComponentChild {
  if (parent === null) return <p class="empty quiet">No messages yet.</p>;
  const title = visible(conversationOf(parent)?.title ?? '') || 'another conversation';
  return (
    <div class="empty">
      <p>
        This copy contains all messages of “<a href={linkToConversation(parent)}>{title}</a>”. It continues with your
        next prompt.
      </p>
    </div>
  );
}
