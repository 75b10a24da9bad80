import '../styles/audit.css';
import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { AuditEntry, AuditedRequest, AuditPage } from '../../api.ts';
import { getJson } from '../connection/http.ts';
import { inRequestOrder } from '../connection/request-order.ts';
import { now } from '../layout/clock.ts';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { attempt } from '../layout/toasts.tsx';
import { ViewHead } from '../layout/view-head.tsx';
import { auditVersion } from '../plots/stats-version.ts';
import { linkToConversation } from '../route.ts';
import { conversationOf } from '../sessions/conversations.ts';
import { actionInWords } from '../text/action-words.ts';
import { decisionInWords } from '../text/decision-words.ts';
import { dateTime, duration, plural } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** Who was asked, who answered from where, and when; and what people did on the page. */
export function AuditView(): ComponentChild {
  const page = useSignal<AuditPage | null>(null);
  const read = useMemo(() => inRequestOrder<AuditPage>((found) => (page.value = found)), []);
  useEffect(() => void attempt(() => read(() => getJson('api/audit'))), [auditVersion.value]);
  const { requests = [], entries = [] } = page.value ?? {};
  const note = page.value === null ? 'Loading …' : `${plural(requests.length, 'request')}, newest first`;
  // Answers are shown with their requests.
  const actions = entries.filter(({ approval, error }) => approval === null || error !== null);
  return (
    <>
      <ViewHead title="Audit" note={note} />
      <ScrollRegion name="view audit" label="Audit">
        <section>
          <h3>Requests</h3>
          {requests.length === 0 ? <p class="small quiet">No agent has asked since this server started.</p> : null}
          {requests.length === 0 ? null : (
            <table class="small">
              <thead>
                <tr>
                  {['Request', 'Asked', 'Who was asked', 'Answer', 'From', 'Answered'].map((name) => (
                    <th key={name} scope="col">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {requests.map((request) => (
                  <RequestRow key={request.id} request={request} />
                ))}
              </tbody>
            </table>
          )}
        </section>
        <section>
          <h3>Other actions</h3>
          {actions.length === 0 ? <p class="small quiet">Nobody has done anything else from this page.</p> : null}
          <ul class="plain-list">
            {actions.map((entry, at) => (
              <ActionRow key={at} entry={entry} />
            ))}
          </ul>
        </section>
      </ScrollRegion>
    </>
  );
}

function RequestRow({ request }: { readonly request: AuditedRequest }): ComponentChild {
  const { conversation, conversationTitle, what, entry, askedAt, groups, seenBy, by, from } = request;
  const { answeredAt, decision } = request;
  return (
    <tr>
      <td class="audit-what">
        <a href={linkToConversation(conversation, entry)} class="cut">
          <code dir="ltr">{visible(what)}</code>
        </a>
        <span class="cut quiet" dir="auto">
          {visible(conversationTitle) || 'Untitled conversation'}
        </span>
      </td>
      <td class="numbers" data-label="Asked">
        {dateTime(askedAt, now.value)}
      </td>
      <td data-label="Who was asked">
        {groups === null ? 'anyone here' : visible(groups.join(', '))}
        {seenBy.length === 0 ? null : <span class="quiet">, seen by {visible(seenBy.join(', '))}</span>}
      </td>
      <td data-label="Answer">
        {decision === null ? (
          <a class="audit-waits" href="#/needs">
            waits
          </a>
        ) : (
          visible(decisionInWords(decision))
        )}
        {by === null ? null : <span> by {visible(by)}</span>}
      </td>
      <td data-label="From">{from === null ? '–' : visible(from)}</td>
      <td class="numbers" data-label="Answered">
        {answeredAt === null ? '–' : dateTime(answeredAt, now.value)}
        {answeredAt === null ? null : <span class="quiet"> after {duration(Math.max(0, answeredAt - askedAt))}</span>}
      </td>
    </tr>
  );
}

function ActionRow({ entry }: { readonly entry: AuditEntry }): ComponentChild {
  const { at, by, action, note, error, conversation } = entry;
  return (
    <li class="small audit-action">
      <span class="numbers quiet">{dateTime(at, now.value)}</span>
      <span>
        {actionInWords(action)} by {visible(by)}
      </span>
      {conversation === '' ? null : (
        <a class="cut" href={linkToConversation(conversation)} dir="auto">
          {visible(conversationOf(conversation)?.title ?? '') || conversation}
        </a>
      )}
      <span class="cut quiet grow" dir="auto" title={visible(note)}>
        {visible(note)}
      </span>
      {error === null ? null : <span class="status-failed">{visible(error)}</span>}
    </li>
  );
}
