import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Conversation, CostInfo, DayStats, Stats } from '../../api.ts';
import { getJson } from '../connection/http.ts';
import { inRequestOrder } from '../connection/request-order.ts';
import { serverInfo } from '../connection/server-info.ts';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { attempt } from '../layout/toasts.tsx';
import { ViewHead } from '../layout/view-head.tsx';
import { approvals } from '../needs/approvals.ts';
import { ApprovalCard } from '../needs/card.tsx';
import { statsVersion } from '../plots/stats-version.ts';
import { filterCounts, listLoaded, listVersion } from '../sessions/conversations.ts';
import { NoAgents } from '../sessions/no-agents.tsx';
import { costText } from '../text/format.ts';
import { fetchHomeLists, homeLists } from './home-lists.ts';
import { HomeRow } from './home-row.tsx';

const DAYS = 7;

/** What is going on: the requests that wait for a person, what runs, what failed today, and what it costs. */
export function HomeView(): ComponentChild {
  const stats = useSignal<Stats | null>(null);
  const read = useMemo(() => inRequestOrder<Stats>((found) => (stats.value = found)), []);
  const hasCosts = listLoaded.value && serverInfo.value?.has.stats === true;
  useEffect(() => {
    if (hasCosts) void attempt(() => read(() => getJson(`api/stats?days=${DAYS}`)));
  }, [hasCosts, statsVersion.value]);
  useEffect(() => {
    // A request before the login would be refused, and ask for a login.
    if (!listLoaded.value) return undefined;
    return fetchHomeLists((error) => void attempt(() => Promise.reject(error)));
  }, [listLoaded.value, listVersion.value]);
  const waiting = approvals.value;
  const lists = homeLists.value;
  if (!listLoaded.value) return <ViewHead title="Home" note="Loading …" />;
  if (filterCounts.value.all === 0 && waiting.length === 0) return <NoAgents />;
  return (
    <>
      <ViewHead title="Home" note={new Date().toLocaleDateString('en-GB', LONG_DATE)}>
        <a class="button" href="#/audit">
          Audit
        </a>
      </ViewHead>
      <ScrollRegion name="view home" label="Home">
        <Figures stats={stats.value} failed={lists?.failedToday.length ?? 0} />
        <section>
          <h3>Needs you</h3>
          {waiting.length === 0 ? <p class="quiet small">Nothing waits for you.</p> : null}
          {waiting.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} linked />
          ))}
        </section>
        {lists === null ? (
          <p class="quiet small">Loading …</p>
        ) : (
          <>
            <Rows title="Running" rows={lists.running} none="Nothing runs." />
            <Rows title="Failed today" rows={lists.failedToday} none="Nothing has failed today." />
            {lists.latest.length === 0 ? null : <Rows title="Latest" rows={lists.latest} none="" />}
          </>
        )}
      </ScrollRegion>
    </>
  );
}

const LONG_DATE = { weekday: 'long', day: 'numeric', month: 'long' } as const;

/** Counts and costs on one line. */
function Figures({ stats, failed }: { readonly stats: Stats | null; readonly failed: number }): ComponentChild {
  const today = sumOf(stats?.days.at(-1));
  return (
    <dl class="home-figures numbers">
      <Figure name="need you" value={String(approvals.value.length)} href="#/needs" />
      <Figure name="running" value={String(filterCounts.value.running)} />
      <Figure name="failed today" value={String(failed)} />
      {stats === null ? null : (
        <>
          <Figure name="spent today" value={costText(today)} href="#/costs" />
          <Figure name={`spent in ${DAYS} days`} value={costText(stats.total)} href="#/costs" />
        </>
      )}
    </dl>
  );
}

/** The cost of a day. */
function sumOf(day: DayStats | undefined): Pick<CostInfo, 'usd' | 'estimated'> {
  const estimated = Object.values(day?.models ?? {}).reduce((sum, cost) => sum + cost.estimated, 0);
  return { usd: day?.usd ?? 0, estimated };
}

function Figure({
  name,
  value,
  href,
}: {
  readonly name: string;
  readonly value: string;
  readonly href?: string;
}): ComponentChild {
  return (
    <div>
      <dt class="small">{name}</dt>
      <dd>{href === undefined ? value : <a href={href}>{value}</a>}</dd>
    </div>
  );
}

function Rows({
  title,
  rows,
  none,
}: {
  readonly title: string;
  readonly rows: readonly Conversation[];
  readonly none: string;
}): ComponentChild {
  return (
    <section>
      <h3>{title}</h3>
      {rows.length === 0 ? <p class="quiet small">{none}</p> : null}
      <ul class="plain-list">
        {rows.map((fetched) => (
          <li key={fetched.id}>
            <HomeRow fetched={fetched} />
          </li>
        ))}
      </ul>
    </section>
  );
}
