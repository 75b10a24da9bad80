import { deniedInResult, unwantedMode } from '../callbacks/permission-warnings.ts';
import { steadyNow } from '../clock.ts';
import type { ControlRequests, RequestHandler } from '../connection/requests.ts';
import { type CliRequest, isHostOnly } from '../control/router.ts';
import type { CoxswainError } from '../errors/base.ts';
import { ResultLostError } from '../errors/session.ts';
import { UnexpectedMessageError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import { toolUsesOf } from '../messages/content.ts';
import { lineTooLong, type ReaderSink } from '../process/output-reader.ts';
import type { Warning } from '../warnings/warning.ts';
import type { OversizeLine } from '../wire/lines.ts';
import type { Message } from '../wire/messages.ts';
import type { CliFacts } from './cli-facts.ts';
import type { Arrival, HeldMessages, MirroredConversation } from './held-messages.ts';
import { MessageWarnings } from './message-warnings.ts';
import type { OwnerRules } from './owner-rules.ts';
import type { SessionPlan } from './plan.ts';
import type { SessionServers } from './servers.ts';
import type { TurnRunner } from './turn-runner.ts';
import type { SettingsKeeper } from './turn-settings.ts';

/** The parts of a conversation that frames reach. */
export interface Recipients {
  readonly plan: SessionPlan;
  readonly limits: Limits;
  readonly rules: OwnerRules;
  readonly cli: CliFacts;
  readonly settings: SettingsKeeper;
  readonly turns: TurnRunner;
  readonly servers: SessionServers;
  readonly inbound: RequestHandler;
  readonly stored: MirroredConversation | undefined;
  readonly held: Pick<HeldMessages, 'takes'>;
  readonly connection: { readonly requests: Pick<ControlRequests, 'take'> };
  warn(warning: Warning): void;
}

/** Receives the frames of the CLI: passes on control frames at once, and messages to turns and observers. */
export class FrameReceiver implements ReaderSink {
  readonly #to: Recipients;
  readonly #warnings: MessageWarnings;
  #badLinesInARow = 0;
  /** The CLI has sent something. */
  heard = false;
  /** The time of the last output, by `steadyNow`. */
  heardAt: number = steadyNow();
  /** The same as a timestamp. */
  #at = Date.now();

  constructor(recipients: Recipients) {
    this.#to = recipients;
    this.#warnings = new MessageWarnings(recipients.plan.given, recipients.plan.hooks);
  }

  chunk(): void {
    this.heard = true;
    this.heardAt = steadyNow();
    this.#at = Date.now();
  }

  message(frame: Message, rawJson: string): void {
    this.#badLinesInARow = 0;
    if (this.#to.connection.requests.take(frame, rawJson, this.heardAt)) return;
    const arrival = { message: frame, rawJson, at: this.#at };
    if (!this.#to.held.takes(arrival)) this.deliver(arrival);
  }

  undecodable(error: CoxswainError): void {
    if (!(error instanceof UnexpectedMessageError)) this.#badLinesInARow += 1;
    this.#to.rules.undecodable(error, this.#badLinesInARow);
  }

  warn(given: Warning): void {
    this.#to.warn(given);
  }

  oversize(line: OversizeLine): void {
    const { stored, rules, limits, turns, inbound } = this.#to;
    const { bytes } = line;
    const { maxLineBytes: limit } = limits;
    const found = readOversize(line.head);
    // A query reports with its result that its turn is not completely stored.
    const isForStore = stored !== undefined && isMirror(found);
    if (!isForStore) rules.oversize?.();
    this.#to.warn(lineTooLong(bytes, limit));
    if (isForStore) stored.lose({ path: found.filePath, bytes, limit });
    else if (found === 'result') turns.loseResult(new ResultLostError(bytes, limit));
    else if (found && !isMirror(found)) inbound.handle(found, steadyNow(), 0);
  }

  /** Passes a message on: to a query, to its turn and to observers. */
  deliver({ message, rawJson, at }: Arrival): void {
    const { cli, rules, turns } = this.#to;
    if (message.type === 'system') this.#system(message);
    cli.toolCalled ||= toolUsesOf(message).length > 0;
    for (const found of this.#warnings.of(message)) this.#to.warn(found);
    if (message.type === 'result') {
      cli.result(message);
      const denied = deniedInResult(message);
      if (denied) this.#to.warn(denied);
    }
    rules.message?.(message, rawJson, at);
    if (!isHostOnly(message)) turns.router.route(message, rawJson, at);
    if (message.type === 'system' && message.subtype === 'init') this.#noteSettings();
  }

  #system(message: Extract<Message, { type: 'system' }>): void {
    const { cli, servers, settings } = this.#to;
    if (message.subtype === 'init') {
      cli.init(message);
      void servers.listed(cli.capabilities.current.mcpServers);
    } else if (message.subtype === 'status' && typeof message.permissionMode === 'string') {
      settings.note({ permissionMode: message.permissionMode });
    }
  }

  /**
   * The settings that the CLI reports at the start of a run may be older than what was set since. They are current when the run
   * began with a prompt and nothing was set after that.
   */
  #noteSettings(): void {
    const { cli, plan, settings, turns } = this.#to;
    if (turns.router.tracker.phase !== 'ours' || settings.setSincePrompt) return;
    const { model, permissionMode } = cli.capabilities.current;
    if (model) settings.noteModelName(model);
    if (!permissionMode) return;
    const asked = settings.known.permissionMode;
    settings.note({ permissionMode });
    // In the first turn it must be the mode of the options; later it may have changed.
    const unwanted = !cli.finishedTurn && plan.run.options.canUseTool && unwantedMode(asked, permissionMode);
    if (unwanted) this.#to.warn(unwanted);
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
  // Checked first, because the entries may contain anything else.
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
  // The type at the start of a frame decides; its content may look like a result.
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
