import type { Attributes, MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { ObservedRun } from 'coxswain/observe';

/** How runs are traced and measured. */
export interface TelemetryOptions {
  /** The destination of spans; the global provider by default. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** The destination of metrics; the global provider by default. */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * What reports model requests, tools, tokens and costs. `'own'` (the default): this package, with the CLI's own telemetry
   * turned off. `'cli'`: the CLI, whose spans are children of this package's spans. Never both: costs would be counted twice.
   */
  readonly cliTelemetry?: 'own' | 'cli' | undefined;
  /** With `cliTelemetry: 'cli'`: where the CLI sends its telemetry. Missing values are taken from its environment (`OTEL_*`). */
  readonly otlp?: OtlpTarget | undefined;
  /** Puts prompts, answers, tool inputs and tool results into attributes, without the secrets of the run. Off by default. */
  readonly content?: boolean | ContentOptions | undefined;
  /** Attributes for all spans of a run, such as a tenant. Exceptions it throws are ignored. */
  readonly attributes?: ((run: ObservedRun) => Attributes) | undefined;
}

/** An OTLP endpoint. */
export interface OtlpTarget {
  readonly endpoint?: string | undefined;
  /** `http/json` by default. */
  readonly protocol?: 'http/json' | 'http/protobuf' | 'grpc' | undefined;
  /** Only the CLI process receives them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** How content is recorded. */
export interface ContentOptions {
  /** Called with every text after the secrets of the run have been removed. */
  readonly redact?: ((text: string) => string) | undefined;
  /** The maximum length of an attribute, in characters. 10,000 by default. */
  readonly maxLength?: number | undefined;
}
