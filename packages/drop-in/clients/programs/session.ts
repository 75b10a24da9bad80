// A long conversation over an open input, and its files.
import {
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  InMemorySessionStore,
  listSessions,
  type ModelInfo,
  type Query,
  query,
  renameSession,
  type SDKMessage,
  type SDKSessionInfo,
  type SDKUserMessage,
  type SessionKey,
  type SessionMessage,
  type SessionStore,
  type SessionStoreEntry,
  type SlashCommand,
  startup,
  tagSession,
  type WarmQuery,
} from '@anthropic-ai/claude-agent-sdk';

/** A queue in the style of chat servers. */
export class Queue implements AsyncIterable<SDKUserMessage> {
  #waiting: SDKUserMessage[] = [];
  #wake: (() => void) | undefined;

  push(text: string, uuid?: `${string}-${string}-${string}-${string}-${string}`): void {
    this.#waiting.push({
      type: 'user',
      message: { role: 'user', content: text },
      parent_tool_use_id: null,
      session_id: 's',
      ...(uuid === undefined ? {} : { uuid }),
      priority: 'next',
    });
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<SDKUserMessage> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift() as SDKUserMessage;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

export class Chat {
  readonly #input = new Queue();
  readonly #query: Query = query({ prompt: this.#input, options: { includePartialMessages: true } });

  async ask(text: string): Promise<SDKMessage | undefined> {
    this.#input.push(text);
    for (;;) {
      const { value, done } = await this.#query.next();
      if (done || value === undefined) return undefined;
      if (value.type === 'result') return value;
    }
  }

  async change(): Promise<[SlashCommand[], ModelInfo[]]> {
    await this.#query.setModel('haiku');
    await this.#query.setModel();
    await this.#query.setPermissionMode('plan');
    await this.#query.setMaxThinkingTokens(null);
    await this.#query.applyFlagSettings({ model: 'opus', effortLevel: null });
    const receipt = await this.#query.interrupt();
    const { commands, models, account } = await this.#query.initializationResult();
    const { canRewind, filesChanged } = await this.#query.rewindFiles('id', { dryRun: true });
    console.log(receipt?.still_queued.length, account.email, canRewind, filesChanged?.length, models.length);
    return [commands, await this.#query.supportedModels()];
  }

  end(): void {
    this.#query.close();
  }
}

/** A custom store. */
export class Files implements SessionStore {
  readonly #entries = new Map<string, SessionStoreEntry[]>();

  async append({ sessionId }: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    this.#entries.set(sessionId, [...(this.#entries.get(sessionId) ?? []), ...entries]);
  }

  async load({ sessionId }: SessionKey): Promise<SessionStoreEntry[] | null> {
    return this.#entries.get(sessionId) ?? null;
  }
}

export async function history(dir: string): Promise<string[]> {
  const sessions: SDKSessionInfo[] = await listSessions({ dir, limit: 10 });
  const [first] = sessions;
  if (first === undefined) return [];
  const messages: SessionMessage[] = await getSessionMessages(first.sessionId, { dir });
  const info = await getSessionInfo(first.sessionId, { dir });
  const { sessionId } = await forkSession(first.sessionId, { dir, upToMessageId: messages[0]?.uuid });
  await renameSession(sessionId, info?.summary ?? 'none', { dir });
  await tagSession(sessionId, null);
  await deleteSession(sessionId);
  return messages.map((message) => message.type);
}

export async function warm(): Promise<void> {
  const ready: WarmQuery = await startup({ options: { sessionStore: new Files() }, initializeTimeoutMs: 1000 });
  for await (const message of ready.query('Hello.')) console.log(message.type);
  const store: SessionStore = new InMemorySessionStore();
  await using running = query({ prompt: 'Hi.', options: { sessionStore: store, resume: 'id', forkSession: true } });
  await running.return();
}
