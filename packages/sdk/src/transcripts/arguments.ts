import { checking, type Report } from '../errors/options.ts';
import { type Check, flag, having, oneOf, shape, text, whole } from '../options/checks.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { isSessionId } from '../wire/session-id.ts';
import type { SessionPlace } from './paths.ts';

/** The location of sessions on disk. */
export type FilePlace = Pick<SessionPlace, 'cwd' | 'configDir'>;

/** Selects the sessions to list. */
export interface ListSessionsOptions extends SessionPlace {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Sort order: by last change or by start, newest first. */
  readonly sort?: 'updated' | 'created' | undefined;
}

/** Selects the messages of a session to read. */
export interface SessionMessagesOptions extends SessionPlace {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Reads the messages of this subagent instead of the main conversation. */
  readonly agentId?: string | undefined;
  /** Includes the messages before the last compaction, which the CLI does not resume with. */
  readonly beforeCompaction?: boolean | undefined;
  /** Includes the messages of subagents that an older CLI wrote to the same file. */
  readonly sidechains?: boolean | undefined;
}

/** How to copy a conversation. */
export interface ForkSessionOptions extends SessionPlace {
  /** The uuid of the last message to copy. Default: the last message of the conversation. */
  readonly upTo?: string | undefined;
  /** The title of the copy. Default: the title of the original with "(fork)", if it has one. */
  readonly title?: string | undefined;
  /** Gives the messages of the copy new uuids. By default they keep them, like in the CLI's own forks. */
  readonly newUuids?: boolean | undefined;
}

const line = text();
const place = { cwd: line, configDir: line, store: having('a session store', 'append', 'load'), project: line };
const page = { limit: whole(1), offset: whole(0) };
const tag = text({ pattern: /^(?=.*\S)[\s\S]{1,1000}$/, what: 'a tag of up to 1000 characters, or null' });
const title = text({ pattern: /^(?=.*\S)[\s\S]{1,1000}$/, what: 'a title of up to 1000 characters' });

/** The option checks of each function. */
export const checks: Readonly<Record<'list' | 'place' | 'files' | 'messages' | 'fork' | 'transfer', Check>> = {
  list: shape({ ...place, ...page, sort: oneOf('updated', 'created') }),
  place: shape(place),
  files: shape({ cwd: line, configDir: line }),
  transfer: shape(place, { needs: ['store'] }),
  messages: shape({
    ...place,
    ...page,
    // The id becomes part of a path.
    agentId: text({ pattern: /^[\w-]{1,100}$/, what: 'the id of a subagent' }),
    beforeCompaction: flag,
    sidechains: flag,
  }),
  fork: shape({ ...place, upTo: line, title, newUuids: flag }),
};

/** Checks the arguments of a function; `given` holds its other parameters by name. @throws OptionsError */
export function checkArguments(
  check: Check,
  options: unknown,
  given: { sessionId?: unknown; title?: unknown; tag?: unknown },
): void {
  checking((report) => {
    if ('sessionId' in given && !(typeof given.sessionId === 'string' && isSessionId(given.sessionId))) {
      report('sessionId', 'must be the id of a session, a UUID.');
    }
    if ('title' in given) title(given.title, 'title', report);
    if ('tag' in given && given.tag !== null) tag(given.tag, 'tag', report);
    check(options, 'options', report);
    if (check !== checks.transfer) checkPlace(options, report);
  });
}

function checkPlace(options: unknown, report: Report): void {
  if (!isJsonObject(options)) return;
  if (options.store === undefined) {
    if (options.project !== undefined) report('options.project', 'needs store.');
    return;
  }
  for (const name of ['cwd', 'configDir']) {
    if (options[name] !== undefined)
      report(`options.${name}`, 'cannot be combined with store: it is for sessions on disk.');
  }
}
