import { inMemoryCli, script, type TurnScript } from '@coxswain/testkit';
import { type AgentOptions, type Client, createClient } from 'coxswain';
import type { Transport } from 'coxswain/transport';
import { type TelemetryOptions, telemetry } from '../src/index.ts';
import { type Recorder, recorder } from './recorder.ts';

/** A client on a scripted agent in memory, and its recorder. */
export interface Stage {
  readonly client: Client;
  readonly traced: Recorder;
  readonly transport: () => Transport;
}

/** Creates a stage: `play` defines the reaction of the agent to every prompt. */
export function stage(
  play: (turn: TurnScript) => TurnScript,
  options: TelemetryOptions & Pick<AgentOptions, 'apiKey'> & { readonly traced?: Recorder } = {},
): Stage {
  const { traced = recorder(), apiKey, ...more } = options;
  const { transport } = inMemoryCli(script().otherwise(play));
  const observer = telemetry({ ...traced.options, ...more });
  return { client: createClient({ transport, apiKey, observers: [observer] }), traced, transport };
}

/** The ends of turns are reported shortly after the turns. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
