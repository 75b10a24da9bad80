import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const MESSAGES = fileURLToPath(new URL('../../src/wire/messages.ts', import.meta.url));
/** Frames of each supported release, written by `npm run do -- record:frames`. */
const FRAMES = fileURLToPath(new URL('../fixtures/frames/', import.meta.url));
const recordings = readdirSync(FRAMES).filter((name) => name.endsWith('.ndjson'));

const program = ts.createProgram([MESSAGES], {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  types: [],
});
const checker = program.getTypeChecker();
const message = declaredType('KnownMessage');

function declaredType(name: string): ts.Type {
  const source = program.getSourceFile(MESSAGES);
  const symbols = source ? checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol) : [];
  const found = symbols.find((symbol) => symbol.name === name);
  if (!found) throw new Error(`${name} is not exported`);
  return checker.getDeclaredTypeOfSymbol(found);
}

function membersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

/** The types whose `type` and `subtype` name those of a frame or block; the types of unknown ones only if none does. */
function candidates(types: readonly ts.Type[], fields: ReadonlyMap<string, unknown>): readonly ts.Type[] {
  const possible = types.filter((type) => TAGS.every((tag) => tagFits(type, tag, fields.get(tag)) !== false));
  const exact = possible.filter((type) => TAGS.every((tag) => tagFits(type, tag, fields.get(tag)) !== 'open'));
  return exact.length > 0 ? exact : possible;
}

const TAGS = ['type', 'subtype'] as const;

/** `open` if the type accepts any text for the tag. */
function tagFits(type: ts.Type, tag: string, value: unknown): boolean | 'open' {
  const property = checker.getPropertiesOfType(type).find(({ name }) => name === tag);
  if (!property || (value === undefined && property.flags & ts.SymbolFlags.Optional)) return true;
  const members = membersOf(checker.getTypeOfSymbol(property));
  if (!members.every((member) => member.isStringLiteral())) return 'open';
  return members.some((member) => member.isStringLiteral() && member.value === value);
}

/** The required fields that an object lacks, in the member of a union that fits it best. */
function missing(type: ts.Type, value: unknown, path: string): string[] {
  if (Array.isArray(value)) {
    const item = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    return item ? value.flatMap((entry) => missing(item, entry, `${path}[]`)) : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const fields = new Map<string, unknown>(Object.entries(value));
  const objects = candidates(membersOf(type), fields);
  const lacking = objects.map((member) =>
    checker.getPropertiesOfType(member).flatMap((property) => {
      const at = `${path}.${property.name}`;
      if (fields.has(property.name)) return missing(checker.getTypeOfSymbol(property), fields.get(property.name), at);
      return property.flags & ts.SymbolFlags.Optional || property.name.startsWith('__@') ? [] : [at];
    }),
  );
  return lacking.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

describe('the types of messages', () => {
  it('[M-1] have recorded frames of every supported release', () => {
    expect(recordings.length).toBeGreaterThanOrEqual(4);
  });

  it.each(recordings)('[M-1] are optional where a supported release lacks a field: %s', (name) => {
    const lines = readFileSync(FRAMES + name, 'utf8')
      .trimEnd()
      .split('\n');
    const frames: { type: string; subtype?: string }[] = lines.map((line) => JSON.parse(line));
    expect(new Set(frames.map(({ type }) => type))).toEqual(
      new Set(['assistant', 'user', 'system', 'result', 'stream_event']),
    );
    const lacking = frames.flatMap((frame) => missing(message, frame, nameOf(frame)));
    expect([...new Set(lacking)]).toEqual([]);
  });

  it('[M-1] fail this test if a release lacks a required field', () => {
    const init = { type: 'system', subtype: 'init', tools: [] };
    expect(missing(message, init, 'init')).toEqual(expect.arrayContaining(['init.cwd', 'init.model']));
  });
});

function nameOf({ type, subtype }: { type: string; subtype?: string }): string {
  return subtype === undefined ? type : `${type}/${subtype}`;
}
