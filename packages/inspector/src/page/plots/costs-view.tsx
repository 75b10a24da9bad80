import 'uplot/dist/uPlot.min.css';
import { signal, useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import uPlot from 'uplot';
import type { CostInfo, DayStats, Stats } from '../../api.ts';
import { NO_COST } from '../../conversations/cost.ts';
import { getJson } from '../connection/http.ts';
import { inRequestOrder } from '../connection/request-order.ts';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { attempt } from '../layout/toasts.tsx';
import { ViewHead } from '../layout/view-head.tsx';
import { linkToConversation } from '../route.ts';
import { plotFilter } from '../sessions/conversations.ts';
import { costText, count, duration, modelName, plural, roughDuration, roughUsd, usd } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { type CostLine, CostTable } from './cost-table.tsx';
import { Plot } from './plot.tsx';
import { daysOf, roundDuration, roundTop, stackCost, tokensOf } from './series.ts';
import { statsVersion } from './stats-version.ts';

/** The ranges, in days. */
const RANGES = [1, 7, 30, 90] as const;
/** Kept while the view is closed. */
const range = signal<number>(30);
const SHADE_TOKENS = ['--shade-1', '--shade-2', '--shade-3'] as const;

/** Cost, tokens and latency of the last days; a click on a day filters the list. */
export function CostsView(): ComponentChild {
  const stats = useSignal<Stats | null>(null);
  const hovered = useSignal<number | null>(null);
  const version = statsVersion.value;
  const days = range.value;
  const read = useMemo(() => inRequestOrder<Stats>((found) => (stats.value = found)), []);
  useEffect(() => void attempt(() => read(() => getJson(`api/stats?days=${days}`))), [version, days]);
  const found = stats.value;
  if (found === null) return <ViewHead title="Costs" note="Loading …" />;
  const day = hovered.value === null ? undefined : found.days[hovered.value];
  return (
    <>
      <ViewHead title="Costs" note={`${sumOf(found)} ${days === 1 ? 'today' : `in ${days} days`}`} />
      <ScrollRegion name="view" label="Costs">
        <Ranges />
        <p class="plot-reading small numbers" aria-live="off">
          {day === undefined ? 'Point at a day to see its numbers; click it to filter the list.' : readingOf(day)}
        </p>
        <p class="small quiet">
          {found.total.estimated === 0
            ? null
            : `≈ is computed from list prices of ${found.pricesOf}: transcripts on disk have no prices. `}
          {found.unpriced === 0
            ? null
            : `${plural(found.unpriced, 'turn')} of a model without a list price: only tokens.`}
        </p>
        <Plots stats={found} onHover={(index) => (hovered.value = index)} />
        <Tables stats={found} />
      </ScrollRegion>
    </>
  );
}

function Plots({
  stats,
  onHover,
}: {
  readonly stats: Stats;
  readonly onHover: (index: number | null) => void;
}): ComponentChild {
  const stacked = useMemo(() => stackCost(stats), [stats]);
  const days = useMemo(() => daysOf(stats.days), [stats]);
  const cost = useMemo<uPlot.AlignedData>(
    () => [days, ...[...stacked.sums].reverse().map((sums) => [...sums])],
    [stats],
  );
  const tokens = useMemo<uPlot.AlignedData>(() => [days, tokensOf(stats.days)], [stats]);
  const latency = useMemo<uPlot.AlignedData>(
    () => [
      days,
      stats.days.map((day) => day.latencyMs?.p50 ?? null),
      stats.days.map((day) => day.latencyMs?.p95 ?? null),
    ],
    [stats],
  );
  const bars = uPlot.paths.bars?.({ size: [0.7, 28] });
  const pick = (index: number): void => {
    plotFilter.value = { day: stats.days[index]?.day ?? null, model: null };
  };
  const shadeOf = (at: number): string => SHADE_TOKENS[Math.min(at, SHADE_TOKENS.length - 1)] ?? '--shade-3';
  return (
    <>
      {stats.total.usd === 0 && stats.unpriced > 0 ? null : (
        <section class="plot-block">
          <h3>
            Cost per day
            <span class="plot-labels small">
              {stacked.models.map((model, at) => (
                <button
                  key={model}
                  type="button"
                  class={`plot-label shade-${at + 1}`}
                  onClick={() => {
                    plotFilter.value = { day: null, model: model === 'others' ? null : model };
                  }}
                >
                  {modelName(visible(model))} {model === 'others' ? '' : costText(stats.byModel[model] ?? NO_COST)}
                </button>
              ))}
            </span>
          </h3>
          <Plot
            label={`Cost per day, ${costText(stats.total)} in total`}
            data={cost}
            series={[...stacked.models].reverse().map((_, at) => {
              const token = shadeOf(stacked.models.length - 1 - at);
              return { token, fillToken: token, width: 0, ...(bars === undefined ? {} : { paths: bars }) };
            })}
            format={roughUsd}
            top={roundTop}
            onPick={pick}
            onHover={onHover}
          />
        </section>
      )}
      <section class="plot-block">
        <h3>Tokens per day</h3>
        <Plot
          label="Tokens per day"
          data={tokens}
          series={[{ token: '--shade-2', fillToken: '--line', width: 1.5 }]}
          format={count}
          top={roundTop}
          onPick={pick}
          onHover={onHover}
        />
      </section>
      <section class="plot-block">
        <h3>
          Turn latency
          <span class="plot-labels small">
            <span class="plot-label shade-1">p50</span>
            <span class="plot-label shade-2">p95</span>
          </span>
        </h3>
        <Plot
          label="Latency of turns per day, median and 95th percentile"
          data={latency}
          series={[
            { token: '--shade-1', width: 1.5, spanGaps: true },
            { token: '--shade-2', width: 1.5, dash: [4, 3], spanGaps: true },
          ]}
          format={roughDuration}
          top={roundDuration}
          onPick={pick}
          onHover={onHover}
        />
      </section>
    </>
  );
}

/** The total by everything that may explain it. */
function Tables({ stats }: { readonly stats: Stats }): ComponentChild {
  const { total, top, byModel, byTool, byProject } = stats;
  const linesOf = (costs: Readonly<Record<string, CostInfo>>): CostLine[] =>
    Object.entries(costs).map(([name, cost]) => ({ name, cost }));
  const conversations = top.map(({ conversation, title, cost }) => ({
    name: title || 'Untitled conversation',
    href: linkToConversation(conversation),
    cost,
  }));
  return (
    <>
      <CostTable title="By conversation" lines={conversations} total={total} rest="others" />
      <CostTable
        title="By model"
        lines={linesOf(byModel).map((line) => ({ ...line, name: modelName(line.name) }))}
        total={total}
        rest="others"
      />
      <CostTable title="By tool" lines={linesOf(byTool)} total={total} rest="others, and not attributed" />
      <CostTable title="By project" lines={linesOf(byProject)} total={total} rest="others, and without a folder" />
    </>
  );
}

function Ranges(): ComponentChild {
  return (
    <fieldset class="ranges" aria-label="Range">
      {RANGES.map((days) => (
        <button
          key={days}
          type="button"
          class="filter"
          aria-pressed={range.value === days}
          onClick={() => {
            range.value = days;
          }}
        >
          {days === 1 ? 'Today' : `${days} days`}
        </button>
      ))}
    </fieldset>
  );
}

/** The total: dollars, or else tokens. */
function sumOf({ total, unpriced }: Stats): string {
  const { input, output, cacheRead, cacheCreation } = total.tokens;
  if (total.usd > 0 || unpriced === 0) return costText(total);
  return `${count(input + output + cacheRead + cacheCreation)} tokens`;
}

function readingOf(day: DayStats): string {
  const priced = Object.entries(day.models).filter(([, cost]) => cost.usd > 0);
  const models = priced.map(([model, cost]) => `${modelName(model)} ${usd(cost.usd)}`);
  const tokens = `${count(tokensOf([day])[0] ?? 0)} tokens`;
  const latency =
    day.latencyMs === null ? '' : ` · p50 ${duration(day.latencyMs.p50)}, p95 ${duration(day.latencyMs.p95)}`;
  return `${day.day} · ${day.usd > 0 ? `${usd(day.usd)} · ` : ''}${tokens} · ${plural(day.turns, 'turn')}, ${day.failed} failed${latency}${models.length > 1 ? ` · ${models.join(', ')}` : ''}`;
}
