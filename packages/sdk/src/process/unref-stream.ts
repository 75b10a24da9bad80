/** Lets the host exit although `stream` is open. A child's pipes are sockets, which their declared type does not say. */
export function unrefStream(stream: object | null | undefined): void {
  if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
}
