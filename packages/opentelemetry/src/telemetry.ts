import { metrics, type ObservableResult, trace } from '@opentelemetry/api';
import type { Pool } from 'coxswain';
import type { ObservedRun, RunObserver, RunWatcher } from 'coxswain/observe';
import { checkOptions, checkTarget } from './check-options.ts';
import { Content } from './content.ts';
import { Instruments } from './instruments.ts';
import { metricSpecs, attributeNames as names } from './names.ts';
import type { TelemetryOptions } from './options.ts';
import { quietly } from './quietly.ts';
import { RunTelemetry } from './run-telemetry.ts';
import { RunScope } from './scope.ts';

/** The name of the tracer and of the meter. */
export const SCOPE_NAME = '@coxswain/opentelemetry';

/** An observer that traces and measures, for the option `observers`. */
export interface Telemetry extends RunObserver {
  /** Ends the spans of all open runs, and stops tracing. */
  end(): void;
}

/** An object that can be observed: a client, a session or a pool. */
export interface Observable {
  observe(observer: RunObserver): () => void;
}

/**
 * Traces and measures everything that a client, a session or a pool runs from now on. The returned function stops this and ends
 * the open spans.
 * @throws OptionsError
 */
export function instrument(target: Observable, options: TelemetryOptions = {}): () => void {
  checkTarget(target);
  const observer = telemetry(options);
  const unobserve = target.observe(observer);
  const forget = isPool(target) ? countJobs(target, options) : () => {};
  return () => {
    unobserve();
    forget();
    observer.end();
  };
}

/** The tracer providers with which each run is traced. */
const providersOf = new WeakMap<ObservedRun, Set<object>>();

/**
 * Creates an observer. If a run is observed twice, by one observer or by several with the same tracer provider, for example
 * through a client and its pool, it is traced and measured once.
 * @throws OptionsError
 */
export function telemetry(options: TelemetryOptions = {}): Telemetry {
  checkOptions(options);
  const open = new Map<RunTelemetry, () => void>();
  const { tracerProvider = trace, meterProvider = metrics, cliTelemetry } = options;
  let instruments: Instruments | undefined;
  let ended = false;
  return {
    opened(run): RunWatcher | undefined {
      const providers = providersOf.get(run) ?? new Set();
      if (ended || providers.has(tracerProvider)) return undefined;
      providersOf.set(run, providers.add(tracerProvider));
      instruments ??= new Instruments(meterProvider.getMeter(SCOPE_NAME), cliTelemetry === 'cli');
      const attributes = { ...quietly(() => options.attributes?.(run)), [names.run]: run.id };
      const tracer = tracerProvider.getTracer(SCOPE_NAME);
      const scope = new RunScope(tracer, instruments, new Content(options.content, run), attributes);
      scope.conversation = run.options.sessionId;
      const watcher = new RunTelemetry(run, scope, options);
      // The run can be instrumented again.
      open.set(watcher, () => providers.delete(tracerProvider));
      return whileOpen(watcher, () => open.delete(watcher));
    },
    end() {
      ended = true;
      for (const [watcher, release] of open) {
        watcher.end();
        release();
      }
      open.clear();
    },
  };
}

/** Removes a watcher when its run and its turns have ended. */
function whileOpen(watcher: RunTelemetry, forget: () => void): RunWatcher {
  return {
    environment: () => watcher.environment(),
    prompt: (prompt) => watcher.prompt(prompt),
    message: (message) => watcher.message(message),
    event: (event) => {
      watcher.event(event);
      if (watcher.ended) forget();
    },
    turnEnded: (end) => {
      watcher.turnEnded(end);
      if (watcher.ended) forget();
    },
  };
}

function isPool(target: Observable): target is Pool {
  return 'stats' in target && typeof target.stats === 'function';
}

/** Counts jobs at the pool: until the pool starts a job, it has no turn and thus no watcher. */
function countJobs(pool: Pool, { meterProvider = metrics }: TelemetryOptions): () => void {
  const { name, unit, description } = metricSpecs.jobs;
  const gauge = quietly(() => meterProvider.getMeter(SCOPE_NAME).createObservableGauge(name, { unit, description }));
  const count = (result: ObservableResult): void => {
    const { queued, running } = pool.stats();
    result.observe(queued, { [names.jobState]: 'queued' });
    result.observe(running, { [names.jobState]: 'running' });
  };
  quietly(() => gauge?.addCallback(count));
  return () => void quietly(() => gauge?.removeCallback(count));
}
