import type { Attributes, Meter } from '@opentelemetry/api';
import type { TurnCost } from 'coxswain';
import { metricSpecs, attributeNames as names, type RecordedMetric } from './names.ts';
import { quietly } from './quietly.ts';

type Recorder = (value: number, attributes: Attributes) => void;

/** Records metrics. With the CLI's own telemetry, metrics that the CLI reports itself are omitted. */
export class Instruments {
  readonly #record = new Map<RecordedMetric, Recorder | undefined>();

  constructor(meter: Meter, cliReports: boolean) {
    for (const name of recordedNames) {
      if (metricSpecs[name].withCli || !cliReports) this.#record.set(name, recorderOf(meter, name));
    }
  }

  /** Adds to a counter, or records a value in a histogram. */
  record(name: RecordedMetric, value: number, attributes: Attributes = {}): void {
    quietly(() => this.#record.get(name)?.(value, attributes));
  }

  /** Records the tokens and the cost of a turn, or of background work. */
  cost({ byModel }: TurnCost, attributes: Attributes): void {
    for (const [model, cost] of Object.entries(byModel)) {
      const of = { ...attributes, [names.provider]: 'anthropic', [names.responseModel]: model };
      const usage = { ...of, [names.operation]: 'invoke_agent' };
      const input = cost.inputTokens + cost.cacheReadTokens + cost.cacheCreationTokens;
      this.record('tokens', input, { ...usage, [names.tokenType]: 'input' });
      this.record('tokens', cost.outputTokens, { ...usage, [names.tokenType]: 'output' });
      this.record('cost', cost.costUsd, of);
    }
  }
}

// The filter leaves exactly these keys.
const recordedNames = Object.keys(metricSpecs).filter((name) => name !== 'jobs') as RecordedMetric[];

function recorderOf(meter: Meter, name: RecordedMetric): Recorder | undefined {
  const spec = metricSpecs[name];
  const { unit, description } = spec;
  return quietly(() => {
    if (spec.kind === 'histogram') {
      const advice = { explicitBucketBoundaries: [...(spec.buckets ?? [])] };
      const histogram = meter.createHistogram(spec.name, { unit, description, advice });
      return (value, attributes) => histogram.record(value, attributes);
    }
    const make = spec.kind === 'counter' ? 'createCounter' : 'createUpDownCounter';
    const counter = meter[make](spec.name, { unit, description });
    return (value, attributes) => counter.add(value, attributes);
  });
}
