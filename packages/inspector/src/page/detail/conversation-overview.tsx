import type { ComponentChild } from 'preact';
import type { Conversation, ConversationDetail, CostInfo, Tokens } from '../../api.ts';
import { now } from '../layout/clock.ts';
import { linkToCompare, linkToConversation } from '../route.ts';
import { conversationOf } from '../sessions/conversations.ts';
import { costText, count, dateTime, duration, modelName } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { Property } from './entry-detail.tsx';

/** The properties of a conversation, shown when no entry is selected. */
export function ConversationOverview({
  conversation,
  detail,
}: {
  readonly conversation: Conversation;
  readonly detail: ConversationDetail | null;
}): ComponentChild {
  const { startedAt, updatedAt, cost } = conversation;
  const related = [...(conversation.parent === null ? [] : [conversation.parent]), ...(detail?.children ?? [])];
  return (
    <>
      <h3>Conversation</h3>
      <dl class="properties small">
        {conversation.model === null ? null : <Property name="Model" value={modelName(conversation.model)} />}
        {cost.usd === 0 ? null : <Property name="Cost" value={`${costText(cost)}${cost.complete ? '' : ' or more'}`} />}
        {isUnread(cost) ? null : <TokenFacts tokens={cost.tokens} />}
        {conversation.turns === 0 ? null : <Property name="Turns" value={String(conversation.turns)} />}
        {startedAt === null ? null : <Property name="Started" value={dateTime(startedAt, now.value)} />}
        {startedAt === null || updatedAt <= startedAt ? null : (
          <Property name="Lasted" value={duration(updatedAt - startedAt)} />
        )}
        {conversation.key === null ? null : <Property name="Key" value={conversation.key} />}
        {conversation.file === null ? null : <Property name="File" value={conversation.file} />}
        {conversation.cwd === null ? null : <Property name="Folder" value={conversation.cwd} />}
        {conversation.gitBranch === null ? null : <Property name="Branch" value={conversation.gitBranch} />}
        {conversation.sessionId === null ? null : <Property name="Session" value={conversation.sessionId} />}
      </dl>
      {related.length === 0 ? null : (
        <section>
          <h3 class="section-title">Forks</h3>
          <ul class="plain-list small">
            {related.map((id) => (
              <li key={id}>
                <a href={linkToConversation(id)}>
                  {id === conversation.parent ? 'Forked from ' : ''}
                  {visible(conversationOf(id)?.title ?? id)}
                </a>{' '}
                <a href={linkToCompare(conversation.id, id)}>Compare</a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {detail === null || Object.keys(detail.setup).length === 0 ? null : (
        <section>
          <h3 class="section-title">Setup</h3>
          <dl class="properties small">
            {Object.entries(detail.setup).map(([name, value]) => (
              <Property key={name} name={name} value={value} />
            ))}
          </dl>
        </section>
      )}
    </>
  );
}

/** Tokens are counted only after the first turn has ended, or the transcript was read. */
function isUnread({ tokens }: CostInfo): boolean {
  return Object.values(tokens).every((amount) => amount === 0);
}

function TokenFacts({ tokens }: { readonly tokens: Tokens }): ComponentChild {
  return (
    <>
      <Property name="Tokens" value={`${count(tokens.input)} in · ${count(tokens.output)} out`} />
      <Property name="Cache" value={`${count(tokens.cacheRead)} read · ${count(tokens.cacheCreation)} written`} />
    </>
  );
}
