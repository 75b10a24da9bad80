import { steadyNow } from '../clock.ts';
import { type ControlAnswer, requestIn, route } from '../control/router.ts';
import type { CoxswainError } from '../errors/base.ts';
import { UnexpectedMessageError } from '../errors/decode.ts';
import { TransportError } from '../errors/stream.ts';
import { ResultLostError } from '../errors/turn.ts';
import { matcherCanMatch } from '../hooks/matcher.ts';
import { LimitNews } from '../messages/limit-news.ts';
import { retryWarning } from '../messages/retry-delay.ts';
import { sessionIdOf } from '../messages/session-id.ts';
import { deniedInResult, unwantedMode } from '../permissions/shadowed.ts';
import { unknownTools } from '../permissions/unknown-tools.ts';
import type { ExitReport } from '../process/transport.ts';
import { plainError, redactedError } from '../stream/shown-error.ts';
import { warning } from '../warnings/warning.ts';
import { controlError } from '../wire/control.ts';
import type { OversizeLine } from '../wire/lines.ts';
import { isHostOnly, isUnknownMessage, isUsual, type Message } from '../wire/messages.ts';
import type { LinkSink } from './link.ts';
import type { LiveSession } from './live.ts';
import { readOversize } from './oversize.ts';

/** Takes in what comes from the CLI: control frames go at once to whoever they are for, messages to turns and observers. */
export class Incoming implements LinkSink {
  private readonly session: LiveSession;
  private readonly unknownTypes = new Set<string>();
  private toolsChecked = false;
  private readonly limits = new LimitNews();
  private badLinesInARow = 0;
  private greeted = false;
  heardAt: number = steadyNow();
  /** The same as a timestamp. */
  private at = Date.now();

  constructor(session: LiveSession) {
    this.session = session;
  }

  chunk(): void {
    this.heardAt = steadyNow();
    this.at = Date.now();
  }

  message(frame: Message, rawJson: string): void {
    const session = this.session;
    if (!this.greeted) this.greeted = session.signOfLife();
    this.badLinesInARow = 0;
    // Asking what these are each time costs 4 % of a long turn, and 3 % of a quick hook.
    if (isUsual(frame)) return this.handOver(frame, rawJson);
    const request = requestIn(frame);
    if (request) return session.answering.callbacks.handle(request, this.heardAt);
    const routed = route(frame);
    switch (routed.kind) {
      case 'message':
        return this.unusual(frame, rawJson);
      case 'response':
        if (routed.id === undefined) {
          const context = { rawJson: session.redact(rawJson) };
          session.warn(warning('malformed-control-frame', 'The CLI sent an answer without a request id.', context));
        } else if (session.pending.settle(routed.id, this.shown(routed.answer))) {
          session.report.event({ type: 'request-answered', id: routed.id, ok: routed.answer.ok });
        } else {
          session.report.log('debug', 'coxswain: nobody waits for this answer', { id: routed.id });
        }
        return;
      case 'cancel':
        if (routed.id !== undefined) session.answering.callbacks.cancel(routed.id);
        return;
      case 'bad-request':
        return this.badRequest(routed.id, routed.missing);
      case 'ignore':
        return;
    }
  }

  undecodable(error: CoxswainError): void {
    if (!(error instanceof UnexpectedMessageError)) this.badLinesInARow += 1;
    if (this.session.tap) return this.session.tap.undecodable(error, this.badLinesInARow);
    const shown = redactedError(error, this.session.redact);
    this.session.warn(warning('undecodable-line', shown.message, { error: plainError(shown) }));
  }

  oversize(line: OversizeLine): void {
    const session = this.session;
    const { maxLineBytes } = session.limits;
    session.tap?.oversize();
    session.warn(
      warning(
        'line-too-long',
        `The CLI sent a line of ${line.bytes} bytes, over limits.maxLineBytes; it was dropped.`,
        {
          bytes: line.bytes,
          limit: maxLineBytes,
        },
      ),
    );
    const found = readOversize(line.head);
    if (found.kind === 'request') {
      session.answering.callbacks.handle(found.frame, steadyNow());
    } else if (found.kind === 'result') {
      session.turns.loseResult(new ResultLostError(line.bytes, maxLineBytes));
    }
  }

  gone(exit: ExitReport): void {
    void this.session.gone(exit);
  }

  broken(failure: Error | undefined): void {
    this.session.fail(
      failure ??
        new TransportError(
          'The CLI closed its stdout and ran on, so the session was ended. Start a new one with resume.',
        ),
    );
  }

  /** What the CLI says of a refusal becomes the message of an error. */
  private shown(answer: ControlAnswer): ControlAnswer {
    return answer.ok ? answer : { ...answer, error: this.session.redact(answer.error) };
  }

  private unusual(message: Message, rawJson: string): void {
    this.limits.note(message);
    if (message.type === 'system') this.system(message);
    else if (message.type === 'result') this.result(message);
    else if (isUnknownMessage(message)) this.warnUnknown(message.type);
    this.handOver(message, rawJson);
    if (message.type === 'system' && message.subtype === 'init') this.noteSettings();
  }

  private handOver(message: Message, rawJson: string): void {
    const session = this.session;
    session.tap?.message(message, rawJson, this.at);
    if (isHostOnly(message)) return;
    session.turns.route(message, rawJson, this.at);
  }

  private system(message: Extract<Message, { type: 'system' }>): void {
    const session = this.session;
    if (message.subtype === 'init') {
      session.capabilities.fromInit(message);
      session.id = sessionIdOf(message) ?? session.id;
      const { cliVersion } = session.capabilities.current;
      session.cliVersion = cliVersion ?? session.cliVersion;
      session.versionWatch?.told(cliVersion);
      this.checkTools();
    } else if (message.subtype === 'control_request_progress') {
      if (typeof message.request_id === 'string') session.pending.progress(message.request_id);
    } else if (message.subtype === 'status' && typeof message.permissionMode === 'string') {
      session.settings.note({ permissionMode: message.permissionMode });
    } else if (message.subtype === 'api_retry') {
      const retry = retryWarning(message);
      if (retry) session.warn(retry);
    }
  }

  /**
   * What the CLI says at the start of a run may be older than what was set since. It is not when the run began behind a prompt
   * and nothing was set after that.
   */
  private noteSettings(): void {
    const { capabilities, settings, turns } = this.session;
    if (!turns.inTurn || settings.setSincePrompt) return;
    const { model, permissionMode } = capabilities.current;
    if (model) settings.noteModelName(model);
    if (permissionMode) this.mode(permissionMode);
  }

  /** Every turn tells it. In the first one it must be what was asked for; later much may have changed it. */
  private mode(permissionMode: string): void {
    const { settings, finishedTurn, plan } = this.session;
    const asked = settings.known.permissionMode;
    settings.note({ permissionMode });
    if (finishedTurn || plan.run.options.canUseTool === undefined) return;
    const unwanted = unwantedMode(asked, permissionMode);
    if (unwanted) this.session.warn(unwanted);
  }

  private result(message: Extract<Message, { type: 'result' }>): void {
    const session = this.session;
    session.finishedTurn = true;
    session.id = sessionIdOf(message) ?? session.id;
    if ('errors' in message && Array.isArray(message.errors)) {
      session.lastWords = message.errors.filter((error) => typeof error === 'string').join('; ');
    }
    const denied = deniedInResult(message);
    if (denied) session.warn(denied);
  }

  /** A guard whose matcher names no tool guards nothing, and a rule for none decides nothing: their author should know. */
  private checkTools(): void {
    if (this.toolsChecked) return;
    this.toolsChecked = true;
    const { tools } = this.session.capabilities.current;
    for (const unknown of unknownTools(this.session.givenOptions, this.session.capabilities.current)) {
      this.session.warn(unknown);
    }
    for (const { id, event, matcher } of this.session.plan.hooks) {
      if (matcher === null || !/Tool|Permission/.test(event) || matcherCanMatch(matcher, tools)) continue;
      this.session.warn(
        warning(
          'matcher-never-matches',
          `The matcher ${JSON.stringify(matcher)} of ${event} fits none of the session's tools.`,
          {
            hook: id,
            event,
            matcher,
          },
        ),
      );
    }
  }

  private warnUnknown(type: string): void {
    if (this.unknownTypes.has(type)) return;
    this.unknownTypes.add(type);
    this.session.warn(
      warning(
        'unknown-message-type',
        `The CLI sent a message of the unknown type ${JSON.stringify(type)}; it is passed on as it is.`,
        { type },
      ),
    );
  }

  private badRequest(id: string | undefined, missing: string): void {
    const session = this.session;
    if (id !== undefined) session.sendQuietly(controlError(id, `The request has no ${missing}.`, 'invalid_request'));
    session.warn(
      warning('malformed-control-frame', `The CLI sent a control request without ${missing}.`, { id, missing }),
    );
  }
}
