import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import type { QueuedTurn, QueueInfo } from '../../api.ts';
import { getJson } from '../connection/http.ts';
import { now } from '../layout/clock.ts';
import { Icon } from '../layout/icon.tsx';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { attempt } from '../layout/toasts.tsx';
import { ViewHead } from '../layout/view-head.tsx';
import { queuesVersion } from '../plots/stats-version.ts';
import { linkToConversation } from '../route.ts';
import { age, clock, plural } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** Pools and fleets: what waits, who works, what is paused, what will not run again. */
export function QueuesView(): ComponentChild {
  const queues = useSignal<readonly QueueInfo[] | null>(null);
  const version = queuesVersion.value;
  useEffect(() => {
    void attempt(async () => {
      queues.value = (await getJson<{ queues: readonly QueueInfo[] }>('api/queues')).queues;
    });
  }, [version]);
  const found = queues.value;
  return (
    <>
      <ViewHead title="Queues" note={found === null ? 'Loading …' : plural(found.length, 'queue')} />
      <ScrollRegion name="view" label="Queues">
        {found?.map((queue) => (
          <Queue key={queue.source} queue={queue} />
        ))}
      </ScrollRegion>
    </>
  );
}

function Queue({ queue }: { readonly queue: QueueInfo }): ComponentChild {
  const ended = Object.entries(queue.ended).map(([outcome, amount]) => `${amount} ${outcome}`);
  return (
    <section class="plot-block">
      <h3>{visible(queue.label)}</h3>
      <p class="small numbers">
        {[
          visible(queue.state),
          `${queue.running} of ${queue.slots} slots busy`,
          `${queue.queued} waiting`,
          ...ended,
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
      {queue.workers.length === 0 ? null : (
        <ul class="tree small">
          {queue.workers.map((worker) => (
            <li key={worker.id} class="tree-row">
              <Icon name={worker.state === 'lost' ? 'failed' : worker.state === 'draining' ? 'waiting' : 'running'} />
              <span class="cut grow">{visible(worker.name)}</span>
              <span>{worker.state}</span>
              <span class="numbers quiet">
                {worker.busy}/{worker.slots} · seen {age(worker.seenAt, now.value)}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Turns title="Waiting" turns={queue.waiting} />
      <Turns title="Will not run again" turns={queue.dead} />
    </section>
  );
}

function Turns({ title, turns }: { readonly title: string; readonly turns: readonly QueuedTurn[] }): ComponentChild {
  if (turns.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ul class="tree small">
        {turns.map((turn) => (
          <li key={turn.id} class="tree-row">
            {turn.conversation === null ? (
              <span class="cut grow">{visible(turn.title || (turn.key ?? turn.id))}</span>
            ) : (
              <a class="cut grow" href={linkToConversation(turn.conversation)}>
                {visible(turn.title || (turn.key ?? turn.id))}
              </a>
            )}
            {turn.note === null ? null : <span class="quiet cut">{visible(turn.note)}</span>}
            <span class="numbers quiet">{age(turn.since, now.value)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
