import { steadyNow } from '../clock.ts';
import type { Connection } from '../connection/connection.ts';
import { type OwnRequestOptions, remaining, unlessGivenUp } from '../control/pending.ts';
import { ControlRequestError, InitQueueOverflowError } from '../errors/session.ts';
import type { Limits } from '../limits.ts';
import type { RunEnvironment } from '../options/environment.ts';
import type { CliFacts } from './cli-facts.ts';

/** The parts of a conversation that queued requests use. */
export interface RequestQueueHost {
  readonly connection: Connection;
  readonly limits: Pick<Limits, 'maxQueuedOperations'>;
  readonly cli: Pick<CliFacts, 'versionDecides' | 'versionKnown'>;
  readonly ready: Promise<void>;
  readonly report: { log(level: 'error', message: string, fields: object): void };
  readonly plan: { readonly run: { readonly environment: Pick<RunEnvironment, 'learnFrom'> } };
  /** Prompts that waited for a request may be sent. */
  advance(): void;
}

/** The control requests of a conversation: those made before it is ready wait. */
export class RequestQueue {
  readonly #host: RequestQueueHost;
  /** The number of requests that wait for the handshake. They are sent before the first prompt. */
  queued = 0;

  constructor(host: RequestQueueHost) {
    this.#host = host;
  }

  /** Sends a control request as soon as the handshake is done. */
  async request(subtype: string, payload: object = {}, options: OwnRequestOptions = {}): Promise<unknown> {
    const { connection, limits, cli, ready, report } = this.#host;
    // The CLI may return the secrets in it in an error or on stderr.
    this.#host.plan.run.environment.learnFrom(payload);
    const since = steadyNow();
    const { starting } = connection;
    if (starting) {
      if (this.queued >= limits.maxQueuedOperations) throw new InitQueueOverflowError(limits.maxQueuedOperations);
      this.queued++;
    }
    try {
      if (starting) await unlessGivenUp(ready, subtype, options);
      // Otherwise the request is written at once, in the order of the calls.
      if (cli.versionDecides(subtype)) await unlessGivenUp(cli.versionKnown(), subtype, remaining(options, since));
      if (connection.state !== 'running') throw connection.ending.stopped(`${subtype} was not sent`);
      return await connection.requests.send(subtype, payload, remaining(options, since));
    } catch (error) {
      if (error instanceof ControlRequestError) {
        report.log('error', `coxswain: the CLI refused ${subtype}: ${error.said}`, { kind: subtype });
      }
      throw error;
    } finally {
      if (starting) {
        this.queued--;
        this.#host.advance();
      }
    }
  }
}
