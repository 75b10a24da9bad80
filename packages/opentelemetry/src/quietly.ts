/** Calls code of the application or of its OpenTelemetry SDK. Exceptions are ignored. */
export function quietly<R>(call: () => R): R | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
