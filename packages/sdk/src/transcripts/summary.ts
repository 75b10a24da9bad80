import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { LF } from '../wire/lines.ts';
import { given, objectOn, textIn } from './entry.ts';
import { READ_FLAGS, type SessionFile } from './paths.ts';
import { type Scan, scanHead, scanTailLine, titleLineTypes } from './scan.ts';

/** The file in a session's folder in which 2.1.325 keeps its title. */
export const TITLE_FILE = 'custom-title.json';

/** The CLI keeps titles and the last prompt within this many bytes of the end. */
const TAIL_BYTES = 64 * 1024;
/** The first prompt is on one of the first lines, usually within a few KB. */
const HEAD_BYTES = [16 * 1024, 256 * 1024] as const;
/** Every line of the conversation begins with this; parsing them all would take most of the time. */
const MESSAGE_START = Buffer.from('{"parentUuid"');
const TYPE_START = Buffer.from('{"type":"');
const BRANCH = Buffer.from('"gitBranch":"');
const CWD = Buffer.from('"cwd":"');
/** More than the longest path, in bytes. */
const LONGEST_FIELD = 8192;

/** A session in a list, as plain JSON. Times are in ms since the epoch. */
export interface SessionInfo {
  readonly id: string;
  /** The title a user gave it, else the one the CLI generated, else its first prompt. */
  readonly title: string;
  /** The title a user gave it. */
  readonly customTitle?: string;
  readonly firstPrompt?: string;
  readonly lastPrompt?: string;
  /** The working directory it was started in. */
  readonly cwd?: string;
  /** Its last git branch, if any. */
  readonly gitBranch?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly sizeBytes: number;
  /** The session `forkSession` copied it from; the CLI itself does not record that. */
  readonly forkedFrom?: string;
  /** The path of the transcript. */
  readonly path: string;
}

/** The summary of a session. */
export interface SessionSummary {
  readonly info: SessionInfo;
  /** Whether its agent has a name, which the CLI keeps equal to the title. */
  readonly hasAgentName: boolean;
}

/**
 * Summarizes a session from the beginning and the end of its transcript; undefined if it holds no conversation or cannot be
 * read. Synchronous, because thousands of small reads are several times faster that way; callers pause in between.
 */
export function summarize(file: SessionFile, scratch: Buffer = newScratch()): SessionSummary | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file.path, READ_FLAGS);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    const scan = scanFile(descriptor, stats.size, scratch);
    if (!scan.hasConversation) return undefined;
    return { info: infoOf(file, stats, scan), hasAgentName: scan.agentName !== undefined };
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** A buffer that many calls of `summarize` can share. */
export function newScratch(): Buffer {
  return Buffer.allocUnsafeSlow(HEAD_BYTES[1]);
}

function scanFile(descriptor: number, size: number, scratch: Buffer): Scan {
  const scan: Scan = { hasConversation: false };
  scanTail(scan, descriptor, size, scratch);
  for (const bytes of HEAD_BYTES) {
    const head = scratch.subarray(0, readSync(descriptor, scratch, 0, bytes, 0));
    const end = head.lastIndexOf(LF);
    // At the end of the file the last line is complete, with or without its LF.
    const whole = head.length >= size ? head.length : end + 1;
    scanHead(scan, {
      lines: head.toString('utf8', 0, whole).split('\n'),
      cut: head.toString('utf8', whole, Math.min(head.length, whole + 4096)),
    });
    if ((scan.firstPrompt !== undefined && scan.cwd !== undefined) || head.length >= size) break;
  }
  // Between head and tail, which is not read, there may well be a conversation.
  scan.hasConversation ||= size > HEAD_BYTES[1];
  return scan;
}

function scanTail(scan: Scan, descriptor: number, size: number, scratch: Buffer): void {
  const from = Math.max(0, size - TAIL_BYTES);
  const tail = scratch.subarray(0, readSync(descriptor, scratch, 0, TAIL_BYTES, from));
  for (let end = tail.length; end > 0; ) {
    const start = tail.lastIndexOf(LF, end - 1) + 1;
    const line = tail.subarray(start, end);
    // The first line may be incomplete.
    if (start > 0 || from === 0) takeTailLine(scan, line);
    else takeLocation(scan, line);
    end = start - 1;
  }
}

function takeTailLine(scan: Scan, line: Buffer): void {
  if (startsWith(line, MESSAGE_START)) {
    takeLocation(scan, line);
  } else if (startsWith(line, TYPE_START)) {
    const type = line.toString('latin1', TYPE_START.length, line.indexOf('"', TYPE_START.length));
    if (titleLineTypes.has(type)) scanTailLine(scan, line.toString('utf8'));
  } else if (line.length < 4096) {
    scanTailLine(scan, line.toString('utf8'));
  }
}

/** Takes the working directory and the branch of the last message. */
function takeLocation(scan: Scan, line: Buffer): void {
  if (scan.lastCwd !== undefined) return;
  const cwd = fieldOn(line, CWD);
  const branch = fieldOn(line, BRANCH);
  if (cwd !== undefined) scan.lastCwd = cwd;
  if (branch !== undefined) scan.gitBranch ??= branch;
}

function startsWith(line: Buffer, start: Buffer): boolean {
  return line.length > start.length && line.compare(start, 0, start.length, 0, start.length) === 0;
}

/** A field of the envelope, without parsing the message in it, which may be megabytes. */
function fieldOn(line: Buffer, field: Buffer): string | undefined {
  const at = line.lastIndexOf(field);
  if (at === -1) return undefined;
  const from = at + field.length - 1;
  const text = /^"(?:[^"\\]|\\.)*"/.exec(line.toString('utf8', from, from + LONGEST_FIELD))?.[0];
  return text === undefined ? undefined : textIn(objectOn(`{"value":${text}}`), 'value');
}

function infoOf(file: SessionFile, stats: Stats, scan: Scan): SessionInfo {
  const { firstPrompt, lastPrompt, cwd = scan.lastCwd, forkedFrom } = scan;
  const customTitle = scan.customTitle ?? titleInFile(file);
  const title = customTitle ?? scan.aiTitle ?? scan.summary ?? firstPrompt ?? scan.firstCommand ?? lastPrompt;
  // The CLI writes HEAD if there is no branch.
  const gitBranch = scan.gitBranch === 'HEAD' ? undefined : scan.gitBranch;
  // The messages of a fork are older than the fork.
  const written = forkedFrom === undefined ? Date.parse(scan.createdAt ?? '') : Number.NaN;
  return {
    id: file.id,
    title: title ?? '',
    ...given({ customTitle, firstPrompt, lastPrompt, cwd, gitBranch, forkedFrom }),
    createdAt: Number.isNaN(written) ? Math.floor(stats.birthtimeMs || stats.mtimeMs) : written,
    updatedAt: Math.floor(stats.mtimeMs),
    sizeBytes: stats.size,
    path: file.path,
  };
}

/** 2.1.325 also keeps the title in a separate file, and uses it when the transcript has none. */
function titleInFile({ folder, hasFolder }: SessionFile): string | undefined {
  if (!hasFolder) return undefined;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(join(folder, TITLE_FILE), READ_FLAGS);
    const bytes = Buffer.allocUnsafe(LONGEST_FIELD);
    return textIn(objectOn(bytes.toString('utf8', 0, readSync(descriptor, bytes))), 'customTitle');
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
