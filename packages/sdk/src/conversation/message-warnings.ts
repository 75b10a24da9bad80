import { neverMatching } from '../callbacks/matcher.ts';
import { loadedIn, unrequested } from '../control/loaded.ts';
import { RateLimitTracker, retryWarning } from '../messages/api-failure.ts';
import { arrayField } from '../messages/fields.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { isListedServer, serverWarning, unavailableServers } from '../options/server-states.ts';
import { type ToolRules, unknownTools } from '../options/unknown-tools.ts';
import { shortName, WarnedOnce } from '../warnings/warned-once.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';
import { isUnknownMessage } from '../wire/unknown.ts';
import { CapabilityRecord } from './capabilities.ts';

/** Longer lists are not compared with the rules of the caller: that would take too long. */
const MOST_LISTED = 10_000;
/** What the caller asked for. */
export type AskedFor = ToolRules & Pick<AgentOptions, 'settingSources'>;

type HookMatchers = Parameters<typeof neverMatching>[0];

/** Creates warnings about the messages of one CLI process. */
export class MessageWarnings {
  readonly #asked: AskedFor;
  readonly #hooks: HookMatchers;
  readonly #unknownTypes = new WarnedOnce();
  readonly #limits = new RateLimitTracker();
  #toolsListed = false;

  constructor(asked: AskedFor, hooks: HookMatchers) {
    this.#asked = asked;
    this.#hooks = hooks;
  }

  /**
   * What the first `system/init` of a process reports and no request returns: servers that cannot be used, and what was loaded
   * although the caller did not ask for it.
   */
  ofOneShot(init: Message): readonly Warning[] {
    const listed = arrayField(init, 'mcp_servers').filter(isListedServer);
    const loaded = loadedIn(
      { get_settings: {}, mcp_status: { mcpServers: listed }, get_context_usage: {} },
      arrayField(init, 'plugins'),
    );
    const { settingSources } = this.#asked;
    const found = settingSources === undefined ? unrequested(loaded, settingSources) : undefined;
    return [...unavailableServers(listed, {}).map(serverWarning), ...(found ? [found] : [])];
  }

  /** Takes all messages, in order. */
  of(message: Message): readonly Warning[] {
    this.#limits.note(message);
    if (message.type === 'system' && message.subtype === 'init') return this.#ofInit(message);
    const retry = retryWarning(message);
    if (retry) return [retry];
    const { type } = message;
    const known = type === 'system' || type === 'result' || !isUnknownMessage(message);
    const name = shortName(type);
    if (known || !this.#unknownTypes.isNew(name)) return [];
    const text = `The CLI sent a message of the unknown type ${JSON.stringify(name)}; it is passed on unchanged.`;
    return [warning('unknown-message-type', text, { type: name })];
  }

  /** Warns about hooks and rules without a matching tool, because they guard nothing. */
  #ofInit(message: Message): readonly Warning[] {
    if (this.#toolsListed) return [];
    this.#toolsListed = true;
    const said = new CapabilityRecord();
    said.fromInit(message);
    const { tools, mcpServers } = said.current;
    if (tools.length > MOST_LISTED || mcpServers.length > MOST_LISTED) return [];
    return [...unknownTools(this.#asked, said.current), ...neverMatching(this.#hooks, said.current.tools)];
  }
}
