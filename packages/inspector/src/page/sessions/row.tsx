import type { ComponentChild } from 'preact';
import type { Conversation } from '../../api.ts';
import { isFailure } from '../../conversations/outcome.ts';
import { now } from '../layout/clock.ts';
import { Icon } from '../layout/icon.tsx';
import { Status } from '../layout/status.tsx';
import { linkToConversation } from '../route.ts';
import { age, folderName, modelName, spent, tokensText } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { conversationSignal } from './conversations.ts';

/** One conversation on two lines; it re-renders when that conversation changes. */
export function ConversationRow({ id, current }: { readonly id: string; readonly current: boolean }): ComponentChild {
  const conversation = conversationSignal(id)?.value;
  if (conversation === undefined) return null;
  const { title, state, outcome, cost, updatedAt, warnings, errors } = conversation;
  const failed = isFailure(conversation);
  return (
    <a class="row" data-failed={failed} href={linkToConversation(id)} aria-current={current ? 'page' : undefined}>
      <span class="row-head">
        <span class="row-title cut" dir="auto">
          {visible(title) || 'Untitled conversation'}
        </span>
        <span class="small numbers row-age">{age(updatedAt, now.value)}</span>
      </span>
      <span class="row-line small">
        <Status state={state} outcome={outcome} />
        <span class="cut" title={visible(conversation.cwd ?? '')}>
          {visible(aboutOf(conversation, failed))}
        </span>
        {errors + warnings > 0 && !failed ? (
          <span class="status numbers">
            <Icon name={errors > 0 ? 'failed' : 'warning'} />
            {errors || warnings}
            <span class="hidden-visually">{errors > 0 ? 'errors' : 'warnings'}</span>
          </span>
        ) : null}
        <span class="grow" />
        <span class="numbers">{spent(cost) || tokensText(cost)}</span>
      </span>
    </a>
  );
}

/** The distinguishing details: why it failed, how it waits for a person, the file of a recording, or else its folder and model. */
function aboutOf({ title, state, stateNote, model, file, cwd }: Conversation, failed: boolean): string {
  if ((failed || state === 'needs-me') && stateNote !== null) return stateNote;
  if (file !== null) return file === title ? '' : file;
  return [folderName(cwd), model === null ? '' : modelName(model)].filter(Boolean).join(' · ');
}
