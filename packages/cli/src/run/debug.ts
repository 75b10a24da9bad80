import type { AgentOptions } from 'coxswain';
import { harmless } from '../render/measure.ts';

/** The options that print debug output line by line: events, the SDK's log, the CLI's stderr. */
export function debugOptions(print: (line: string) => void): Pick<AgentOptions, 'logger' | 'onEvent' | 'onStderr'> {
  const log =
    (level: string) =>
    (fields: object, message: string): void =>
      print(`debug ${level}: ${message} ${JSON.stringify(fields)}`);
  return {
    logger: { trace: () => {}, debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    onEvent: (event) => event.type !== 'stderr' && print(`debug event: ${JSON.stringify(event)}`),
    onStderr: (line) => print(`debug stderr: ${harmless(line)}`),
  };
}
