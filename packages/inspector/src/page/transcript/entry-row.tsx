import { Component, type ComponentChild, type ComponentChildren } from 'preact';
import type { AuditEntry, Entry, ResultEntry, ThinkingEntry } from '../../api.ts';
import { isFailure, outcomeOfKind } from '../../conversations/outcome.ts';
import { Boundary } from '../layout/boundary.tsx';
import { Icon } from '../layout/icon.tsx';
import { actionInWords } from '../text/action-words.ts';
import { clock, duration, spent } from '../text/format.ts';
import { Markdown } from '../text/markdown.tsx';
import { MarkdownText } from '../text/markdown-text.ts';
import { visible } from '../text/visible.ts';
import { CutText } from './cut-text.tsx';
import { ForkButton } from './fork-button.tsx';
import { ToolRow } from './tool-row.tsx';

/** One entry of the transcript, and its display state. */
export interface EntryRowProps {
  readonly entry: Entry;
  readonly open: boolean;
  readonly selected: boolean;
  readonly onToggle: (entry: Entry) => void;
  readonly onSelect: (entry: Entry) => void;
}

/** A row is rendered again only if its entry or its display state changed. */
export class EntryRow extends Component<EntryRowProps> {
  private readonly markdown = new MarkdownText();

  override shouldComponentUpdate(next: EntryRowProps): boolean {
    const { entry, open, selected } = this.props;
    return next.entry !== entry || next.open !== open || next.selected !== selected;
  }

  render({ entry, selected }: EntryRowProps): ComponentChild {
    return (
      <div
        class={`entry entry-${entry.kind}`}
        data-n={entry.n}
        data-depth={Math.min(entry.depth, 4)}
        data-selected={selected}
        title={entry.at === null ? undefined : clock(entry.at)}
      >
        <Boundary otherwise={<p class="note small">This entry cannot be shown.</p>}>{this.content()}</Boundary>
      </div>
    );
  }

  private content(): ComponentChild {
    const { entry, open, onToggle, onSelect } = this.props;
    const toggle = (): void => onToggle(entry);
    switch (entry.kind) {
      case 'prompt':
        return (
          <div class="prompt" data-from={entry.from}>
            <span class="hidden-visually">{entry.from === 'cli' ? 'The CLI wrote:' : 'Prompt:'}</span>
            {entry.from === 'steer' ? <span class="tag small">steered</span> : null}
            <LongText text={entry.text.text} />
            {entry.text.more === null ? null : <MoreLink more={entry.text.more} length={entry.text.length} />}
            {entry.attachments > 0 ? <p class="quiet small">{entry.attachments} attached</p> : null}
            {entry.by === null ? null : <p class="quiet small">{senderOf(entry.by)}</p>}
            <ForkButton prompt={entry} />
          </div>
        );
      case 'text':
        return (
          <div class={entry.streaming ? 'answer streaming' : 'answer'}>
            <Markdown blocks={this.markdown.blocks(entry.text.text)} />
            {entry.text.more === null ? null : <MoreLink more={entry.text.more} length={entry.text.length} />}
          </div>
        );
      case 'thinking':
        return <Thinking entry={entry} open={open} onToggle={toggle} />;
      case 'tool':
        return <ToolRow entry={entry} open={open} onToggle={toggle} onSelect={() => onSelect(entry)} />;
      case 'system':
        // A report without a text is not useful to people; its details are in the exported transcript.
        return entry.text === entry.subtype ? null : <p class="note small cut">{visible(entry.text)}</p>;
      case 'warning':
      case 'error':
        return (
          <div class="notice" role={entry.kind === 'error' ? 'alert' : undefined}>
            <Icon name={entry.kind === 'error' ? 'failed' : 'warning'} />
            <div class="grow">
              <p>
                <strong>{entry.kind === 'error' ? 'Error' : 'Warning'}</strong> <code>{entry.code}</code>
              </p>
              <p dir="auto">{visible(entry.message)}</p>
              {entry.remedy === '' ? null : <p class="quiet">{inWords(entry.remedy)}</p>}
              {open && entry.detail ? <CutText cut={entry.detail} label="Details" lines={20} /> : null}
            </div>
            {entry.detail ? (
              <button type="button" class="button button-plain" aria-expanded={open} onClick={toggle}>
                {open ? 'Less' : 'Details'}
              </button>
            ) : null}
          </div>
        );
      case 'result':
        return <Result entry={entry} />;
      case 'audit':
        return <Audit audit={entry.audit} />;
    }
  }
}

function Thinking({
  entry,
  open,
  onToggle,
}: {
  readonly entry: ThinkingEntry;
  readonly open: boolean;
  readonly onToggle: () => void;
}): ComponentChild {
  const { text, streaming, durationMs } = entry;
  const words = streaming ? 'Thinking …' : durationMs === null ? 'Thought' : `Thought for ${duration(durationMs)}`;
  if (text.text === '') return <p class="note small">{words}</p>;
  return (
    <>
      <button type="button" class="fold small" aria-expanded={open} onClick={onToggle}>
        <Icon name="chevron" />
        <span>{words}</span>
        {open ? null : <span class="cut thought">{visible(text.text.slice(0, 160)).replace(/\s+/g, ' ')}</span>}
      </button>
      {open ? (
        <div class="thinking small">
          <LongText text={text.text} />
          {text.more === null ? null : <MoreLink more={text.more} length={text.length} />}
        </div>
      ) : null}
    </>
  );
}

function Result({ entry }: { readonly entry: ResultEntry }): ComponentChild {
  const outcome = outcomeOfKind(entry.outcome);
  const parts = [entry.durationMs === null ? '' : duration(entry.durationMs), spent(entry.cost)];
  return (
    <div class="result small">
      <span class={`status ${isFailure({ outcome }) ? 'status-failed' : ''}`}>
        <Icon name={entry.ok ? 'done' : outcome === 'interrupted' ? 'stop' : 'failed'} />
        {entry.ok ? 'Done' : outcomeInWords(entry.outcome)}
        {entry.by === null ? null : ` in the inspector${byWhom(entry.by)}`}
      </span>
      <span class="quiet numbers">{parts.filter(Boolean).join(' · ')}</span>
      {entry.ok || entry.message === '' ? null : <span class="result-message">{visible(entry.message)}</span>}
    </div>
  );
}

/** The outcomes of turns in words; others keep the SDK's names. */
function outcomeInWords(outcome: string): string {
  const words = visible(outcome).replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function Audit({ audit }: { readonly audit: AuditEntry }): ComponentChild {
  const done = `${actionInWords(audit.action)} in the inspector${byWhom(audit.by)}`;
  return (
    <p class="note small">
      {audit.note === '' ? done : `${done} · ${visible(audit.note)}`}
      {audit.error === null ? null : ` (failed: ${visible(audit.error)})`}
    </p>
  );
}

/** The sender of a prompt: a user of the inspector, or the submitter of a fleet turn. */
function senderOf(by: string): string {
  return by === LOCAL ? 'from the inspector' : `sent by ${visible(by)}`;
}

/** The server's name for a user without a login. */
const LOCAL = 'local';

/** The author of an action. The single user without a login is not named. */
function byWhom(by: string): string {
  return by === LOCAL ? '' : ` by ${visible(by)}`;
}

/** The remedy for a problem, with its code formatted as code. */
function inWords(remedy: string): ComponentChildren {
  const text = remedy.replace(/^None\b/, 'Nothing to do');
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

/** Plain paragraphs, each in its own text direction. */
function LongText({ text }: { readonly text: string }): ComponentChild {
  return (
    <div class="plain">
      {visible(text)
        .split(/\n{2,}/)
        .map((paragraph, at) => (
          <p key={at} dir="auto">
            {paragraph}
          </p>
        ))}
    </div>
  );
}

function MoreLink({ more, length }: { readonly more: string; readonly length: number }): ComponentChild {
  return (
    <a class="button button-plain small more-link" href={more} target="_blank" rel="noopener">
      Show all ({length.toLocaleString('en-US')} characters)
    </a>
  );
}
