/**
 * Calls `left` once the reader of stdout has gone (`cox run … | head -1`); without this a write would be an
 * unhandled EPIPE. Whatever else goes wrong with the streams is of no use to anybody.
 */
export function whenReaderLeaves(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream, left: () => void): void {
  stdout.on('error', left);
  stderr.on('error', () => {});
}
