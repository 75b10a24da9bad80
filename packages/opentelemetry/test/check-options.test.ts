import { createClient } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { fleetTelemetry, instrument, type Observable, type TelemetryOptions, telemetry } from '../src/index.ts';
import { recorder } from './recorder.ts';

// As a program without types writes them.
const opened = (options: unknown) => () => telemetry(options as TelemetryOptions);
const instrumented = (target: unknown, options?: unknown) => () =>
  instrument(target as Observable, options as TelemetryOptions | undefined);
const refusal = (message: string) =>
  expect.objectContaining({ code: 'options', message: expect.stringContaining(message) });

describe('the arguments of instrument(), telemetry() and fleetTelemetry()', () => {
  it.each([[{}], [undefined], [null], [[]], [{ content: true }], [{ observe: true }]])(
    '[V-1] a target that cannot be observed is refused: %j',
    (target) => {
      const message = 'target: must be a client, a session or a pool; options are the second argument.';
      expect(instrumented(target)).toThrow(refusal(message));
    },
  );

  it.each([
    [{ contents: true }, 'contents: is not a known option. Did you mean content?'],
    [{ cliTelemerty: 'cli' }, 'cliTelemerty: is not a known option. Did you mean cliTelemetry?'],
    [{ tracer: 1 }, 'tracer: is not a known option; the known ones are tracerProvider, meterProvider,'],
    [{ otlp: { endPoint: 'x' } }, 'otlp.endPoint: is not a known option. Did you mean endpoint?'],
    [{ content: { maxlength: 5 } }, 'content.maxlength: is not a known option. Did you mean maxLength?'],
    [{ content: 'yes' }, 'content: must be true, false or an object.'],
    [{ content: { redact: /x/ } }, 'content.redact: must be a function.'],
    [{ content: { maxLength: '5' } }, 'content.maxLength: must be a number from 0.'],
    [{ cliTelemetry: true }, "cliTelemetry: must be 'own' or 'cli'."],
    [{ otlp: 'http://localhost:4318' }, 'otlp: must be an object.'],
    [{ otlp: { protocol: 'http' } }, "otlp.protocol: must be 'http/json' or 'http/protobuf' or 'grpc'."],
    [{ otlp: { headers: { key: 5 } } }, 'otlp.headers: must be an object of strings.'],
    [{ tracerProvider: {} }, 'tracerProvider: must be a tracer provider.'],
    [{ meterProvider: {} }, 'meterProvider: must be a meter provider.'],
    [{ attributes: { tenant: 'ann' } }, 'attributes: must be a function.'],
    ['content', 'options: must be an object.'],
    [null, 'options: must be an object.'],
  ])('[V-1] options that do not exist or are of the wrong kind are refused: %j', (options, message) => {
    expect(opened(options)).toThrow(refusal(message));
    expect(instrumented(createClient(), options)).toThrow(refusal(message));
    expect(() => fleetTelemetry(options as TelemetryOptions)).toThrow(refusal(message));
  });

  it('[V-1] valid options and options that are undefined are accepted', () => {
    const { options } = recorder();
    const otlp = { endpoint: 'http://localhost:4318', protocol: 'grpc', headers: { key: 'x' } } as const;
    const content = { redact: (text: string) => text, maxLength: 5 };
    const all = { ...options, cliTelemetry: 'cli', otlp, content, attributes: () => ({}) } as const;
    const valid: readonly TelemetryOptions[] = [
      all,
      { ...all, content: false },
      { content: undefined, otlp: undefined },
      {},
    ];
    for (const given of valid) {
      expect(opened(given)).not.toThrow();
      expect(() => fleetTelemetry(given)).not.toThrow();
      instrument(createClient(), given)();
    }
  });
});
