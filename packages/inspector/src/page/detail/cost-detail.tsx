import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ConversationDetail, TurnInfo, TurnsPage } from '../../api.ts';
import { addCost, minus, NO_COST } from '../../conversations/cost.ts';
import { getJson } from '../connection/http.ts';
import { inRequestOrder } from '../connection/request-order.ts';
import { attempt } from '../layout/toasts.tsx';
import { CostTable } from '../plots/cost-table.tsx';
import { linkToConversation } from '../route.ts';
import { duration, modelName, spent } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** Differences of sums are not exactly zero. */
const SMALLEST = 0.000_001;

/** The cost of a conversation by model and by turn. */
export function CostDetail({
  id,
  detail,
}: {
  readonly id: string;
  readonly detail: ConversationDetail | null;
}): ComponentChild {
  const turns = useSignal<readonly TurnInfo[]>([]);
  const read = useMemo(() => inRequestOrder<TurnsPage>((page) => (turns.value = page.turns)), [id]);
  useEffect(() => {
    const url = `api/conversations/${encodeURIComponent(id)}/turns?from=-50&limit=50`;
    void attempt(() => read(() => getJson(url)));
  }, [id, detail]);
  const ofTurns = turns.value.reduce((sum, { cost }) => (cost === null ? sum : addCost(sum, cost)), NO_COST);
  const beside = detail === null ? NO_COST : minus(detail.conversation.cost, ofTurns);
  const highest = Math.max(0.000_001, ...turns.value.map((turn) => turn.cost?.usd ?? 0));
  return (
    <>
      {detail === null ? null : (
        <CostTable
          title="By model"
          lines={Object.entries(detail.costByModel).map(([model, cost]) => ({ name: modelName(model), cost }))}
          total={detail.conversation.cost}
          rest="others"
        />
      )}
      <section>
        <h3 class="section-title">By turn</h3>
        {turns.value.length === 0 ? <p class="quiet small">No turn has ended yet.</p> : null}
        <ul class="plain-list small">
          {[...turns.value].reverse().map((turn) => (
            <li key={turn.id}>
              <a class="turn-cost" href={linkToConversation(id, turn.firstEntry)}>
                <span class="cut grow" dir="auto">
                  {visible(turn.title) || 'Turn'}
                </span>
                <span class="quiet numbers">
                  {turn.endedAt === null ? 'running' : duration(turn.endedAt - turn.startedAt)}
                </span>
                <span class="numbers">{spent(turn.cost)}</span>
                <span class="turn-track">
                  <span class="turn-bar" style={{ width: `${((turn.cost?.usd ?? 0) / highest) * 100}%` }} />
                </span>
              </a>
            </li>
          ))}
        </ul>
        {beside.usd < SMALLEST ? null : (
          <p class="turn-cost small">
            <span class="grow quiet">Background work, and turns before these</span>
            <span class="numbers">{spent(beside)}</span>
          </p>
        )}
      </section>
    </>
  );
}
