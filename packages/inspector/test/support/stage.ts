import { inMemoryCli, type Script } from '@coxswain/testkit';
import { type Client, createClient, type Session } from 'coxswain';
import { onTestFinished } from 'vitest';
import type { Approval, Conversation, ServerEvent } from '../../src/api.ts';
import { askInspector } from '../../src/ask-inspector.ts';
import { type Inspector, inspect } from '../../src/inspect.ts';
import type { InspectOptions } from '../../src/options.ts';
import { Browser, type EventReader } from './browser.ts';

/** An inspected client with a scripted agent, and a logged-in browser. */
export interface Stage {
  readonly client: Client;
  readonly inspector: Inspector;
  readonly browser: Browser;
  open(): Session;
}

export async function stage(agent: Script, options: InspectOptions = {}): Promise<Stage> {
  const { transport } = inMemoryCli(agent);
  const client = createClient({ transport, canUseTool: askInspector(), includePartialMessages: true });
  const inspector = await inspect(client, options);
  const browser = await new Browser(inspector).login();
  const sessions: Session[] = [];
  onTestFinished(async () => {
    browser.close();
    await inspector.close();
    await Promise.all(sessions.map((session) => session.close()));
  });
  const open = (): Session => {
    const session = client.openSession();
    sessions.push(session);
    return session;
  };
  return { client, inspector, browser, open };
}

/** The only conversation in the list. */
export async function onlyConversation(browser: Browser): Promise<Conversation> {
  const all = await browser.conversations();
  const [only] = all;
  if (!only || all.length > 1) throw new Error(`${all.length} conversations`);
  return only;
}

/** Opens a session and follows its conversation from the start. */
export async function watchedSession({
  browser,
  open,
}: Stage): Promise<{ session: Session; id: string; events: EventReader }> {
  const session = open();
  await session.ready;
  const { id } = await onlyConversation(browser);
  const events = browser.events(`?watch=${id}`);
  await events.until(({ type }) => type === 'snapshot');
  return { session, id, events };
}

/** The next approval in the stream, or the one in its snapshot. */
export async function nextApproval(events: EventReader, not: readonly string[] = []): Promise<Approval> {
  const wanted = (event: ServerEvent): Approval | undefined => {
    const approvals = event.type === 'approval' ? [event.approval] : event.type === 'snapshot' ? event.approvals : [];
    return approvals.find(({ id }) => !not.includes(id));
  };
  const approval = wanted(await events.until((event) => wanted(event) !== undefined));
  if (approval === undefined) throw new Error('unreachable: the event has one');
  return approval;
}
