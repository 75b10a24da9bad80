import type { FleetAgent } from '../agent/define-agent.ts';
import { FleetInputError } from '../errors.ts';
import type { ServedAgent } from '../queue/routes.ts';

/** What a worker announces about one of its agents. */
export interface AnnouncedAgent {
  readonly version?: string | undefined;
  readonly cli?: string | undefined;
}

interface Served extends ServedAgent {
  readonly agent: FleetAgent;
}

/** The agents of a worker, and what is known about each of them. */
export class ServedAgents {
  readonly #agents: Map<string, Served>;

  /** `cli`: the release of the CLI that the worker has found. */
  constructor(
    agents: Readonly<Record<string, FleetAgent>>,
    found: { readonly cli: string | null; readonly places: ReadonlyMap<FleetAgent, string> },
  ) {
    const { cli, places } = found;
    this.#agents = new Map(
      Object.entries(agents).map(([name, agent]) => [
        name,
        { name, agent, version: agent.version ?? null, cli, place: places.get(agent) ?? null },
      ]),
    );
  }

  get names(): readonly string[] {
    return [...this.#agents.keys()];
  }

  /** For routes. */
  get served(): readonly ServedAgent[] {
    return [...this.#agents.values()];
  }

  /** For the list of workers. */
  get announced(): Readonly<Record<string, AnnouncedAgent>> {
    const entries = [...this.#agents.values()].map(({ name, version, cli }) => [
      name,
      { ...(version !== null && { version }), ...(cli !== null && { cli }) },
    ]);
    return Object.fromEntries(entries);
  }

  /** The places where files of conversations stay. */
  get places(): readonly string[] {
    return [...new Set([...this.#agents.values()].flatMap(({ place }) => place ?? []))];
  }

  /** @throws FleetInputError for the name of another agent */
  agentOf(name: string): FleetAgent {
    const served = this.#agents.get(name);
    if (served === undefined) throw new FleetInputError('agents', `has no agent with the name "${name}".`);
    return served.agent;
  }

  /** A turn of the agent ran on this release: its options may select another CLI than the one that the worker has found. */
  ranOn(name: string, cli: string): void {
    const served = this.#agents.get(name);
    if (served && served.cli !== cli) this.#agents.set(name, { ...served, cli });
  }
}
