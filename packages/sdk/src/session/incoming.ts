import { deniedInResult, unwantedMode } from '../callbacks/policy.ts';
import { steadyNow } from '../clock.ts';
import { type CliRequest, isHostOnly } from '../control/router.ts';
import type { CoxswainError } from '../errors/base.ts';
import { ResultLostError } from '../errors/session.ts';
import { UnexpectedMessageError } from '../errors/stream.ts';
import { toolUsesOf } from '../messages/content.ts';
import { lineTooLong } from '../process/line-too-long.ts';
import type { ReaderSink } from '../process/output-reader.ts';
import { plainError, redactedError } from '../report/redacted.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { OversizeLine } from '../wire/lines.ts';
import type { Message } from '../wire/messages.ts';
import type { LiveSession } from './live.ts';
import { MessageWarnings } from './message-warnings.ts';

/** Receives the frames of the CLI: passes control frames on at once, and messages to turns and observers. */
export class Incoming implements ReaderSink {
  readonly #session: LiveSession;
  readonly #warnings: MessageWarnings;
  #badLinesInARow = 0;
  /** The CLI has sent something. */
  heard = false;
  /** When the CLI last sent anything, on the clock of `steadyNow`. */
  heardAt: number = steadyNow();
  /** The same as a timestamp. */
  #at = Date.now();

  constructor(session: LiveSession) {
    this.#session = session;
    this.#warnings = new MessageWarnings(session.plan.given, session.plan.hooks);
  }

  chunk(): void {
    this.heard = true;
    this.heardAt = steadyNow();
    this.#at = Date.now();
  }

  message(frame: Message, rawJson: string): void {
    const { requests, stored, held } = this.#session;
    this.#badLinesInARow = 0;
    if (requests.take(frame, rawJson, this.heardAt)) return;
    if (stored && held.takes({ message: frame, rawJson, at: this.#at })) return;
    this.handOver(frame, rawJson, this.#at);
  }

  undecodable(error: CoxswainError): void {
    if (!(error instanceof UnexpectedMessageError)) this.#badLinesInARow += 1;
    if (this.#session.tap) return this.#session.tap.undecodable(error, this.#badLinesInARow);
    const shown = redactedError(error, this.#session.redact);
    this.#session.cli.printed.note(shown);
    this.#session.warn(warning('undecodable-line', shown.message, { error: plainError(shown) }));
  }

  warn(given: Warning): void {
    this.#session.warn(given);
  }

  oversize(line: OversizeLine): void {
    const session = this.#session;
    const { stored } = session;
    const { bytes } = line;
    const { maxLineBytes: limit } = session.limits;
    const found = readOversize(line.head);
    // What it means for a query that its turn is not completely stored is said with its result.
    const isForStore = stored !== undefined && isMirror(found);
    if (!isForStore) session.tap?.oversize();
    session.warn(lineTooLong(bytes, limit));
    if (isForStore) stored.lose({ path: found.filePath, bytes, limit });
    else if (found === 'result') session.turns.loseResult(new ResultLostError(bytes, limit));
    else if (found && !isMirror(found)) session.inbound.handle(found, steadyNow());
  }

  /** Passes a message on: to a query, to its turn and to observers. */
  handOver(message: Message, rawJson: string, at: number): void {
    const session = this.#session;
    if (message.type === 'system') this.#system(message);
    session.cli.toolCalled ||= toolUsesOf(message).length > 0;
    for (const found of this.#warnings.of(message)) session.warn(found);
    if (message.type === 'result') {
      session.cli.result(message);
      const denied = deniedInResult(message);
      if (denied) session.warn(denied);
    }
    session.tap?.message(message, rawJson, at);
    if (!isHostOnly(message)) session.turns.router.route(message, rawJson, at);
    if (message.type === 'system' && message.subtype === 'init') this.#noteSettings();
  }

  #system(message: Extract<Message, { type: 'system' }>): void {
    const session = this.#session;
    if (message.subtype === 'init') {
      session.cli.init(message);
      void session.servers.listed(session.cli.capabilities.current.mcpServers);
    } else if (message.subtype === 'status' && typeof message.permissionMode === 'string') {
      session.settings.note({ permissionMode: message.permissionMode });
    }
  }

  /**
   * The settings that the CLI reports at the start of a run may be older than what was set since. They are not when the run
   * began with a prompt and nothing was set after that.
   */
  #noteSettings(): void {
    const { cli, plan, settings, turns } = this.#session;
    if (turns.router.tracker.phase !== 'ours' || settings.setSincePrompt) return;
    const { model, permissionMode } = cli.capabilities.current;
    if (model) settings.noteModelName(model);
    if (!permissionMode) return;
    const asked = settings.known.permissionMode;
    settings.note({ permissionMode });
    // In the first turn it must be the mode of the options; later it may have changed.
    const unwanted = !cli.finishedTurn && plan.run.options.canUseTool && unwantedMode(asked, permissionMode);
    if (unwanted) this.#session.warn(unwanted);
  }
}

/** Entries for the session store. */
interface MirrorHead {
  readonly type: 'transcript_mirror';
  readonly filePath: string | undefined;
}

/**
 * Recognises, by its first bytes, a request, which must not stay unanswered, a result, without which its turn would not end,
 * and entries, which the session store would lack.
 */
export function readOversize(head: Uint8Array): CliRequest | MirrorHead | 'result' | undefined {
  const text = new TextDecoder().decode(head);
  // First: the entries may hold anything else.
  if (/^\{"(?:type":"transcript_mirror|filePath|entries)"/.test(text)) {
    return { type: 'transcript_mirror', filePath: stringOf(text, 'filePath') };
  }
  const id = stringOf(text, 'request_id');
  const subtype = stringOf(text, 'subtype');
  if (id !== undefined && subtype !== undefined && text.includes('"control_request"')) {
    // The input is lost: the failure policy of the callback decides.
    const request = { subtype, callback_id: stringOf(text, 'callback_id') };
    return { type: 'control_request', request_id: id, request };
  }
  // A frame that begins with its type is what it says; its content may look like a result.
  const type = /^\{"type":"([^"]*)"/.exec(text)?.[1];
  if (type !== undefined && type !== 'result') return undefined;
  return /"type":"result"|"duration_api_ms":|"total_cost_usd":/.test(text) ? 'result' : undefined;
}

function isMirror(found: ReturnType<typeof readOversize>): found is MirrorHead {
  return typeof found === 'object' && found.type === 'transcript_mirror';
}

function stringOf(text: string, name: string): string | undefined {
  return new RegExp(`"${name}":"([^"\\\\]*)"`).exec(text)?.[1];
}
