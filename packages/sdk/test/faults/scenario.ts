import type { Script } from '@coxswain/testkit';
import type { LifecycleState } from '../../src/connection/state.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import type { ExitReport } from '../../src/process/transport.ts';
import type { Session } from '../../src/session/session.ts';
import type { UserContent } from '../../src/wire/messages.ts';
import type { Step } from '../support/say.ts';

/** A fault, and its expected effect for the user. */
export interface Scenario {
  /** Short and unique: a row in the table of the documentation. */
  readonly id: string;
  readonly proves: readonly string[];
  /** Description of the fault. */
  readonly what: string;
  /** The CLI: a script of the test kit, or steps of the fixture shell (for queries only). Without either, a correct CLI. */
  readonly agent?: ((agent: Script) => Script) | undefined;
  readonly steps?: readonly Step[];
  /** The place of the script, if it differs from that of the group. */
  readonly place?: 'process' | 'memory';
  readonly prompt?: UserContent;
  /** Options, or a function that creates them for one run: its callbacks may write notes or use the session. */
  readonly options?: AgentOptions | ((world: World) => AgentOptions) | undefined;
  /** Further actions on a session during its turn; they are awaited. */
  readonly during?: (session: Session, notes: string[]) => Promise<void>;
  /** Expectation for a query; omitted if it does not apply. */
  readonly query?: Expected;
  /** Expectation for a session. */
  readonly session?: Expected;
}

/** The context of the callbacks of a scenario. */
export interface World {
  /** Notes of the callbacks, compared with `notes` of the expectation. */
  readonly notes: string[];
  /** The session of the run; throws in a query. */
  session(): Session;
}

/** The exact outcome. */
export interface Expected {
  /** `completed`, `no-result`, `outcome:<outcome>`, or the code of the error that ended the run or the turn. */
  readonly outcome: string;
  readonly text?: string;
  /** The codes of all warnings, in order. Default: none. A number repeats the code before it. */
  readonly warnings?: readonly (string | number)[];
  /** The codes of the errors that did not end the stream, in order. Default: none. */
  readonly errors?: readonly (string | number)[];
  /** The types of the messages, in order. */
  readonly messages?: readonly string[];
  /** Fields of the error. */
  readonly error?: object;
  readonly exit?: Partial<ExitReport>;
  /** The state of a session afterwards; a running session gets another prompt. */
  readonly state?: LifecycleState;
  /** The expected notes of the callbacks. */
  readonly notes?: readonly string[];
  /** Time from the start until the exit of the process. */
  readonly withinMs?: number;
  /** Checks the CLI's input; false if no CLI may have been started. */
  readonly got?: false | ((run: Got) => void);
}

/** The command line and the input of the CLI. */
export interface Got {
  readonly argv: readonly string[];
  readonly prompts: readonly string[];
  readonly frames: readonly Readonly<Record<string, unknown>>[];
  readonly tools: readonly { readonly name: string; readonly outcome: string }[];
}

/** The same expectation for a query and a session. */
export function both(expected: Expected): Pick<Scenario, 'query' | 'session'> {
  return { query: expected, session: expected };
}

/** The secrets of all scenarios. Each run receives them, and each CLI writes them to its stderr. */
export const SECRETS = {
  apiKey: 'my-own-key-0123456789',
  password: 'pass"word\\with odd characters',
  header: 'Bearer abcdefghijklmnop',
  setting: 'token-of-the-settings-77',
  shaped: 'sk-ant-api03-notknownbefore',
} as const;

export const SPILL: string = Object.values(SECRETS).join(' / ');
