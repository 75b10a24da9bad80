import { fieldsOf, listIn, textIn } from './fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The text of a file before a call; `null` if the file does not exist. */
export type FileBefore = string | null;

/** A text before and after a call. */
export interface Change {
  readonly before: string;
  readonly after: string;
  /** The texts are whole files, so that line numbers are known. */
  readonly isWhole: boolean;
}

/** The changes of a call, and whether it creates the file; `null` if unknown. */
export interface FileChanges {
  readonly changes: readonly Change[];
  readonly created: boolean | null;
}

/** Whether a tool changes the file in its input. */
function changesFile(tool: string): boolean {
  return CHANGING.has(tool);
}

/** The file that a call would change. Each tool has its own field: another one in the same input has no effect. */
export function changedPath(tool: string, input: Fields): string | null {
  return changesFile(tool) ? textIn(input, tool === 'NotebookEdit' ? 'notebook_path' : 'file_path') : null;
}

const CHANGING = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

/** The changes of a call, from its input and from the file before it (`undefined` if unknown). */
export function changesOf(tool: string, input: Fields, file: FileBefore | undefined): FileChanges {
  if (tool === 'Write') return written(textIn(input, 'content'), file);
  if (tool === 'NotebookEdit') return { changes: cellChange(input, file), created: false };
  const edits = (tool === 'MultiEdit' ? listIn(input, 'edits').map(fieldsOf) : [input]).flatMap(editOf);
  const after = file === undefined ? undefined : edits.reduce<string | undefined>(edited, file ?? '');
  if (after === undefined) return { changes: edits.map(({ old, text }) => fragment(old, text)), created: false };
  return { changes: [{ before: file ?? '', after, isWhole: true }], created: file === null };
}

function written(content: string | null, file: FileBefore | undefined): FileChanges {
  const created = file === undefined ? null : file === null;
  return { changes: content === null ? [] : [{ before: file ?? '', after: content, isWhole: true }], created };
}

interface Edit {
  readonly old: string;
  readonly text: string;
  readonly all: boolean;
}

function editOf(fields: Fields): Edit[] {
  const [old, text] = [textIn(fields, 'old_string'), textIn(fields, 'new_string')];
  return old === null || text === null ? [] : [{ old, text, all: fields.replace_all === true }];
}

/** The text after an edit, as the CLI applies it; undefined if the edit does not fit the text. */
function edited(before: string | undefined, { old, text, all }: Edit): string | undefined {
  if (before === undefined) return undefined;
  if (old === '') return before === '' ? text : undefined;
  const at = before.indexOf(old);
  if (at === -1) return undefined;
  if (all) return before.split(old).join(text);
  return before.includes(old, at + 1) ? undefined : before.slice(0, at) + text + before.slice(at + old.length);
}

/** The source of the cell. Its previous content is only in the notebook. */
function cellChange(input: Fields, file: FileBefore | undefined): Change[] {
  const mode = textIn(input, 'edit_mode') ?? 'replace';
  const before = mode === 'insert' ? '' : sourceOf(file, textIn(input, 'cell_id'));
  const after = mode === 'delete' ? '' : textIn(input, 'new_source');
  if (after === null || (mode === 'delete' && before === undefined)) return [];
  return [fragment(before ?? '', after)];
}

function sourceOf(file: FileBefore | undefined, cell: string | null): string | undefined {
  if (file == null || cell === null) return undefined;
  let cells: readonly Fields[];
  try {
    cells = listIn(fieldsOf(JSON.parse(file)), 'cells').map(fieldsOf);
  } catch {
    return undefined;
  }
  // Cells without an id are named by their index.
  const place = /^cell-(\d+)$/.exec(cell)?.[1];
  const found = cells.find(({ id }) => id === cell) ?? (place === undefined ? undefined : cells[Number(place)]);
  const source = found?.source;
  return Array.isArray(source) ? source.join('') : typeof source === 'string' ? source : undefined;
}

function fragment(before: string, after: string): Change {
  return { before, after, isWhole: false };
}
