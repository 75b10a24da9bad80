import type { ComponentChild } from 'preact';
import { Icon } from '../layout/icon.tsx';
import { clock } from '../text/format.ts';
import { connection, lastEventAt, reconnect } from './event-stream.ts';

/** A thin bar while the connection is lost: everything stays readable, and the page retries. */
export function LostBar(): ComponentChild {
  if (connection.value !== 'lost') return null;
  const at = lastEventAt.value;
  return (
    <div class="lost" role="status">
      <Icon name="warning" />
      <span class="grow">
        Connection lost{at === null ? '' : `; the last event arrived at ${clock(at)}`}. Trying again …
      </span>
      <button type="button" class="button button-plain" onClick={reconnect}>
        Try now
      </button>
    </div>
  );
}
