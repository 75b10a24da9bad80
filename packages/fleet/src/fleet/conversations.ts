import type { Database } from '../database/database.ts';
import { FleetInputError, NotInFleetError } from '../errors.ts';
import { type Attributes, checkedAttributes } from './attributes.ts';
import { checkedFilter, checkedId, checkedLimit, checkedOptions, problemOfText } from './input.ts';

/** A conversation in a list. */
export interface Conversation {
  readonly key: string;
  readonly tenant: string;
  /** The name of its agent. */
  readonly agent: string;
  readonly sessionId: string | null;
  readonly turns: number;
  readonly waiting: number;
  readonly running: boolean;
  /** True if one of its turns is parked. */
  readonly parked: boolean;
  /** The kind of outcome of its last ended turn; `null` before the first. */
  readonly outcome: string | null;
  readonly costUsd: number;
  /** In ms since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Which conversations to list. */
export interface ConversationFilter {
  readonly tenant?: string | undefined;
  /** Only conversations whose keys start with this. */
  readonly prefix?: string | undefined;
  /** Only conversations with a turn that has all of these. */
  readonly attributes?: Attributes | undefined;
  /** 100 by default. */
  readonly limit?: number | undefined;
}

/** One line of a transcript. */
export type TranscriptEntry = Readonly<Record<string, unknown>>;

interface ConversationRow extends Omit<Conversation, 'sessionId' | 'costUsd' | 'createdAt' | 'updatedAt'> {
  readonly session_id: string | null;
  readonly cost_usd: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const FILTER: Readonly<Record<keyof ConversationFilter, true>> = {
  tenant: true,
  prefix: true,
  attributes: true,
  limit: true,
};

/** Conversations, the most recently changed first. @throws FleetInputError */
export async function listConversations(database: Database, filter: ConversationFilter = {}): Promise<Conversation[]> {
  const { tenant, prefix, attributes, limit } = checkedOptions(filter, FILTER, 'filter');
  const rows = await database.query<ConversationRow>(
    `select c.key, c.tenant, c.agent, c.session_id, c.turn_seq as turns, c.owner is not null as running, c.created_at, c.updated_at, c.cost_usd,
            (select count(*) from @.turn where turn.key = c.key and state = 'waiting') as waiting,
            exists (select 1 from @.turn where turn.key = c.key and state = 'parked') as parked,
            (select outcome_kind from @.turn where turn.key = c.key and state = 'done' order by seq desc limit 1) as outcome
     from @.conversation c where ($1::text is null or tenant = $1) and ($2::text is null or starts_with(key, $2))
       and ($4::jsonb is null or key in (select key from @.turn where attributes @> $4))
     order by c.updated_at desc limit $3`,
    [
      checkedFilter('tenant', tenant),
      checkedFilter('prefix', prefix || undefined),
      checkedLimit(limit),
      checkedAttributes(attributes),
    ],
  );
  return rows.map(({ session_id, cost_usd, created_at, updated_at, ...row }) => ({
    ...row,
    sessionId: session_id,
    costUsd: cost_usd,
    createdAt: created_at.getTime(),
    updatedAt: updated_at.getTime(),
  }));
}

/** The lines of the conversation's current session, in order. @throws NotInFleetError, FleetInputError */
export async function readTranscript(database: Database, key: string, subpath = ''): Promise<TranscriptEntry[]> {
  const problem = problemOfText(subpath);
  if (problem !== undefined) throw new FleetInputError('subpath', problem);
  const [conversation] = await database.query<{ session_id: string | null }>(
    'select session_id from @.conversation where key = $1',
    [checkedId('conversation', key)],
  );
  if (conversation === undefined) throw new NotInFleetError('conversation', key);
  const rows = await database.query<{ line: TranscriptEntry }>(
    'select line from @.entry where key = $1 and session_id = $2 and subpath = $3 order by n',
    [key, conversation.session_id, subpath],
  );
  return rows.map(({ line }) => line);
}
