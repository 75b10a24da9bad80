import { steadyNow } from '../clock.ts';
import { mcpServerStatuses } from '../control/answers.ts';
import type { RequestOptions } from '../control/pending.ts';
import type { Limits } from '../limits.ts';
import { field } from '../messages/fields.ts';
import type { AgentOptions } from '../options/option-types.ts';
import {
  awaitsServers,
  type ListedServer,
  serverCollision,
  serverFailure,
  serverWarning,
  startingServers,
  unavailableServers,
} from '../options/server-states.ts';
import type { Redactor } from '../redact.ts';
import { within } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';

/** The parts of a session that its servers use. */
export interface ServersHost {
  readonly plan: { readonly given: AgentOptions };
  readonly limits: Pick<Limits, 'serverStartMs'>;
  readonly redact: Redactor;
  readonly requests: { send(subtype: string, payload: object, options: RequestOptions): Promise<unknown> };
  /** Settles when the session has ended. */
  readonly closed: Promise<unknown>;
  readonly cli: { readonly finishedTurn: boolean };
  warn(warning: Warning): void;
  fail(failure: Error): void;
}

/** How long the CLI may take to list its servers. */
const ANSWER_MS = 5_000;

/** Delay before the next request to the CLI: initial and maximum. */
const AGAIN_MS = { first: 25, most: 400 };

/** The MCP servers of one CLI process: the start waits for them, and those that cannot be used are reported. */
export class SessionServers {
  readonly #host: ServersHost;
  /** The unavailable servers that have been reported. */
  #reported: ReadonlySet<string> = new Set();

  constructor(host: ServersHost) {
    this.#host = host;
  }

  /** Waits until the servers of the options are connected or have failed. @throws McpServerUnavailableError, McpServerCollisionError */
  async started(): Promise<void> {
    const { given } = this.#host.plan;
    if (awaitsServers(given)) await this.set(given);
  }

  /** The same for servers that were set later: those of `options`. A CLI that does not list its servers is not waited for. */
  async set(options: AgentOptions): Promise<void> {
    const until = steadyNow() + this.#host.limits.serverStartMs;
    for (let waitMs = AGAIN_MS.first; ; waitMs = Math.min(2 * waitMs, AGAIN_MS.most)) {
      const listed = await this.#list();
      if (listed === undefined) return;
      const leftMs = until - steadyNow();
      if (startingServers(listed, options).length === 0 || leftMs <= 0) {
        const failure = serverFailure(listed, options);
        if (failure) throw failure;
        return this.#report(listed);
      }
      // The end of the session makes the next request fail.
      await within(Math.min(waitMs, leftMs), this.#host.closed);
    }
  }

  /** Takes the servers of a `system/init`. What the session requires must hold until its first turn is over. */
  async listed(servers: readonly ListedServer[]): Promise<void> {
    const { plan, cli } = this.#host;
    const settled = servers.filter(({ status }) => status !== 'pending');
    const unmet = cli.finishedTurn ? undefined : serverFailure(settled, plan.given);
    // A server that is still starting, or was added later, can be called as soon as it is ready.
    const failure = serverCollision(servers, plan.given) ?? unmet;
    if (failure) return this.#host.fail(failure);
    const news = unavailableServers(servers, plan.given).some(({ name }) => !this.#reported.has(name));
    // Only the answer to a request has the reason.
    this.#report(news ? ((await this.#list()) ?? servers) : servers);
  }

  #report(listed: readonly ListedServer[]): void {
    const unavailable = unavailableServers(listed, this.#host.plan.given);
    const news = unavailable.filter(({ name }) => !this.#reported.has(name));
    this.#reported = new Set(unavailable.map(({ name }) => name));
    for (const server of news) this.#host.warn(serverWarning(server));
  }

  /** All servers of the CLI; `undefined` if it does not answer. */
  async #list(): Promise<readonly ListedServer[] | undefined> {
    const { requests, redact } = this.#host;
    try {
      const body = await requests.send('mcp_status', {}, { timeoutMs: ANSWER_MS });
      return Array.isArray(field(body, 'mcpServers')) ? mcpServerStatuses(body, redact) : undefined;
    } catch {
      return undefined;
    }
  }
}
