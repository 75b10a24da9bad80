import type { LifecycleState } from '../connection/state.ts';
import type { CoxswainError } from '../errors/base.ts';
import { plainError, redactedError } from '../errors/redacted.ts';
import { lateRefusal } from '../launch/late-refusal.ts';
import type { OutputEnd } from '../process/output-reader.ts';
import type { Redactor } from '../redact.ts';
import type { Feed } from '../stream/feed.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';
import type { CliFacts } from './cli-facts.ts';

/** What a conversation leaves to its owner: a session and a query of one turn judge the same facts differently. */
export interface OwnerRules {
  /** A query is strict: it refuses a CLI of unknown version, waits for the version check, and reports its end itself. */
  readonly strict: boolean;
  /** Receives warnings and permission requests; a session puts them into its current turn. */
  readonly feed?: Pick<Feed, 'warning' | 'permission' | 'takesPermissions'>;
  /** Receives every message before it is routed to a turn. */
  message?(message: Message, rawJson: string, at: number): void;
  /** Whether the CLI waits for an answer of a callback. */
  awaited?(awaited: boolean): void;
  /** A line could not be decoded; `inARow` counts such lines since the last decoded one. */
  undecodable(error: CoxswainError, inARow: number): void;
  /** A line was longer than the limit. */
  oversize?(): void;
  /** The result arrived, but could not be stored. */
  storeFailed?(error: Error): void;
  /** The version check has found that this CLI cannot be used. */
  refused(refusal: CoxswainError): void;
  /** stdout has ended, or failed. The owner may end the conversation. */
  outputEnded?(end: OutputEnd): void;
}

/** A session that outlives its processes: it reports the start, the states and the end itself. */
export interface ProcessOwner {
  stateChanged(state: LifecycleState): void;
  /** False for a warning that another process has already given. */
  isNews(warning: Warning): boolean;
}

/** What the rules of a session need from its conversation. */
interface SessionHost {
  readonly redact: Redactor;
  readonly cli: Pick<CliFacts, 'printed' | 'toolCalled'>;
  readonly connection: { readonly starting: boolean; readonly ending: { readonly begun: boolean } };
  warn(warning: Warning): void;
  fail(failure: Error): void;
}

/** The rules of a session. */
export function sessionRules(host: SessionHost): OwnerRules {
  return {
    strict: false,
    undecodable: (error) => {
      const shown = redactedError(error, host.redact);
      host.cli.printed.note(shown);
      host.warn(warning('undecodable-line', shown.message, { error: plainError(shown) }));
    },
    refused: (refusal) => {
      const { starting, ending } = host.connection;
      // The effects of tools cannot be undone.
      if (!starting && (host.cli.toolCalled || ending.begun)) host.warn(lateRefusal(refusal));
      else host.fail(refusal);
    },
  };
}
