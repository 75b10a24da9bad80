import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { QueueAction, QueuedTurn, QueueInfo } from '../../api.ts';
import { actOnQueue, getJson } from '../connection/http.ts';
import { inRequestOrder } from '../connection/request-order.ts';
import { serverInfo } from '../connection/server-info.ts';
import { now } from '../layout/clock.ts';
import { ConfirmButton } from '../layout/confirm-button.tsx';
import { Icon } from '../layout/icon.tsx';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { attempt, notify } from '../layout/toasts.tsx';
import { ViewHead } from '../layout/view-head.tsx';
import { queuesVersion } from '../plots/stats-version.ts';
import { linkToConversation } from '../route.ts';
import { age, clock, plural } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { Parked } from './parked.tsx';

/** Pools and fleets: waiting turns, workers, pauses, and turns that will not run again. */
export function QueuesView(): ComponentChild {
  const queues = useSignal<readonly QueueInfo[] | null>(null);
  const version = queuesVersion.value;
  const read = useMemo(
    () => inRequestOrder<{ readonly queues: readonly QueueInfo[] }>((found) => (queues.value = found.queues)),
    [],
  );
  const load = (): Promise<void> => read(() => getJson('api/queues'));
  useEffect(() => void attempt(load), [version]);
  const found = queues.value;
  return (
    <>
      <ViewHead title="Queues" note={found === null ? 'Loading …' : plural(found.length, 'queue')} />
      <ScrollRegion name="view" label="Queues">
        {found?.map((queue) => (
          <Queue key={queue.id} queue={queue} onActed={() => void attempt(load)} />
        ))}
      </ScrollRegion>
    </>
  );
}

function Queue({ queue, onActed }: { readonly queue: QueueInfo; readonly onActed: () => void }): ComponentChild {
  const ended = Object.entries(queue.ended).filter(([, amount]) => amount > 0);
  return (
    <section class="plot-block">
      <h3>{visible(queue.label)}</h3>
      <p class="small queue-line">
        {[
          visible(queue.state),
          `${queue.running} of ${queue.slots} slots busy`,
          `${queue.queued} waiting`,
          ...(queue.parked > 0 ? [`${queue.parked} parked`] : []),
          ...ended.map(([outcome, amount]) => `${amount} ${outcome}`),
        ].join(' · ')}
      </p>
      {queue.pauses.map((pause) => (
        <p key={pause.scope} class="notice small">
          <Icon name="pause" />
          <span>
            {visible(pause.scope)} is paused until {clock(pause.until)}: {visible(pause.reason)}
          </span>
        </p>
      ))}
      {queue.heldBack.map(({ scope, waiting, reason }) => (
        <p key={scope} class="notice small">
          <Icon name="waiting" />
          <span>
            {waiting} held back by the quota of {visible(scope)}: {visible(reason)}
          </span>
        </p>
      ))}
      {queue.unserved.map(({ waiting, reason }) => (
        <p key={reason} class="notice small">
          <Icon name="waiting" />
          <span>
            {waiting} waiting: {visible(reason)}
          </span>
        </p>
      ))}
      {queue.workers.length === 0 ? null : (
        <ul class="tree small">
          {queue.workers.map((worker) => (
            <li key={worker.id} class="tree-row">
              <Icon name={worker.state === 'lost' ? 'failed' : worker.state === 'draining' ? 'waiting' : 'running'} />
              <span class="cut grow">
                {visible(worker.name)} <span class="quiet">{visible(worker.agents.join(' · '))}</span>
              </span>
              <span>{worker.state}</span>
              <span class="numbers quiet">
                {worker.busy}/{worker.slots} · seen {age(worker.seenAt, now.value)}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Parked queue={queue} />
      <Turns title="Waiting, oldest first" turns={queue.waiting} queue={queue.id} action="cancel" onActed={onActed} />
      <Turns title="No worker could start" turns={queue.dead} queue={queue.id} action="resend" onActed={onActed} />
    </section>
  );
}

interface TurnsProps extends Pick<ActionProps, 'queue' | 'action' | 'onActed'> {
  readonly title: string;
  readonly turns: readonly QueuedTurn[];
}

function Turns({ title, turns, ...acting }: TurnsProps): ComponentChild {
  if (turns.length === 0) return null;
  return (
    <>
      <h4 class="queue-title">{title}</h4>
      <ul class="tree small">
        {[...turns]
          .sort((a, b) => a.since - b.since)
          .map((turn) => (
            <li key={turn.id} class="queue-row">
              {turn.key === null ? <span /> : <span class="tag small cut queue-key">{visible(turn.key)}</span>}
              {turn.conversation === null ? (
                <span class="cut">{titleOf(turn)}</span>
              ) : (
                <a class="cut" href={linkToConversation(turn.conversation)}>
                  {titleOf(turn)}
                </a>
              )}
              <span class="numbers quiet">{age(turn.since, now.value)}</span>
              <ActionButton turn={turn} {...acting} />
              {turn.note === null ? null : <span class="quiet queue-note">{visible(turn.note)}</span>}
            </li>
          ))}
      </ul>
    </>
  );
}

interface ActionProps {
  readonly queue: string;
  readonly turn: QueuedTurn;
  readonly action: QueueAction['action'];
  readonly onActed: () => void;
}

const DONE: Readonly<Record<QueueAction['action'], string>> = { cancel: 'Cancelled', resend: 'Sent again' };

function ActionButton({ queue, turn, action, onActed }: ActionProps): ComponentChild {
  const isBusy = useSignal(false);
  if (serverInfo.value?.readOnly) return null;
  const title = titleOf(turn);
  const act = async (): Promise<void> => {
    isBusy.value = true;
    const worked = await attempt(() => actOnQueue(queue, { action, turn: turn.id }));
    isBusy.value = false;
    if (worked) notify(`${DONE[action]}: ${title}`);
    onActed();
  };
  if (action === 'cancel') {
    return (
      <ConfirmButton
        name="button button-small"
        label="Cancel"
        question="Really cancel?"
        about={title}
        disabled={isBusy.value}
        onConfirm={() => void act()}
      />
    );
  }
  return (
    <button
      type="button"
      class="button button-small"
      aria-label={`Send again: ${title}`}
      disabled={isBusy.value}
      onClick={() => void act()}
    >
      Send again
    </button>
  );
}

function titleOf({ title, key, id }: QueuedTurn): string {
  return visible(title || (key ?? id));
}
