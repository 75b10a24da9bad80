import { isObject } from '@coxswain/shared/is-object';
import {
  AMOUNT,
  CALLBACK,
  type Kind,
  type KindsOf,
  OBJECT,
  oneOf,
  problemsIn,
  TEXT,
} from '@coxswain/shared/option-kinds';
import { OptionsError } from 'coxswain/errors';
import type { ContentOptions, OtlpTarget, TelemetryOptions } from './options.ts';

/** @throws OptionsError for options that do not exist, or are of the wrong kind */
export function checkOptions(options: TelemetryOptions): void {
  const problems = isObject(options)
    ? problemsIn(options, KINDS)
    : [{ path: 'options', message: 'must be an object.' }];
  if (problems.length > 0) throw new OptionsError(problems);
}

/** @throws OptionsError unless it can be observed: options may have been passed in its place */
export function checkTarget(target: unknown): void {
  if (isObject(target) && typeof target.observe === 'function') return;
  const message = 'must be a client, a session or a pool; options are the second argument.';
  throw new OptionsError([{ path: 'target', message }]);
}

const HEADERS: Kind = {
  is: (value) => isObject(value) && Object.values(value).every(TEXT.is),
  what: 'an object of strings',
};

const CONTENT_KINDS: KindsOf<ContentOptions> = { redact: CALLBACK, maxLength: AMOUNT };

const OTLP_KINDS: KindsOf<OtlpTarget> = {
  endpoint: TEXT,
  protocol: oneOf('http/json', 'http/protobuf', 'grpc'),
  headers: HEADERS,
};

const KINDS: KindsOf<TelemetryOptions> = {
  tracerProvider: providerWith('getTracer', 'a tracer provider'),
  meterProvider: providerWith('getMeter', 'a meter provider'),
  cliTelemetry: oneOf('own', 'cli'),
  otlp: { ...OBJECT, within: OTLP_KINDS },
  content: {
    is: (value) => typeof value === 'boolean' || isObject(value),
    what: 'true, false or an object',
    within: CONTENT_KINDS,
  },
  attributes: CALLBACK,
};

function providerWith(method: string, what: string): Kind {
  return { is: (value) => isObject(value) && typeof value[method] === 'function', what };
}
