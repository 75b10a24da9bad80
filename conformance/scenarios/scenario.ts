import type { Script } from '@coxswain/testkit';
import { type AgentOptions, type OpenSessionOptions, query, type Session } from 'coxswain';
import { startedSession } from '../harness/started-session.ts';

/** One conversation, written once and played by the scripted CLI and, through the fake API, by the real one. */
export interface Scenario {
  readonly name: string;
  /** What happens, in one sentence. */
  readonly about: string;
  /** The agent's script. */
  readonly agent: Script;
  /** What the host does. Every process it starts must have exited when it resolves. */
  readonly play: (host: Host) => Promise<void>;
  /** The API answers only when the host allows it, which avoids races. */
  readonly gated?: boolean;
  /** Subagents get no answer before a frame of this kind has been sent, for the same reason. */
  readonly subagentsWaitFor?: string;
}

/** The host's side of a scenario, which is independent of the CLI. */
export interface Host {
  /** Runs a query and waits for its end. */
  query(prompt: string, options?: AgentOptions): Promise<void>;
  /** Runs a session and closes it. */
  session(options: OpenSessionOptions, talk: (session: Session) => Promise<void>): Promise<void>;
  /** Waits until this many frames of a kind have arrived. */
  until(kind: string, times?: number): Promise<void>;
  /** Lets a gated API answer. */
  letSpeak(): void;
  /** Creates an empty file in the working directory, for a real command that waits for it. */
  touch(name: string): Promise<void>;
}

/** A scenario that is named after its file. */
export function scenario(name: string, what: Omit<Scenario, 'name'>): Scenario {
  return { name, ...what };
}

/** A host that adds these options to every run. */
export function hostWith(options: AgentOptions, rest: Pick<Host, 'until' | 'touch' | 'letSpeak'>): Host {
  return {
    async query(prompt, given) {
      await query(prompt, { ...given, ...options }).collect();
    },
    async session(given, talk) {
      const session = await startedSession({ ...given, ...options });
      try {
        await talk(session);
      } finally {
        await session.close();
      }
    },
    ...rest,
  };
}
