import type { ComponentChild } from 'preact';
import { useContext } from 'preact/hooks';
import type { EntryHead, ToolEntry } from '../../api.ts';
import { ShownTime } from '../layout/clock.ts';
import { Icon, type IconName } from '../layout/icon.tsx';
import { duration } from '../text/format.ts';
import { Size } from '../text/size.tsx';
import { visible } from '../text/visible.ts';
import { CutText } from './cut-text.tsx';
import { DiffView } from './diff-view.tsx';
import { PlanText, repeatsPlan } from './plan-text.tsx';

/** A tool call on one line; unfolded, with its input, change or output. */
export function ToolRow({
  entry,
  open,
  onToggle,
  onSelect,
}: {
  readonly entry: ToolEntry & EntryHead;
  readonly open: boolean;
  readonly onToggle: () => void;
  readonly onSelect: () => void;
}): ComponentChild {
  return (
    <>
      <div class="tool" data-state={entry.state}>
        <button
          type="button"
          class="tool-line"
          aria-expanded={open}
          onClick={() => {
            onToggle();
            onSelect();
          }}
        >
          <Icon name={iconOf(entry.name)} />
          <span class="tool-name">{visible(shortName(entry.name))}</span>
          <code class="cut tool-argument">{visible(entry.argument)}</code>
          {entry.diff ? (
            <span class="tool-size">
              <Size added={entry.diff.added} removed={entry.diff.removed} />
            </span>
          ) : null}
          {entry.asked === null ? null : <span class="tag small">edited</span>}
          <ToolState entry={entry} />
        </button>
      </div>
      {open ? (
        <div class="tool-open">
          <Change entry={entry} />
          {entry.asked === null ? null : (
            <>
              <p class="small quiet">A person changed the input. The model asked for:</p>
              <CutText cut={entry.asked} label="What the model asked for" lines={12} />
            </>
          )}
          {entry.result === null || repeatsPlan(entry) ? null : (
            <CutText cut={entry.result} label="Output" lines={20} />
          )}
        </div>
      ) : null}
    </>
  );
}

/** What the call does: its diff, its plan, or else its input. */
function Change({ entry: { diff, plan, input } }: { readonly entry: ToolEntry }): ComponentChild {
  if (diff !== null) return <DiffView diff={diff} />;
  return plan === null ? <CutText cut={input} label="Input" lines={12} /> : <PlanText plan={plan} />;
}

const STATES: Readonly<Record<ToolEntry['state'], readonly [IconName, string]>> = {
  running: ['running', 'running'],
  asking: ['needs-me', 'asks'],
  ok: ['done', 'done'],
  failed: ['failed', 'failed'],
  refused: ['refused', 'refused'],
  lost: ['failed', 'no result'],
};

function ToolState({ entry }: { readonly entry: ToolEntry }): ComponentChild {
  const [icon, word] = STATES[entry.state];
  const { startedAt, durationMs } = entry;
  const time = useContext(ShownTime);
  const running = entry.state === 'running' && startedAt !== null ? Math.max(0, time.value - startedAt) : null;
  const took = durationMs ?? (running === null || running < 1_000 ? null : Math.floor(running / 1_000) * 1_000);
  return (
    <span class={`status small tool-state tool-${entry.state}`}>
      {took === null ? null : <span class="numbers quiet">{duration(took)}</span>}
      <Icon name={icon} />
      <span class={entry.state === 'ok' ? 'hidden-visually' : undefined}>{word}</span>
    </span>
  );
}

const ICONS: Readonly<Record<string, IconName>> = {
  Bash: 'shell',
  Read: 'file',
  Write: 'edit',
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Glob: 'search',
  Grep: 'search',
  WebFetch: 'web',
  WebSearch: 'web',
  Agent: 'agent',
  Task: 'agent',
  TodoWrite: 'list',
  AskUserQuestion: 'question',
  ExitPlanMode: 'list',
};

/** The icon of a tool. */
function iconOf(tool: string): IconName {
  return ICONS[tool] ?? 'tool';
}

/** `mcp__server__tool` as `server · tool`. */
export function shortName(tool: string): string {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return server === undefined || name === undefined ? tool : `${server} · ${name}`;
}
