/** Calls code of the application or of its OpenTelemetry SDK. What it throws changes nothing. */
export function quietly<R>(call: () => R): R | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
