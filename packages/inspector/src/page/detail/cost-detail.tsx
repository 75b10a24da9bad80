import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ConversationDetail, TurnInfo, TurnsPage } from '../../api.ts';
import { getJson } from '../connection/http.ts';
import { inRequestOrder } from '../connection/request-order.ts';
import { attempt } from '../layout/toasts.tsx';
import { linkToConversation } from '../route.ts';
import { count, duration, modelName, spent, usd } from '../text/format.ts';
import { visible } from '../text/visible.ts';

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
  const models = Object.entries(detail?.costByModel ?? {});
  const highest = Math.max(0.000_001, ...turns.value.map((turn) => turn.cost?.usd ?? 0));
  return (
    <>
      {models.length === 0 ? null : (
        <section>
          <h3 class="section-title">By model</h3>
          <table class="figures small numbers">
            <thead>
              <tr>
                <th>Model</th>
                <th>In</th>
                <th>Out</th>
                <th>Cost</th>
              </tr>
            </thead>
            <tbody>
              {models.map(([model, { usd: cost, tokens }]) => (
                <tr key={model}>
                  <td>{modelName(visible(model))}</td>
                  <td>{count(tokens.input + tokens.cacheRead + tokens.cacheCreation)}</td>
                  <td>{count(tokens.output)}</td>
                  <td>{cost === 0 ? '–' : usd(cost)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
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
                <span class="turn-bar" style={{ width: `${((turn.cost?.usd ?? 0) / highest) * 100}%` }} />
              </a>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
