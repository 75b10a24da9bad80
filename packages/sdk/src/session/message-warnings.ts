import { neverMatching } from '../callbacks/matcher.ts';
import { LimitNews, retryWarning } from '../messages/api-failure.ts';
import { type ToolRules, unknownTools } from '../options/unknown-tools.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';
import { isUnknownMessage } from '../wire/unknown.ts';
import { CapabilityRecord } from './capabilities.ts';

type HookMatchers = Parameters<typeof neverMatching>[0];

/** Finds what is worth a warning in the messages of one CLI process. */
export class MessageWarnings {
  readonly #rules: ToolRules;
  readonly #hooks: HookMatchers;
  readonly #unknownTypes = new Set<string>();
  readonly #limits = new LimitNews();
  #toolsListed = false;

  constructor(rules: ToolRules, hooks: HookMatchers) {
    this.#rules = rules;
    this.#hooks = hooks;
  }

  /** Takes all messages, in order. */
  of(message: Message): readonly Warning[] {
    this.#limits.note(message);
    if (message.type === 'system' && message.subtype === 'init') return this.#ofInit(message);
    const retry = retryWarning(message);
    if (retry) return [retry];
    const { type } = message;
    const known = type === 'system' || type === 'result' || !isUnknownMessage(message);
    if (known || this.#unknownTypes.has(type)) return [];
    this.#unknownTypes.add(type);
    const text = `The CLI sent a message of the unknown type ${JSON.stringify(type)}; it is passed on unchanged.`;
    return [warning('unknown-message-type', text, { type })];
  }

  /** Hooks and rules that fit no tool guard nothing. */
  #ofInit(message: Message): readonly Warning[] {
    if (this.#toolsListed) return [];
    this.#toolsListed = true;
    const said = new CapabilityRecord();
    said.fromInit(message);
    return [...unknownTools(this.#rules, said.current), ...neverMatching(this.#hooks, said.current.tools)];
  }
}
