import { randomUUID } from 'node:crypto';
import { UUID } from '@coxswain/shared/uuid';
import type { Message } from 'coxswain';
import { type StoredConversation, storeConversation } from 'coxswain/raw';
import type { StoreEntry } from 'coxswain/store';
import type { StartRequest } from 'coxswain/transport';
import type { Options } from '../declarations/options.ts';
import type { SessionStore } from '../declarations/sessions.ts';
import type { SDKMirrorErrorMessage } from '../declarations/system-messages.ts';
import { type StoreLimits, warn, warnOfLostEntries } from '../start/tuning.ts';

type StoreFailure = NonNullable<Awaited<ReturnType<StoredConversation['flush']>>>;

/** Maximum number of entries that wait for the result with `sessionStoreFlush: 'batched'`. */
const BATCH = 500;

/** The conversation of a query with a `sessionStore`: restored before the start, and stored as the CLI mirrors it. */
export class StoredQuery {
  private readonly store: SessionStore;
  private readonly options: Options;
  private readonly limits: StoreLimits;
  private conversation: StoredConversation | undefined;
  private projectKey = '';
  private hasEnded = false;
  /** Reports that the end of the conversation is not stored. */
  private report: SDKMirrorErrorMessage | undefined;
  /** The entries that wait for the result, by transcript. */
  private readonly waiting = new Map<string, { readonly entries: StoreEntry[]; bytes: number }>();
  private waitingEntries = 0;

  constructor(store: SessionStore, options: Options, limits: StoreLimits) {
    this.store = store;
    this.options = options;
    this.limits = limits;
  }

  /** The start request of the CLI with the resumed conversation. @throws StoreFailedError */
  async prepare(request: StartRequest): Promise<StartRequest> {
    const { projectKeyOf } = await import('coxswain/store');
    const { store, limits } = this;
    const cwd = this.options.cwd ?? process.cwd();
    const projectKey = projectKeyOf(cwd);
    this.projectKey = projectKey;
    const report = ({ code, message }: { code: string; message: string }): void => warn(code, message);
    this.conversation = await storeConversation({ store, projectKey, limits, warn: report });
    // Prevents a later restore.
    if (this.hasEnded) await this.conversation.end();
    const { resume } = this.options;
    const sessionId = resume || (this.options.continue ? await this.newest(projectKey) : undefined);
    if (sessionId === undefined || !UUID.test(sessionId)) return request;
    const configDir = await this.conversation.restore(sessionId, { env: request.env, cwd });
    // The CLI searches the conversation on this machine.
    if (configDir === undefined) return request;
    const argv = request.argv.map((arg) => (arg === '--continue' && !resume ? `--resume=${sessionId}` : arg));
    return { ...request, argv, env: { ...request.env, CLAUDE_CONFIG_DIR: configDir } };
  }

  /** Handles a frame of `bytes` bytes. */
  frame(frame: Message, bytes: number): void {
    if (frame.type !== 'transcript_mirror') return;
    const { filePath, entries } = frame;
    if (typeof filePath !== 'string' || !Array.isArray(entries)) return;
    const waiting = this.waiting.get(filePath) ?? { entries: [], bytes: 0 };
    for (const entry of entries) waiting.entries.push(entry);
    waiting.bytes += bytes;
    this.waiting.set(filePath, waiting);
    this.waitingEntries += entries.length;
    if (this.options.sessionStoreFlush === 'eager' || this.waitingEntries >= BATCH) this.hand();
  }

  /** Resolves when everything received is stored, or to a message about the failure. Failed entries are retried later. */
  async flush(): Promise<SDKMirrorErrorMessage | undefined> {
    this.hand();
    const failure = await this.conversation?.flush();
    return failure && this.reportOf(failure);
  }

  /** Call it after the exit of the process: stores the rest, and removes the restored files. */
  async end(): Promise<void> {
    this.hasEnded = true;
    this.hand();
    const failure = await this.conversation?.end();
    this.report = failure && this.reportOf(failure);
  }

  /** Returns the message about the unstored end of the conversation, once. */
  takeReport(): SDKMirrorErrorMessage | undefined {
    const { report } = this;
    this.report = undefined;
    return report;
  }

  /** Reports the unstored end as a warning, for a query that is no longer read. */
  warnOfReport(): void {
    const report = this.takeReport();
    if (report) warnOfLostEntries(this.conversation?.pending ?? 0, report.error);
  }

  private reportOf({ message: error, sessionId }: StoreFailure): SDKMirrorErrorMessage {
    const key = { projectKey: this.projectKey, sessionId };
    return { type: 'system', subtype: 'mirror_error', error, key, uuid: randomUUID(), session_id: sessionId };
  }

  private hand(): void {
    for (const [path, { entries, bytes }] of this.waiting) this.conversation?.take(path, entries, bytes);
    this.waiting.clear();
    this.waitingEntries = 0;
  }

  private async newest(projectKey: string): Promise<string | undefined> {
    const listed = (await this.store.listSessions?.(projectKey)) ?? [];
    return listed.toSorted((one, other) => other.mtime - one.mtime)[0]?.sessionId;
  }
}
