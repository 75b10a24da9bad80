import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Action, Conversation } from '../../api.ts';
import { act } from '../connection/http.ts';
import { detailOpen } from '../detail/panel-state.ts';
import { now } from '../layout/clock.ts';
import { ConfirmButton } from '../layout/confirm-button.tsx';
import { copyText } from '../layout/copy-text.ts';
import { Icon } from '../layout/icon.tsx';
import { Menu } from '../layout/menu.tsx';
import { onKey } from '../layout/shortcuts.ts';
import { Status } from '../layout/status.tsx';
import { attempt, notify } from '../layout/toasts.tsx';
import { BackToList } from '../layout/view-head.tsx';
import { linkToChanges, linkToCompare, linkToConversation, linkToPrint, showConversation } from '../route.ts';
import { age, modelName, spent, tokensText } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** The title of a conversation, its state on one line, and its actions. */
export function ConversationHeader({
  conversation,
  onReplay,
}: {
  readonly conversation: Conversation;
  readonly onReplay: (() => void) | undefined;
}): ComponentChild {
  const { id, actions, title, cost } = conversation;
  const renaming = useSignal(false);
  const isRecording = conversation.kind === 'recording';
  const can = (name: Action['action']): boolean => actions.includes(name);
  const run = (action: Action, done?: string): void => {
    void attempt(async () => {
      const { conversation: next } = await act(id, action);
      if (done !== undefined) notify(done);
      if (next !== null && next !== id) showConversation(next);
    });
  };
  useLayoutEffect(() => onKey('x', () => can('interrupt') && run({ action: 'interrupt' })), [id, can('interrupt')]);
  const link = new URL(linkToConversation(id), location.href).href;
  const exported = `api/conversations/${encodeURIComponent(id)}/export`;
  return (
    <header class="head">
      <BackToList />
      <div class="grow">
        {renaming.value ? (
          <Rename
            title={title}
            onDone={(next) => {
              renaming.value = false;
              if (next !== null) run({ action: 'rename', title: next });
            }}
          />
        ) : (
          <h2 class="cut" dir="auto" title={visible(title)}>
            {visible(title) || 'Untitled conversation'}
          </h2>
        )}
        <p class="head-line small">
          <Status state={conversation.state} outcome={conversation.outcome} />
          {conversation.stateNote === null ? null : <span class="cut">{visible(conversation.stateNote)}</span>}
          {conversation.model === null ? null : (
            <span class="cut only-wide">{modelName(visible(conversation.model))}</span>
          )}
          {cost.usd === 0 ? null : <span class="numbers">{spent(cost)}</span>}
          <span class="numbers only-desktop">{tokensText(cost)}</span>
          <span class="numbers only-desktop">{age(conversation.updatedAt, now.value)}</span>
        </p>
      </div>
      {can('interrupt') ? (
        <button
          type="button"
          class="button"
          onClick={() => run({ action: 'interrupt' })}
          title="Interrupt the running turn (x)"
        >
          <Icon name="stop" />
          <span class="only-wide">Interrupt</span>
          <span class="only-narrow hidden-visually">Interrupt</span>
        </button>
      ) : null}
      {onReplay === undefined ? null : (
        <button type="button" class={`button ${isRecording ? 'only-wide' : 'only-desktop'}`} onClick={onReplay}>
          <Icon name="running" />
          Replay
        </button>
      )}
      <a class="button only-desktop" href={linkToChanges(id)}>
        <Icon name="edit" />
        Changes
      </a>
      <Menu label="More actions">
        <a class="button below-desktop" href={linkToChanges(id)}>
          Changes
        </a>
        {onReplay === undefined ? null : (
          <button type="button" class={`button ${isRecording ? 'only-narrow' : 'below-desktop'}`} onClick={onReplay}>
            Replay
          </button>
        )}
        {can('fork') ? (
          <button type="button" class="button" onClick={() => run({ action: 'fork' }, 'This is the forked copy.')}>
            Fork
          </button>
        ) : null}
        <a class="button" href={linkToCompare(id)}>
          Compare with …
        </a>
        {can('resume') ? (
          <button type="button" class="button" onClick={() => run({ action: 'resume' }, 'Resumed.')}>
            Resume
          </button>
        ) : null}
        {can('cancel') ? (
          <button type="button" class="button" onClick={() => run({ action: 'cancel' }, 'Cancelled.')}>
            Cancel the waiting turn
          </button>
        ) : null}
        {can('rename') ? (
          <button type="button" class="button" onClick={() => (renaming.value = true)}>
            Rename
          </button>
        ) : null}
        <a class="button" href={linkToPrint(id)}>
          Print …
        </a>
        <a class="button" href={`${exported}?format=html`} download>
          Export as HTML
        </a>
        <a class="button" href={`${exported}?format=markdown`} download>
          Export as Markdown
        </a>
        <a class="button" href={`${exported}?format=json`} download>
          Export as JSON
        </a>
        <button type="button" class="button" onClick={() => void copyText(link, 'The link was copied.', link)}>
          Copy the link
        </button>
        {can('close') ? (
          <ConfirmButton
            name="button menu-last"
            label="Close the session …"
            question="Really close it? Its program can no longer use it."
            onConfirm={() => run({ action: 'close' }, 'Closed.')}
          />
        ) : null}
      </Menu>
      <button
        type="button"
        class="button button-plain button-icon"
        aria-label="Details"
        title="Details (])"
        aria-expanded={detailOpen.value}
        onClick={() => (detailOpen.value = !detailOpen.value)}
      >
        <Icon name="panel" />
      </button>
    </header>
  );
}

function Rename({
  title,
  onDone,
}: {
  readonly title: string;
  readonly onDone: (title: string | null) => void;
}): ComponentChild {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <input
      ref={field}
      class="field"
      dir="auto"
      aria-label="New title"
      defaultValue={title}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onDone(event.currentTarget.value.trim() || null);
        if (event.key !== 'Escape') return;
        // The key does not also end a replay.
        event.preventDefault();
        onDone(null);
      }}
      onBlur={() => onDone(null)}
    />
  );
}
