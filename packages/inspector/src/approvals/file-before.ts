import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { endOfFile } from '../transcript/end-of-file.ts';
import { fieldsOf } from '../transcript/fields.ts';
import { changedPath, type FileBefore } from '../transcript/file-changes.ts';

/** Largest file that is compared, and how long to wait for it: a file system may hang. */
const LIMITS = { bytes: 1024 * 1024, ms: 250 };

/**
 * The file that a call would change; `null` if it does not exist. Undefined if it cannot be determined: the agent's folder is not
 * on this machine, or the file is a link, a device, too large, not text, or not read in time. Never rejects.
 */
export async function fileBefore(
  { toolName, input }: { readonly toolName: string; readonly input: object },
  cwd: string | null,
): Promise<FileBefore | undefined> {
  const fields = fieldsOf(input);
  const path = changedPath(toolName, fields);
  if (path === null || cwd === null) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), LIMITS.ms);
  });
  const found = await Promise.race([textAt(path, cwd).catch(() => undefined), late]);
  clearTimeout(timer);
  return found;
}

async function textAt(path: string, cwd: string): Promise<FileBefore | undefined> {
  if (!(await stat(cwd)).isDirectory()) return undefined;
  try {
    const bytes = await endOfFile(resolve(cwd, path), LIMITS.bytes + 1);
    return bytes.length > LIMITS.bytes ? undefined : textOf(bytes);
  } catch (error) {
    return fieldsOf(error).code === 'ENOENT' ? null : undefined;
  }
}

/** @throws TypeError if the bytes are not text */
function textOf(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  // The CLI edits files with uniform line breaks and preserves them.
  return text.includes('\0') ? undefined : text.replaceAll('\r\n', '\n');
}
