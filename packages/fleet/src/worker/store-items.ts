import type { Message, PermissionItem, StreamItem, Turn } from 'coxswain';
import { JOBS, notify } from '../database/log.ts';
import { showsAction } from '../turn/acted.ts';
import { plainErrorOf } from '../turn/outcome.ts';
import type { Approvals } from './approvals.ts';
import type { Claim } from './claim.ts';
import { resume } from './pauses.ts';
import type { RunContext } from './run-context.ts';
import type { TurnWriter } from './writer.ts';

/** What the items of a turn have shown so far. */
export interface SeenItems {
  /** The agent's permission mode is not what it was at the start of the turn. */
  modeChanged: boolean;
  /** A tool was called, or may have been. */
  acted: boolean;
}

/** What the items of a turn are stored with. */
export interface ItemParts {
  readonly claim: Claim;
  readonly context: RunContext;
  readonly writer: TurnWriter;
  readonly approvals: Approvals;
  /** Called after each item. @throws LeaseLostError if the conversation is lost */
  readonly checkLease: () => void;
  readonly seen: SeenItems;
  /** Called if an item cannot be stored; the turn has not ended. */
  readonly unstorable: (error: unknown) => Promise<void>;
}

/** Stores the items of a turn while they arrive, until the agent has given its last result. */
export async function storeItems(turn: Turn, parts: ItemParts): Promise<void> {
  let answered = false;
  for await (const item of turn.items({ permissions: true })) {
    try {
      await storeItem(item, parts);
      if (!answered && item.kind === 'message' && item.message.type === 'assistant') {
        answered = true;
        await recordAnswer(item.message, parts);
      }
      await parts.writer.waitForRoom();
      parts.checkLease();
    } catch (error) {
      await parts.unstorable(error);
      throw error;
    }
  }
}

async function storeItem(
  item: StreamItem | PermissionItem,
  { writer, approvals, seen, context: { redact } }: ItemParts,
): Promise<void> {
  switch (item.kind) {
    case 'message': {
      const { message } = item;
      const kind = message.type === 'stream_event' ? 'partial' : 'message';
      if (message.type === 'system' && message.subtype === 'status' && message.permissionMode !== undefined)
        seen.modeChanged = true;
      seen.acted ||= showsAction(message);
      writer.event({ kind, body: `{"message":${item.rawJson}}` });
      break;
    }
    case 'warning':
      writer.event({ kind: 'warning', body: JSON.stringify({ warning: redact(item.warning) }) });
      break;
    case 'error':
      writer.event({ kind: 'error', body: JSON.stringify({ error: redact(plainErrorOf(item.error)) }) });
      break;
    case 'permission-requested':
      seen.acted = true;
      await approvals.read(item.request);
      break;
    case 'permission-answered':
      approvals.close(item.id, item.decision);
      break;
  }
}

/** Records that the model has begun to answer. */
async function recordAnswer(message: AssistantMessage, { claim, context, writer }: ItemParts): Promise<void> {
  const { agent, credential, database, onStep, worker } = context;
  const { id, key, token, probe } = claim;
  // After a rate limit this turn went first, and it may take long: the others need not wait for its end.
  if (probe && isAnswer(message))
    writer.statement(async (sql) => {
      if (await resume(sql, credential, worker)) await notify(sql, database.schema, JOBS);
    });
  const text = 'update @.turn set answered = true where id = $1 and claim = $2';
  writer.statement(async (sql) => void (await sql.query(text, [id, token])));
  // If it decides whether the prompt may be sent again, it is stored at once.
  if ((agent.replay ?? 'never') !== 'never') await writer.flush();
  await onStep('answering', { id, key });
}

type AssistantMessage = Extract<Message, { type: 'assistant' }>;

/** False for messages that the CLI writes itself, such as the one about a limit. */
function isAnswer({ message, error }: AssistantMessage): boolean {
  return (error ?? null) === null && message.model !== '<synthetic>';
}
