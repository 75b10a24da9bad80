import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { objectOn, textIn } from './entry.ts';
import { commandIn, promptIn, promptOnCutLine } from './prompt-text.ts';

/** What the beginning and the end of a transcript tell. */
export interface Glance {
  /** There is a conversation to go on with, as far as can be seen. */
  spoken: boolean;
  firstPrompt?: string;
  /** A slash command that came before any prompt. */
  firstCommand?: string;
  cwd?: string;
  /** Where it was at the end. */
  lastCwd?: string;
  /** As it is written. */
  createdAt?: string;
  forkedFrom?: string;
  gitBranch?: string;
  customTitle?: string;
  aiTitle?: string;
  summary?: string;
  agentName?: string;
  lastPrompt?: string;
}

/** A piece of a file, cut into lines by the caller. */
export interface Piece {
  /** The lines in full, without their LF. */
  readonly lines: readonly string[];
  /** The first part of the line the piece breaks off in. */
  readonly cut: string;
}

/** Takes what the beginning says, line by line, until there is nothing more to learn. */
export function glanceAtHead(glance: Glance, { lines, cut }: Piece): void {
  for (const line of lines) {
    const object = objectOn(line);
    if (object === undefined) continue;
    takeName(glance, object);
    if (!('parentUuid' in object)) {
      set(glance, 'createdAt', textIn(object, 'timestamp'));
      continue;
    }
    if (object.isSidechain === true) continue;
    takeMessage(glance, object);
    if (glance.firstPrompt !== undefined) return;
  }
  if (cut.includes('"parentUuid"') && !cut.includes('"isSidechain":true')) {
    glance.spoken = true;
    set(glance, 'firstPrompt', promptOnCutLine(cut));
  }
}

/** Takes what a line near the end says, later lines first. */
export function glanceAtTail(glance: Glance, line: string): void {
  const object = objectOn(line);
  if (object === undefined) return;
  takeName(glance, object);
  if (object.type === 'last-prompt') set(glance, 'lastPrompt', textIn(object, 'lastPrompt'));
}

/** Kinds of lines that hold a name; the CLI writes them anew near the end. */
export const namingLines: ReadonlySet<string> = new Set([
  'custom-title',
  'ai-title',
  'agent-name',
  'summary',
  'last-prompt',
]);

function takeMessage(glance: Glance, object: JsonObject): void {
  if (object.type === 'user' || object.type === 'assistant') glance.spoken = true;
  set(glance, 'cwd', textIn(object, 'cwd'));
  set(glance, 'forkedFrom', textIn(object.forkedFrom, 'sessionId'));
  set(glance, 'createdAt', textIn(object, 'timestamp'));
  set(glance, 'gitBranch', textIn(object, 'gitBranch'));
  if (object.type !== 'user' || object.isMeta === true || object.isCompactSummary === true) return;
  const content = isJsonObject(object.message) ? object.message.content : undefined;
  set(glance, 'firstPrompt', promptIn(content));
  set(glance, 'firstCommand', commandIn(content));
}

function takeName(glance: Glance, object: JsonObject): void {
  if (object.type === 'custom-title') set(glance, 'customTitle', textIn(object, 'customTitle'));
  else if (object.type === 'ai-title') set(glance, 'aiTitle', textIn(object, 'aiTitle'));
  else if (object.type === 'agent-name') set(glance, 'agentName', textIn(object, 'agentName'));
  else if (object.type === 'summary') set(glance, 'summary', textIn(object, 'summary'));
}

/** What is known already stays: the end is looked at first, since the latest name counts. */
function set<K extends keyof Glance>(glance: Glance, key: K, value: Glance[K] | undefined): void {
  if (value !== undefined && glance[key] === undefined) glance[key] = value;
}
