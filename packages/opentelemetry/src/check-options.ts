import { OptionsError, unknownName } from 'coxswain/errors';
import type { ContentOptions, OtlpTarget, TelemetryOptions } from './options.ts';

/** @throws OptionsError for unknown options, and for options of the wrong kind */
export function checkOptions(options: TelemetryOptions): void {
  const problems = isObject(options)
    ? wrongIn(options, KINDS, '')
    : [{ path: 'options', message: 'must be an object.' }];
  if (problems.length > 0) throw new OptionsError(problems);
}

/** @throws OptionsError unless the target can be observed, such as when options were passed as the target */
export function checkTarget(target: unknown): void {
  if (isObject(target) && typeof target.observe === 'function') return;
  const message = 'must be a client, a session or a pool; options are the second argument.';
  throw new OptionsError([{ path: 'target', message }]);
}

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What an option must be, as a check and as text, and the options in it. */
interface Kind {
  readonly is: (value: unknown) => boolean;
  readonly what: string;
  readonly within?: Readonly<Record<string, Kind>>;
}

const TEXT: Kind = { is: (value) => typeof value === 'string', what: 'a string' };
const CALLBACK: Kind = { is: (value) => typeof value === 'function', what: 'a function' };
const LENGTH: Kind = { is: (value) => typeof value === 'number' && value >= 0, what: 'a number from 0' };
const TEXTS: Kind = {
  is: (value) => isObject(value) && Object.values(value).every(TEXT.is),
  what: 'an object of strings',
};

const CONTENT_KINDS: Readonly<Record<keyof ContentOptions, Kind>> = { redact: CALLBACK, maxLength: LENGTH };

const OTLP_KINDS: Readonly<Record<keyof OtlpTarget, Kind>> = {
  endpoint: TEXT,
  protocol: oneOf('http/json', 'http/protobuf', 'grpc'),
  headers: TEXTS,
};

const KINDS: Readonly<Record<keyof TelemetryOptions, Kind>> = {
  tracerProvider: providerWith('getTracer', 'a tracer provider'),
  meterProvider: providerWith('getMeter', 'a meter provider'),
  cliTelemetry: oneOf('own', 'cli'),
  otlp: { is: isObject, what: 'an object', within: OTLP_KINDS },
  content: {
    is: (value) => typeof value === 'boolean' || isObject(value),
    what: 'true, false or an object',
    within: CONTENT_KINDS,
  },
  attributes: CALLBACK,
};

function oneOf(...values: readonly string[]): Kind {
  return { is: (value) => values.some((one) => one === value), what: values.map((one) => `'${one}'`).join(' or ') };
}

function providerWith(method: string, what: string): Kind {
  return { is: (value) => isObject(value) && typeof value[method] === 'function', what };
}

function wrongIn(options: object, kinds: Readonly<Record<string, Kind>>, before: string): Problem[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    const path = `${before}${name}`;
    if (kind === undefined) return [{ path, message: unknownName('option', name, Object.keys(kinds)) }];
    if (value === undefined) return [];
    if (!kind.is(value)) return [{ path, message: `must be ${kind.what}.` }];
    return kind.within !== undefined && isObject(value) ? wrongIn(value, kind.within, `${path}.`) : [];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
