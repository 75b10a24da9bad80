import { type Message, type PoolEvent, type RunEvent, textOf, toolUsesOf } from 'coxswain';

/** Describes a message of the CLI in a few words. */
export function messageInShort(message: Message, turn: string | null): string {
  return `  < ${turn?.slice(0, 4) ?? '----'} ${kindOf(message)}${namesOf(message)} ${wordsOf(message)}`;
}

/** Describes an event in a few words; empty for those that accompany every message. */
export function eventInShort(event: RunEvent | PoolEvent): string | undefined {
  const { seq: _, at: __, type, ...rest } = event;
  return /callback|stderr|request-answered/.test(type)
    ? undefined
    : `  * ${type} ${JSON.stringify(rest).slice(0, 200)}`;
}

function kindOf(message: Message): string {
  const { type } = message;
  if (message.type === 'system') return `system/${message.subtype}`;
  if (message.type === 'user') return message.isReplay ? `echo ${message.uuid?.slice(0, 4)}` : 'user';
  return type;
}

/** The prompts that a message names. The fields depend on the release, so they are checked here. */
function namesOf(message: object): string {
  const {
    user_message_uuids: named,
    command_uuid: command,
    state,
    origin,
    permissionMode,
  } = message as Readonly<Record<string, unknown>>;
  const names = Array.isArray(named) ? ` [${named.map((name) => String(name).slice(0, 4))}]` : '';
  const lifecycle = typeof command === 'string' ? ` ${command.slice(0, 4)} ${state}` : '';
  const mode = permissionMode === undefined ? '' : ` ${permissionMode}`;
  return `${names}${lifecycle}${mode}${origin ? ` origin ${JSON.stringify(origin).slice(0, 40)}` : ''}`;
}

function wordsOf(message: Message): string {
  const tools = toolUsesOf(message).map(({ name }) => name);
  return JSON.stringify([...tools, textOf(message)].join(' ').slice(0, 60));
}
