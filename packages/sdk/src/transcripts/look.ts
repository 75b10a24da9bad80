import { Buffer } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { objectOn, textIn } from './entry.ts';
import { type Glance, glanceAtHead, glanceAtTail, namingLines } from './glance.ts';
import type { SessionFile } from './place.ts';
import type { SessionInfo } from './session-info.ts';

/** Where 2.1.325 keeps the name of a session, in its folder. */
export const TITLE_FILE = 'custom-title.json';

const LF = 0x0a;
/** The CLI keeps names and the last prompt within so many bytes of the end. */
const TAIL_BYTES = 64 * 1024;
/** The first prompt is on one of the first lines, mostly within a few KB. */
const HEAD_BYTES = [16 * 1024, 256 * 1024] as const;
/** Every line of the conversation begins with it; parsing them all would take most of the time. */
const MESSAGE_START = Buffer.from('{"parentUuid"');
const TYPE_START = Buffer.from('{"type":"');
const BRANCH = Buffer.from('"gitBranch":"');
/** More than the longest path. */
const LONGEST_FIELD = 8192;
const CWD = Buffer.from('"cwd":"');

/** What a look at a session gave. */
export interface Look {
  readonly info: SessionInfo;
  /** Somebody has named the agent too, which the CLI then keeps equal to the title. */
  readonly named: boolean;
}

/**
 * Looks at the beginning and the end of a transcript; undefined if there is no conversation in it, or if it cannot be
 * read. Synchronous: for thousands of small reads that is several times faster, and callers take breaks in between.
 */
export function lookAt(file: SessionFile, scratch: Buffer = newScratch()): Look | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file.path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    const glance = glanceOver(descriptor, stats.size, scratch);
    if (!glance.spoken) return undefined;
    return { info: infoOf(file, stats, glance), named: glance.agentName !== undefined };
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Memory that many looks can share. */
export function newScratch(): Buffer {
  return Buffer.allocUnsafeSlow(HEAD_BYTES[1]);
}

function glanceOver(descriptor: number, size: number, scratch: Buffer): Glance {
  const glance: Glance = { spoken: false };
  lookAtEnd(glance, descriptor, size, scratch);
  for (const bytes of HEAD_BYTES) {
    const head = scratch.subarray(0, readSync(descriptor, scratch, 0, bytes, 0));
    const end = head.lastIndexOf(LF);
    // At the end of the file the last line is whole, with or without its LF.
    const whole = head.length >= size ? head.length : end + 1;
    glanceAtHead(glance, {
      lines: head.toString('utf8', 0, whole).split('\n'),
      cut: head.toString('utf8', whole, Math.min(head.length, whole + 4096)),
    });
    if ((glance.firstPrompt !== undefined && glance.cwd !== undefined) || head.length >= size) break;
  }
  // What lies between head and tail is not looked at: there may well be a conversation.
  glance.spoken ||= size > HEAD_BYTES[1];
  return glance;
}

function lookAtEnd(glance: Glance, descriptor: number, size: number, scratch: Buffer): void {
  const from = Math.max(0, size - TAIL_BYTES);
  const tail = scratch.subarray(0, readSync(descriptor, scratch, 0, TAIL_BYTES, from));
  for (let end = tail.length; end > 0; ) {
    const start = tail.lastIndexOf(LF, end - 1) + 1;
    const line = tail.subarray(start, end);
    // The first piece may be the end of a line that began before it.
    if (start > 0 || from === 0) takeTailLine(glance, line);
    else takeSurroundings(glance, line);
    end = start - 1;
  }
}

function takeTailLine(glance: Glance, line: Buffer): void {
  if (startsWith(line, MESSAGE_START)) {
    takeSurroundings(glance, line);
  } else if (startsWith(line, TYPE_START)) {
    const type = line.toString('latin1', TYPE_START.length, line.indexOf('"', TYPE_START.length));
    if (namingLines.has(type)) glanceAtTail(glance, line.toString('utf8'));
  } else if (line.length < 4096) {
    glanceAtTail(glance, line.toString('utf8'));
  }
}

/** Where the conversation was when its last message was written. */
function takeSurroundings(glance: Glance, line: Buffer): void {
  if (glance.lastCwd !== undefined) return;
  const cwd = fieldOn(line, CWD);
  const branch = fieldOn(line, BRANCH);
  if (cwd !== undefined) glance.lastCwd = cwd;
  if (branch !== undefined) glance.gitBranch ??= branch;
}

function startsWith(line: Buffer, start: Buffer): boolean {
  return line.length > start.length && line.compare(start, 0, start.length, 0, start.length) === 0;
}

/** A field of the envelope, without parsing what is in it: that may be megabytes. */
function fieldOn(line: Buffer, field: Buffer): string | undefined {
  const at = line.lastIndexOf(field);
  if (at === -1) return undefined;
  const from = at + field.length - 1;
  const text = /^"(?:[^"\\]|\\.)*"/.exec(line.toString('utf8', from, from + LONGEST_FIELD))?.[0];
  return text === undefined ? undefined : textIn(objectOn(`{"it":${text}}`), 'it');
}

function infoOf(file: SessionFile, stats: Stats, glance: Glance): SessionInfo {
  const { firstPrompt, lastPrompt, cwd = glance.lastCwd, forkedFrom } = glance;
  const customTitle = glance.customTitle ?? titleBeside(file);
  const title = customTitle ?? glance.aiTitle ?? glance.summary ?? firstPrompt ?? glance.firstCommand ?? lastPrompt;
  // The CLI writes HEAD where there is no branch.
  const gitBranch = glance.gitBranch === 'HEAD' ? undefined : glance.gitBranch;
  // A fork's messages are older than the fork.
  const written = forkedFrom === undefined ? Date.parse(glance.createdAt ?? '') : Number.NaN;
  return {
    id: file.id,
    title: title ?? '',
    ...(customTitle === undefined ? {} : { customTitle }),
    ...(firstPrompt === undefined ? {} : { firstPrompt }),
    ...(lastPrompt === undefined ? {} : { lastPrompt }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
    createdAt: Number.isNaN(written) ? Math.floor(stats.birthtimeMs || stats.mtimeMs) : written,
    updatedAt: Math.floor(stats.mtimeMs),
    sizeBytes: stats.size,
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    path: file.path,
  };
}

/** 2.1.325 also keeps the name in a file of its own, and goes by it when the transcript has none. */
function titleBeside({ folder, hasFolder }: SessionFile): string | undefined {
  if (!hasFolder) return undefined;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(join(folder, TITLE_FILE), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const bytes = Buffer.allocUnsafe(LONGEST_FIELD);
    return textIn(objectOn(bytes.toString('utf8', 0, readSync(descriptor, bytes))), 'customTitle');
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
