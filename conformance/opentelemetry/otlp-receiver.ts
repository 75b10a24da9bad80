import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span in OTLP JSON. */
export interface OtlpSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** An OTLP endpoint (http/json) on loopback that keeps what it receives. */
export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string;
  spans(): OtlpSpan[];
  /** The names of all metrics, each with the service that sent it. */
  metrics(): readonly (readonly [service: string, name: string])[];
}

export async function startReceiver(): Promise<OtlpReceiver> {
  const bodies: { readonly path: string; readonly body: Body }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push({ path: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () =>
      bodies.flatMap(({ body }) =>
        (body.resourceSpans ?? []).flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map((span) => ({ ...span, service: serviceOf(resource), attributes: valuesOf(span.attributes) })),
          ),
        ),
      ),
    metrics: () =>
      bodies.flatMap(({ body }) =>
        (body.resourceMetrics ?? []).flatMap(({ resource, scopeMetrics }) =>
          scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => [serviceOf(resource), name] as const)),
        ),
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
interface Resource {
  readonly attributes: Attributes;
}
interface Body {
  readonly resourceSpans?: readonly {
    readonly resource: Resource;
    readonly scopeSpans: readonly { readonly spans: readonly (Omit<OtlpSpan, 'attributes'> & Resource)[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly resource: Resource;
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
}

function valuesOf(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

function serviceOf({ attributes }: Resource): string {
  return String(valuesOf(attributes)['service.name']);
}
