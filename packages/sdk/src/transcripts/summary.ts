import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { openRegularSync } from '../files/regular-file.ts';
import { objectIn } from '../wire/kinds.ts';
import { LF } from '../wire/lines.ts';
import { given, textIn } from './entry.ts';
import type { SessionFile } from './paths.ts';
import { type Scan, scanHead, scanTailLine, set } from './scan.ts';

/** The file in a session's folder in which 2.1.325 keeps its title. */
export const TITLE_FILE = 'custom-title.json';

/** The CLI keeps titles and the last prompt within this many bytes of the end. */
const TAIL_BYTES = 64 * 1024;
/** The first prompt is on one of the first lines, usually within a few KB. */
const HEAD_BYTES = [16 * 1024, 256 * 1024] as const;
/** Other long lines are not parsed: that would take most of the time. */
const TITLE_LINE = /^\{"type":"(?:custom-title|ai-title|agent-name|summary|last-prompt)"/;
const LONG_LINE = 4096;
/** More than the longest path, in bytes. */
const LONGEST_FIELD = 8192;
/** Files are read one after the other, and each of them at once. */
const scratch = Buffer.allocUnsafeSlow(HEAD_BYTES[1]);

/** A session in a list, as plain JSON. Times are in ms since the epoch. */
export interface SessionInfo {
  readonly id: string;
  /** The title a user gave it, else the one the CLI generated, else its first prompt. */
  readonly title: string;
  /** The title a user gave it. */
  readonly customTitle?: string;
  /** The title the CLI generated. */
  readonly generatedTitle?: string;
  /** Its first prompt; without one, its first slash command. */
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
  /** The path of the transcript; empty for a session in a store. */
  readonly path: string;
}

export interface SessionSummary {
  readonly info: SessionInfo;
  /** Whether its agent has a name, which the CLI keeps equal to the title. */
  readonly hasAgentName: boolean;
}

/**
 * Summarizes a session from the beginning and the end of its transcript; undefined if it holds no conversation or cannot be
 * read. Synchronous, because thousands of small reads are several times faster that way; callers pause in between.
 */
export function summarize(file: SessionFile): SessionSummary | undefined {
  return withFile(file.path, (descriptor) => {
    const stats = fstatSync(descriptor);
    const scan = scanFile(descriptor, stats.size);
    if (!scan.hasConversation) return undefined;
    return { info: infoOf(file, stats, scan), hasAgentName: scan.agentName !== undefined };
  });
}

/** Opens a file for `work`; undefined if one of them fails. */
function withFile<T>(path: string, work: (descriptor: number) => T): T | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openRegularSync(path);
    return work(descriptor);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function scanFile(descriptor: number, size: number): Scan {
  const scan: Scan = { hasConversation: false };
  scanTail(scan, descriptor, Math.max(0, size - TAIL_BYTES));
  for (const bytes of HEAD_BYTES) {
    const head = scratch.subarray(0, readSync(descriptor, scratch, 0, bytes, 0));
    // At the end of the file the last line is complete, with or without its LF.
    const whole = head.length >= size ? head.length : head.lastIndexOf(LF) + 1;
    const lines = head.toString('utf8', 0, whole).split('\n');
    scanHead(scan, lines, head.toString('utf8', whole, Math.min(head.length, whole + LONG_LINE)));
    if ((scan.firstPrompt !== undefined && scan.cwd !== undefined) || head.length >= size) break;
  }
  // Between head and tail, which is not read, there may well be a conversation.
  scan.hasConversation ||= size > HEAD_BYTES[1];
  return scan;
}

function scanTail(scan: Scan, descriptor: number, from: number): void {
  const tail = scratch.toString('utf8', 0, readSync(descriptor, scratch, 0, TAIL_BYTES, from));
  const lines = tail.split('\n');
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? '';
    // The first line may be incomplete.
    if ((index === 0 && from > 0) || line.startsWith('{"parentUuid"')) takeLocation(scan, line);
    else if (line.length < LONG_LINE || TITLE_LINE.test(line)) scanTailLine(scan, line);
  }
}

/** Takes the working directory and the branch of the last message. */
function takeLocation(scan: Scan, line: string): void {
  if (scan.lastCwd !== undefined) return;
  set(scan, 'lastCwd', fieldOn(line, 'cwd'));
  set(scan, 'gitBranch', fieldOn(line, 'gitBranch'));
}

/** A field of the envelope, without parsing the message in it, which may be megabytes. */
function fieldOn(line: string, field: string): string | undefined {
  const at = line.lastIndexOf(`"${field}":"`);
  const text = at === -1 ? undefined : /^"\w+":"(?:[^"\\]|\\.)*"/.exec(line.slice(at, at + LONGEST_FIELD))?.[0];
  return text === undefined ? undefined : textIn(objectIn(`{${text}}`), field);
}

function infoOf(file: SessionFile, stats: Stats, scan: Scan): SessionInfo {
  const { firstPrompt = scan.firstCommand, lastPrompt, cwd = scan.lastCwd, forkedFrom } = scan;
  const customTitle = scan.customTitle ?? titleInFile(file);
  const title = customTitle ?? scan.aiTitle ?? scan.summary ?? firstPrompt ?? lastPrompt;
  // The CLI writes HEAD if there is no branch.
  const gitBranch = scan.gitBranch === 'HEAD' ? undefined : scan.gitBranch;
  // The messages of a fork are older than the fork.
  const written = forkedFrom === undefined ? Date.parse(scan.createdAt ?? '') : Number.NaN;
  return {
    id: file.id,
    title: title ?? '',
    ...given({ customTitle, generatedTitle: scan.aiTitle, firstPrompt, lastPrompt, cwd, gitBranch, forkedFrom }),
    createdAt: Number.isNaN(written) ? Math.floor(stats.birthtimeMs || stats.mtimeMs) : written,
    updatedAt: stats.mtime.getTime(),
    sizeBytes: stats.size,
    path: file.path,
  };
}

/** 2.1.325 also keeps the title in a separate file, and uses it when the transcript has none. */
function titleInFile({ folder, hasFolder }: SessionFile): string | undefined {
  if (!hasFolder) return undefined;
  return withFile(join(folder, TITLE_FILE), (descriptor) => {
    const text = scratch.toString('utf8', 0, readSync(descriptor, scratch, 0, LONGEST_FIELD, 0));
    return textIn(objectIn(text), 'customTitle');
  });
}
