import { Buffer } from 'node:buffer';
import { OBJECT, TEXT } from '@coxswain/shared/option-kinds';
import type { StartRequest } from 'coxswain/transport';
import { checkOptions } from '../check-options.ts';
import { AGENT_PROGRAM } from './agent-program.ts';

/** One step of the agent of a contract rule. Steps run one after the other. */
export type AgentStep =
  /** Writes exactly this to stdout, once or several times. */
  | { readonly print: string | Uint8Array; readonly times?: number }
  /** Writes to stderr. */
  | { readonly complain: string }
  /** Writes this many numbered lines of 1 KiB (`floodLine`) to stdout, no faster than they are read. */
  | { readonly flood: number }
  /** Reads lines from stdin until one contains this. Before the first such step, nothing is read. */
  | { readonly expect: string }
  /** Reads stdin to its end. */
  | { readonly expectEnd: true }
  /** Prints one line of JSON after `contract: `: the arguments, the variables, the working directory, or the private files. */
  | { readonly tell: 'arguments' | 'environment' | 'folder' | 'files' }
  /** From here on, only SIGKILL ends it. */
  | { readonly ignore: 'signals' }
  /** Waits until it is ended. */
  | { readonly hang: true }
  | { readonly exit: number };

/** The steps of a rule's agent, and what it is started with. */
export interface ContractAgent {
  readonly steps: readonly AgentStep[];
  /** Arguments that must arrive unchanged. */
  readonly args: readonly string[];
  /** Variables that must arrive unchanged. */
  readonly env: Readonly<Record<string, string>>;
  /** Private files; their paths must arrive as the last arguments. */
  readonly files: readonly { readonly name: string; readonly content: string }[];
}

/**
 * The request that starts the agent as a process: Node with a small program. For transports that run the command they are
 * given; `place` says where, and which variables Node needs there.
 */
export function agentRequest(
  agent: ContractAgent,
  place: {
    readonly cwd?: string | undefined;
    readonly env?: Readonly<Record<string, string>>;
    readonly node?: string;
  } = {},
): StartRequest {
  checkOptions('agentRequest()', place, { cwd: TEXT, env: OBJECT, node: TEXT });
  const { steps, args, files } = agent;
  const program = JSON.stringify(steps.map(plain));
  const argv = [place.node ?? process.execPath, '-e', AGENT_PROGRAM, '--', program, String(files.length), ...args];
  return {
    argv: [...argv, ...files.map(() => '')],
    env: { ...place.env, ...agent.env },
    cwd: place.cwd,
    privateFiles: files.map((file, index) => ({ ...file, argvIndex: argv.length + index })),
  };
}

/** Line `n` of a flood, with its line feed. */
export function floodLine(n: number): string {
  return `${`contract: ${String(n).padStart(8, '0')} `.padEnd(1_023, 'x')}\n`;
}

/** A line that an agent may expect: a line of the SDK's own protocol, so that agents that speak it understand it. */
export function inputLine(text: string): string {
  const message = { role: 'user', content: text };
  return `${JSON.stringify({ type: 'user', message, parent_tool_use_id: null })}\n`;
}

/** Everything a `print` step writes. */
export function printedBy({ print, times = 1 }: Extract<AgentStep, { print: unknown }>): Uint8Array {
  return Buffer.concat(Array.from({ length: times }, () => Buffer.from(print)));
}

function plain(step: AgentStep): object {
  if (!('print' in step)) return step;
  return { ...step, print: Buffer.from(step.print).toString('base64') };
}
