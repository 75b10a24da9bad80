import type { ComponentChild } from 'preact';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { ViewHead } from '../layout/view-head.tsx';
import { plural } from '../text/format.ts';
import { approvals } from './approvals.ts';
import { ApprovalCard } from './card.tsx';

/** All requests that wait for a person, oldest first. */
export function NeedsView(): ComponentChild {
  const waiting = approvals.value.length;
  return (
    <>
      <ViewHead
        title="Needs you"
        note={waiting === 0 ? 'No requests are waiting.' : `${plural(waiting, 'request')}, oldest first`}
      />
      <ScrollRegion name="view needs" label="Requests">
        {waiting === 0 ? (
          <div class="empty">
            <h2>All clear</h2>
            <p>
              When an agent needs permission, asks a question or has a plan to approve, the request appears here and in
              the bar above every view.
            </p>
          </div>
        ) : null}
        {approvals.value.map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} linked />
        ))}
      </ScrollRegion>
    </>
  );
}
