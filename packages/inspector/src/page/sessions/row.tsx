import type { ComponentChild } from 'preact';
import { now } from '../layout/clock.ts';
import { Icon } from '../layout/icon.tsx';
import { Status } from '../layout/status.tsx';
import { linkToConversation } from '../route.ts';
import { age, modelName, usd } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { conversationSignal } from './conversations.ts';

/** One conversation on two lines; it renders itself when that conversation changes. */
export function ConversationRow({ id, current }: { readonly id: string; readonly current: boolean }): ComponentChild {
  const conversation = conversationSignal(id)?.value;
  if (conversation === undefined) return null;
  const { title, state, model, cost, updatedAt, warnings, errors } = conversation;
  return (
    <a class="row" href={linkToConversation(id)} aria-current={current ? 'page' : undefined}>
      <span class="row-title cut" dir="auto">
        {visible(title) || 'Untitled conversation'}
      </span>
      <span class="row-line small">
        <Status state={state} />
        {model === null ? null : <span class="cut">{modelName(visible(model))}</span>}
        {errors + warnings > 0 ? (
          <span class="status numbers">
            <Icon name={errors > 0 ? 'failed' : 'warning'} />
            {errors || warnings}
            <span class="hidden-visually">{errors > 0 ? 'errors' : 'warnings'}</span>
          </span>
        ) : null}
        <span class="grow" />
        {cost.usd > 0 ? <span class="numbers">{usd(cost.usd)}</span> : null}
        <span class="numbers row-age">{age(updatedAt, now.value)}</span>
      </span>
    </a>
  );
}
