import type { Script } from '@coxswain/testkit';
import type { LifecycleState } from '../../src/connection/state.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import type { ExitReport } from '../../src/process/transport.ts';
import type { Session } from '../../src/session/session.ts';
import type { UserContent } from '../../src/wire/messages.ts';
import type { Step } from '../support/say.ts';

/** One way to misbehave, and what a user must see of it. */
export interface Scenario {
  /** Short and unique: a row in the table of the documentation. */
  readonly id: string;
  readonly proves: readonly string[];
  /** What goes wrong, in words. */
  readonly what: string;
  /** The CLI: a script of the test kit, or steps of the fixture shell (for queries only). A good one without either. */
  readonly agent?: ((agent: Script) => Script) | undefined;
  readonly steps?: readonly Step[];
  /** Where the script is played, if not where the group is. */
  readonly place?: 'process' | 'memory';
  readonly prompt?: UserContent;
  /** Options, or what makes them for one run: callbacks that note what happened to them, or need the session. */
  readonly options?: AgentOptions | ((world: World) => AgentOptions) | undefined;
  /** What else is done with a session, beside its turn; it is waited for. */
  readonly during?: (session: Session, notes: string[]) => Promise<void>;
  /** What a query shows of it; left out where it does not apply. */
  readonly query?: Expected;
  /** What a session shows of it. */
  readonly session?: Expected;
}

/** What callbacks of a scenario have at hand. */
export interface World {
  /** What happened to the callbacks, for `notes` of the expectation. */
  readonly notes: string[];
  /** The session of the run; throws in a query. */
  session(): Session;
}

/** The exact outcome. */
export interface Expected {
  /** `completed`, `no-result`, `outcome:<outcome>`, or the code of the error that ended the run or the turn. */
  readonly outcome: string;
  readonly text?: string;
  /** The codes of all warnings, in order; none unless given. A number repeats the code before it. */
  readonly warnings?: readonly (string | number)[];
  /** The codes of the errors that did not end the stream, in order; none unless given. */
  readonly errors?: readonly (string | number)[];
  /** The types of the messages, in order. */
  readonly messages?: readonly string[];
  /** Fields of the error. */
  readonly error?: object;
  readonly exit?: Partial<ExitReport>;
  /** How a session stands afterwards; one that runs is given another prompt. */
  readonly state?: LifecycleState;
  /** What the callbacks noted. */
  readonly notes?: readonly string[];
  /** From the start until the process is gone. */
  readonly withinMs?: number;
  /** What the CLI got; false when none may have been started. */
  readonly got?: false | ((run: Got) => void);
}

/** What the CLI was started with and told. */
export interface Got {
  readonly argv: readonly string[];
  readonly prompts: readonly string[];
  readonly frames: readonly Readonly<Record<string, unknown>>[];
  readonly tools: readonly { readonly name: string; readonly outcome: string }[];
}

/** The same in a query and in a session. */
export function both(expected: Expected): Pick<Scenario, 'query' | 'session'> {
  return { query: expected, session: expected };
}

/** The secrets of all scenarios. They are given to each run, and each CLI spills them to its stderr. */
export const SECRETS = {
  apiKey: 'my-own-key-0123456789',
  password: 'pass"word\\with odd characters',
  header: 'Bearer abcdefghijklmnop',
  setting: 'token-of-the-settings-77',
  shaped: 'sk-ant-api03-notknownbefore',
} as const;

export const SPILL: string = Object.values(SECRETS).join(' / ');
