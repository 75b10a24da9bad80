import { dirname } from 'node:path';
import { SessionFileError } from '../errors/transcript.ts';
import { FileTooLarge, openRegular, readRegular, replaceRegular } from '../files/regular-file.ts';
import { LineFramer } from '../wire/lines.ts';

// Agents can write to these folders: every file may be a link, a FIFO or a huge file.

/** Maximum size of a transcript and of a line. The CLI does not write longer lines; they are skipped like broken ones. */
const LONGEST_TRANSCRIPT = 1024 * 1024 * 1024;
const LONGEST_LINE = 256 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const TAIL_BYTES = 64 * 1024;
/** Maximum size of a file beside a transcript, such as the description of a subagent. */
const LONGEST_NOTE = 64 * 1024;

/**
 * Reads the lines of a transcript, without their LF. Reads only a regular file, and does not follow links below `projects`.
 * @throws SessionFileError
 */
export async function* readSessionLines(path: string): AsyncGenerator<string, undefined> {
  const file = await openRegular(path, projectsFolder(path)).catch(failing('Reading', path));
  let lines: string[] = [];
  const line = (bytes: Uint8Array): void => {
    lines.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  };
  const framer = new LineFramer(LONGEST_LINE, { line, oversize() {} });
  try {
    const { size } = await file.stat();
    if (size > LONGEST_TRANSCRIPT) throw new FileTooLarge(size, LONGEST_TRANSCRIPT);
    for await (const chunk of file.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false })) {
      framer.push(chunk);
      yield* lines;
      lines = [];
    }
  } catch (error) {
    throw new SessionFileError('Reading', path, error);
  } finally {
    await file.close();
  }
  const rest = framer.end();
  if (rest) line(rest);
  yield* lines;
}

/** Reads the last 64 KiB of a transcript; empty if it cannot be read or is not a regular file. Never rejects. */
export async function readSessionTail(path: string): Promise<string> {
  const file = await openRegular(path, projectsFolder(path)).catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const position = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(TAIL_BYTES), position });
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await file.close();
  }
}

/** Reads a small file beside a transcript; empty if it does not exist or is not a regular file. Never rejects. */
export async function readSessionNote(path: string): Promise<string> {
  const data = await readRegular(path, projectsFolder(path), LONGEST_NOTE).catch(() => undefined);
  return data?.toString('utf8') ?? '';
}

/** Creates or replaces a file beside a transcript, or a transcript. @throws SessionFileError */
export async function writeSessionFile(path: string, text: string): Promise<void> {
  await replaceRegular(path, projectsFolder(path), text).catch(failing('Writing', path));
}

/**
 * Appends lines to a transcript with a single write, so that no line of a running CLI is lost.
 * @throws SessionFileError
 */
export async function appendSessionLines(path: string, lines: readonly string[]): Promise<void> {
  const file = await openRegular(path, projectsFolder(path), 'append').catch(failing('Writing', path));
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: Math.max(0, size - 1) });
    // After a crash, the last line may lack its LF.
    const start = size === 0 || buffer[0] === 0x0a ? '' : '\n';
    await file.write(`${start}${lines.join('\n')}\n`);
  } catch (error) {
    throw new SessionFileError('Writing', path, error);
  } finally {
    await file.close();
  }
}

/** The folder `projects` above a file. The user may have replaced it, or a folder above it, by a link. */
function projectsFolder(path: string): string {
  const folders = path.split(/(?<=[\\/]projects)[\\/]/);
  return folders.length > 1 ? folders.slice(0, -1).join('/') : dirname(path);
}

function failing(doing: string, path: string): (error: unknown) => never {
  return (error) => {
    throw new SessionFileError(doing, path, error);
  };
}
