import type { ComponentChild } from 'preact';
import type { Cut, Entry } from '../../api.ts';
import { clock, duration } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { CutText } from '../transcript/cut-text.tsx';
import { DiffView } from '../transcript/diff-view.tsx';
import { PlanText, repeatsPlan } from '../transcript/plan-text.tsx';
import { shortName } from '../transcript/tool-row.tsx';

/** The selected entry in full. */
export function EntryDetail({
  entry,
  onClose,
}: {
  readonly entry: Entry;
  readonly onClose: () => void;
}): ComponentChild {
  return (
    <>
      <div class="panel-head">
        <h3 class="cut">{titleOf(entry)}</h3>
        <span class="grow" />
        <span class="small quiet numbers">{entry.at === null ? '' : clock(entry.at)}</span>
        <button type="button" class="button button-plain small" onClick={onClose}>
          Conversation
        </button>
      </div>
      {entry.kind === 'tool' ? (
        <>
          <dl class="properties small">
            <Property name="State" value={entry.state} />
            {entry.durationMs === null ? null : <Property name="Took" value={duration(entry.durationMs)} />}
            {entry.waitedMs === 0 ? null : (
              <Property name="Waited" value={`${duration(entry.waitedMs)} for an answer`} />
            )}
            <Property name="Id" value={entry.id} />
          </dl>
          {entry.diff ? <DiffView key={entry.n} diff={entry.diff} lines={Number.POSITIVE_INFINITY} /> : null}
          {entry.plan === null ? null : <PlanText key={`plan-${entry.n}`} plan={entry.plan} />}
          {entry.plan === null ? <Section title="Input" cut={entry.input} n={entry.n} /> : null}
          {entry.asked === null ? null : <Section title="What the model asked for" cut={entry.asked} n={entry.n} />}
          {entry.result === null || repeatsPlan(entry) ? null : (
            <Section title="Output" cut={entry.result} n={entry.n} />
          )}
        </>
      ) : null}
      {'text' in entry && typeof entry.text === 'object' ? <Section title="Text" cut={entry.text} n={entry.n} /> : null}
      {'detail' in entry && entry.detail !== null ? <Section title="Details" cut={entry.detail} n={entry.n} /> : null}
      <Section title="Entry as JSON" cut={jsonOf(entry)} n={entry.n} />
    </>
  );
}

/** A name and a value. */
export function Property({ name, value }: { readonly name: string; readonly value: string }): ComponentChild {
  return (
    <>
      <dt>{name}</dt>
      <dd title={visible(value)}>{visible(value)}</dd>
    </>
  );
}

function Section({ title, cut, n }: { readonly title: string; readonly cut: Cut; readonly n: number }): ComponentChild {
  return (
    <section>
      <h3 class="section-title">{title}</h3>
      <CutText key={`${n}-${cut.length}`} cut={cut} label={title} lines={title === 'Entry as JSON' ? 8 : 60} />
    </section>
  );
}

function titleOf(entry: Entry): string {
  if (entry.kind === 'tool') return visible(shortName(entry.name));
  return entry.kind.charAt(0).toUpperCase() + entry.kind.slice(1);
}

function jsonOf(entry: Entry): Cut {
  const text = JSON.stringify(entry, null, 2);
  return { text, length: text.length, more: null };
}
