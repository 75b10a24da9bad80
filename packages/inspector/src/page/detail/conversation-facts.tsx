import type { ComponentChild } from 'preact';
import type { Conversation, ConversationDetail } from '../../api.ts';
import { linkToConversation } from '../route.ts';
import { conversationOf } from '../sessions/conversations.ts';
import { clock, count, duration, modelName, usd } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { Fact } from './entry-detail.tsx';

/** What is known about a conversation when nothing in it is selected. */
export function ConversationFacts({
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
      <dl class="facts small">
        {conversation.model === null ? null : <Fact name="Model" value={modelName(conversation.model)} />}
        <Fact name="Cost" value={`${usd(cost.usd)}${cost.complete ? '' : ' or more'}`} />
        <Fact name="Tokens" value={`${count(cost.tokens.input)} in · ${count(cost.tokens.output)} out`} />
        <Fact
          name="Cache"
          value={`${count(cost.tokens.cacheRead)} read · ${count(cost.tokens.cacheCreation)} written`}
        />
        <Fact name="Turns" value={String(conversation.turns)} />
        {startedAt === null ? null : <Fact name="Started" value={clock(startedAt)} />}
        {startedAt === null ? null : <Fact name="Lasted" value={duration(updatedAt - startedAt)} />}
        {conversation.key === null ? null : <Fact name="Key" value={conversation.key} />}
        {conversation.cwd === null ? null : <Fact name="Folder" value={conversation.cwd} />}
        {conversation.gitBranch === null ? null : <Fact name="Branch" value={conversation.gitBranch} />}
        {conversation.sessionId === null ? null : <Fact name="Session" value={conversation.sessionId} />}
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
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {detail === null || Object.keys(detail.setup).length === 0 ? null : (
        <section>
          <h3 class="section-title">Setup</h3>
          <dl class="facts small">
            {Object.entries(detail.setup).map(([name, value]) => (
              <Fact key={name} name={name} value={value} />
            ))}
          </dl>
        </section>
      )}
    </>
  );
}
