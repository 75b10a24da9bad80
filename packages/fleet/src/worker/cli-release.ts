import type { Session } from 'coxswain';
import type { Claim } from './claim.ts';
import type { ServedAgents } from './served-agents.ts';
import type { TurnWriter } from './writer.ts';

/** Records which release of the CLI runs a turn. */
export class CliRelease {
  readonly #claim: Claim;
  readonly #writer: TurnWriter;
  readonly #agents: ServedAgents;
  #recorded: string | undefined;

  constructor(claim: Claim, writer: TurnWriter, agents: ServedAgents) {
    this.#claim = claim;
    this.#writer = writer;
    this.#agents = agents;
  }

  /** Some releases report their version when they start, others with the first turn. */
  record({ capabilities: { cliVersion } }: Pick<Session, 'capabilities'>): void {
    if (cliVersion === undefined || cliVersion === this.#recorded) return;
    this.#recorded = cliVersion;
    const { id, agent, token } = this.#claim;
    this.#agents.ranOn(agent, cliVersion);
    const text = 'update @.turn set cli = $3 where id = $1 and claim = $2';
    this.#writer.statement(async (sql) => void (await sql.query(text, [id, token, cliVersion])));
  }
}
