import { Buffer, isUtf8 } from 'node:buffer';

/** The bytes as text, or `undefined` when they are not valid UTF-8. Two native passes beat `TextDecoder` with `fatal`. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8');
}
