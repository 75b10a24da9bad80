import type { ComponentChild } from 'preact';
import type { Span } from '../../api.ts';
import { SPAN_ICONS, spanName } from '../detail/span-words.ts';
import { Icon } from '../layout/icon.tsx';
import { linkToConversation } from '../route.ts';
import { count, duration, spent } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import type { Period, PlacedSpan } from './span-tree.ts';

/** One span of the waterfall: what it is, what it used, how long it worked and waited, and when. */
export function SpanRow({
  id,
  placed,
  shown,
  onZoom,
}: {
  readonly id: string;
  readonly placed: PlacedSpan;
  readonly shown: Period;
  readonly onZoom: (placed: PlacedSpan) => void;
}): ComponentChild {
  const { span, depth, from, to, cost, waitedMs } = placed;
  const length = Math.max(1, shown.to - shown.from);
  const left = Math.max(0, ((from - shown.from) / length) * 100);
  const right = Math.min(100, ((to - shown.from) / length) * 100);
  const isOut = right < 0 || left > 100;
  const tokens =
    cost === null ? 0 : cost.tokens.input + cost.tokens.output + cost.tokens.cacheRead + cost.tokens.cacheCreation;
  const worked = span.kind === 'permission' ? to - from : Math.max(0, to - from - waitedMs);
  const name = (
    <>
      <span class="fall-kind">{spanName(span)}</span>
      {span.argument === '' ? null : <code class="cut">{visible(span.argument)}</code>}
      {FAILED.has(span.outcome ?? '') ? <span class="fall-outcome">{visible(span.outcome ?? '')}</span> : null}
    </>
  );
  return (
    <tr class={`fall-row fall-${span.kind}`}>
      <th scope="row" style={{ '--depth': Math.min(depth, 6) }}>
        <span class="fall-name">
          <Icon name={SPAN_ICONS[span.kind]} />
          {span.entry === null ? (
            <span class="fall-link">{name}</span>
          ) : (
            <a class="fall-link" href={linkToConversation(id, span.entry)} title={visible(span.argument)}>
              {name}
            </a>
          )}
        </span>
      </th>
      <td class="numbers fall-figure" title={tokensInWords(span)}>
        {tokens === 0 ? '' : count(tokens)}
      </td>
      <td class="numbers fall-figure">{spent(cost)}</td>
      <td class="numbers fall-figure">
        {duration(worked)}
        {waitedMs > 0 && span.kind !== 'permission' ? (
          <span class="fall-waited"> + {duration(waitedMs)} waiting</span>
        ) : null}
      </td>
      <td class="fall-track">
        {isOut ? null : (
          <button
            type="button"
            class={`span-bar span-${span.kind}`}
            style={{ left: `${Math.min(99.6, left)}%`, width: `${Math.max(0.4, right - left)}%` }}
            aria-label={`Zoom to ${spanName(span)} ${visible(span.argument)}`}
            onClick={() => onZoom(placed)}
          />
        )}
      </td>
    </tr>
  );
}

/** Outcomes that are shown in words; the others are as expected. */
const FAILED: ReadonlySet<string> = new Set(['failed', 'deny', 'ended with the turn']);

function tokensInWords({ cost }: Span): string | undefined {
  if (cost === null) return undefined;
  const { input, output, cacheRead, cacheCreation } = cost.tokens;
  return `${count(input)} in, ${count(output)} out, ${count(cacheRead)} from and ${count(cacheCreation)} to the cache`;
}
