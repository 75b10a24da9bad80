import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { Structure } from './difference.ts';

const CASES: readonly (readonly [what: string, official: string, dropIn: string, paths: readonly string[]])[] = [
  ['the same structure under other names', '{ a: string; b?: X }', '{ b?: Y } & { a: string }', []],
  ['two names for one member of a union', '{ a: 1 } | Same', '{ a: 1 }', []],
  ['a recursive type', 'OneTree', 'OtherTree', []],
  ['a property of the official one only', '{ a?: string; b: 1 }', '{ b: 1 }', ['a']],
  ['a property of the drop-in only', '{ b: 1 }', '{ a?: string; b: 1 }', ['a']],
  ['an optional property', '{ a: string }', '{ a?: string }', ['a']],
  ['a readonly property', '{ a: string }', '{ readonly a: string }', ['a']],
  ['a literal and an open string', "{ a: 'x' | 'y' }", '{ a: string }', ['a']],
  ['unknown and any', '{ a: unknown }', '{ a: any }', ['a']],
  ['elements of an array', '{ a: { b: string }[] }', '{ a: { b: number }[] }', ['a[].b']],
  ['a readonly array', 'string[]', 'readonly string[]', ['']],
  ['a member of a union', "{ type: 'x'; a: 1 } | { type: 'y' }", "{ type: 'x'; a: 2 } | { type: 'y' }", ['<x>.a']],
  ['a missing member of a union', "{ type: 'x' } | { type: 'y' }", "{ type: 'x' }", ['']],
  ['a parameter', '(a: string) => void', '(a: number) => void', ['(a)']],
  ['an optional parameter', '(a: string) => void', '(a?: string) => void', ['(a)', '(a)']],
  ['a result', '() => Promise<string>', '() => Promise<number>', ['()<Promise>']],
  ['an index signature', '{ a: 1 }', '{ a: 1; [k: string]: unknown }', ['[string]']],
];

describe('[U-9] the comparison of two declarations', () => {
  const differences = differencesOfCases();
  test.each(CASES.map(([what, , , paths], index) => ({ what, paths, index })))(
    'reports the path of $what',
    ({ paths, index }) => {
      expect(differences[index]).toEqual(paths);
    },
  );
});

/** The paths at which the types of each case differ; one program, because each takes a second. */
function differencesOfCases(): string[][] {
  const aliases = CASES.map(
    ([, official, dropIn], index) => `export type O${index} = ${official}; export type D${index} = ${dropIn};`,
  );
  const source = `
    type X = { c: 1 }; type Y = { c: 1 }; type Same = { a: 1 };
    interface OneTree { leaves: OneTree[] } interface OtherTree { leaves: OtherTree[] }
    ${aliases.join('\n')}`;
  const host = ts.createCompilerHost({});
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === 'both.ts' ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2022) : read(name, ...rest);
  const program = ts.createProgram(['both.ts'], { strict: true, target: ts.ScriptTarget.ES2022, types: [] }, host);
  const checker = program.getTypeChecker();
  const file = program.getSourceFile('both.ts');
  const module = file && checker.getSymbolAtLocation(file);
  const types = new Map(
    module ? checker.getExportsOfModule(module).map((name) => [name.name, checker.getDeclaredTypeOfSymbol(name)]) : [],
  );
  const structure = new Structure(checker);
  return CASES.map((_, index) => {
    const [official, dropIn] = [types.get(`O${index}`), types.get(`D${index}`)];
    if (official === undefined || dropIn === undefined) throw new Error('The program has no types.');
    return structure.differences(official, dropIn).map(({ path }) => path);
  });
}
