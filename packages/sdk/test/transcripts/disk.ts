import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolderName } from '../../src/cli/folders.ts';
import { PINNED_VERSION } from '../../src/cli/version.ts';

/** A line of a transcript; a string is written as it is. */
export type Line = string | Readonly<Record<string, unknown>>;

/** A temporary configuration directory. */
export class Disk implements Disposable {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), 'cox-transcripts-')));
  readonly configDir: string = join(this.root, 'config');
  readonly cwd: string = join(this.root, 'project');

  constructor() {
    mkdirSync(this.cwd);
    mkdirSync(this.configDir);
  }

  projectFolder(cwd: string = this.cwd): string {
    return join(this.configDir, 'projects', projectFolderName(cwd));
  }

  path(id: string, cwd?: string): string {
    return join(this.projectFolder(cwd), `${id}.jsonl`);
  }

  /** Writes a transcript; `at` is the time of its last change. */
  write(id: string, lines: readonly Line[], options: { cwd?: string; at?: number; end?: string } = {}): string {
    const path = this.path(id, options.cwd);
    mkdirSync(this.projectFolder(options.cwd), { recursive: true });
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify({ ...line, sessionId: id })));
    writeFileSync(path, text.join('\n') + (options.end ?? '\n'), { mode: 0o600 });
    if (options.at !== undefined) utimesSync(path, options.at, options.at);
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** The id of the nth session. */
export function sessionId(n: number): string {
  return `11111111-1111-4111-8111-${String(n).padStart(12, '0')}`;
}

/** The uuid of the nth message. */
export function uuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

/** A prompt, in the CLI's format. */
export function user(n: number, parent: number | null, content: unknown, extra: object = {}): Line {
  return { ...chained(n, parent, 'user'), message: { role: 'user', content }, ...surroundings(n), ...extra };
}

/** A block of an answer. */
export function assistant(n: number, parent: number | null, content: unknown, extra: object = {}): Line {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const message = { id: `msg_${n}`, type: 'message', role: 'assistant', model: 'm', content: blocks };
  return { ...chained(n, parent, 'assistant'), message, ...surroundings(n), ...extra };
}

/** A tool call, as a block of the answer `answer`. */
export function toolUse(n: number, parent: number | null, answer: string): Line {
  const content = [{ type: 'tool_use', id: `toolu_${n}`, name: 'Bash', input: { command: `w${n}` } }];
  return assistant(n, parent, content, { message: { id: answer, type: 'message', role: 'assistant', content } });
}

/** The result of the tool call in the block `call`. */
export function toolResult(n: number, call: number): Line {
  return user(n, call, [{ type: 'tool_result', tool_use_id: `toolu_${call}`, content: `w${n}` }], {
    toolUseResult: { stdout: `w${n}` },
  });
}

/** The boundary of a compaction. */
export function boundary(n: number, follows: number, metadata: object = {}): Line {
  return {
    ...chained(n, null, 'system'),
    ...{ subtype: 'compact_boundary', content: 'Conversation compacted', logicalParentUuid: uuid(follows) },
    compactMetadata: { trigger: 'manual', preTokens: 15, ...metadata },
    ...surroundings(n),
  };
}

/** A summary of the preceding conversation. */
export function summary(n: number, parent: number): Line {
  return user(n, parent, `w${n} summary`, { isCompactSummary: true, isVisibleInTranscriptOnly: true });
}

/** The CLI's record of its last entry. */
export function lastPrompt(leaf: number, words = 'x'): Line {
  return { type: 'last-prompt', lastPrompt: words, leafUuid: uuid(leaf) };
}

function chained(n: number, parent: number | null, type: string): object {
  return { parentUuid: parent === null ? null : uuid(parent), isSidechain: false, type, uuid: uuid(n) };
}

function surroundings(n: number): object {
  const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString();
  return { timestamp, userType: 'external', cwd: '/somewhere', version: PINNED_VERSION, gitBranch: 'main' };
}
