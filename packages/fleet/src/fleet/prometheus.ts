/** A metric for Prometheus, with its labelled values. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly values: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[];
}

/** A gauge with one value. */
export function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', values: [{ value }] };
}

/** Metrics in the text format of Prometheus: each name has one HELP line and one TYPE line before its values. */
export function prometheusText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, help, type, values }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...values.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`),
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
