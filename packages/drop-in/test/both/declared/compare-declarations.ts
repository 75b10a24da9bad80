import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { clientPlaces } from '../../../clients/install.mjs';
import { type Difference, Structure } from './difference.ts';

const ENTRIES = ['.', './core', './sdk-tools'] as const;

/** A compared name. A class is both a type and a value; what two entries export is compared once. */
export interface ComparedName {
  readonly entry: string;
  readonly name: string;
  readonly kind: 'type' | 'value';
  /** Whether a value of one package can be used where the other one's type is expected. */
  readonly toDropIn: boolean;
  readonly toOfficial: boolean;
  readonly differences: readonly Difference[];
}

/** Whether both packages declare the same. */
export function isEqual({ toDropIn, toOfficial, differences }: ComparedName): boolean {
  return toDropIn && toOfficial && differences.length === 0;
}

export interface Comparison {
  readonly compared: readonly ComparedName[];
  /** `entry name` of what only one of the packages exports. */
  readonly missing: readonly string[];
  readonly extra: readonly string[];
}

const REPOSITORY = fileURLToPath(new URL('../../../../../', import.meta.url));
const OFFICIAL = '@anthropic-ai/claude-agent-sdk';
const DROP_IN = '@coxswain/drop-in';
const PROGRAM = 'every-declaration.ts';

/** Arguments with which generic types are compared. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  InferShape: '<{ text: z.ZodString; count: z.ZodOptional<z.ZodNumber> }>',
  SdkMcpToolDefinition: '<{ text: z.ZodString; count: z.ZodOptional<z.ZodNumber> }>',
};

/** Compares every name that the declarations of the official package and of the built drop-in export. */
export function compareDeclarations(): Comparison {
  const place = clientPlaces('node-20').official;
  const parsed = new Map<string, ts.SourceFile | undefined>();
  const names = namesOf(createProgram(place, '', parsed));
  const program = createProgram(place, sourceFor(names), parsed);
  return compareNames(program, names);
}

type Names = ReadonlyMap<string, { readonly official: Exports; readonly dropIn: Exports }>;
type Exports = ReadonlyMap<string, { readonly type: boolean; readonly value: boolean }>;

/** A program that imports every entry of both packages, in which both find the same copies of other packages. */
function createProgram(place: string, source: string, parsed: Map<string, ts.SourceFile | undefined>): ts.Program {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
    types: ['node'],
    typeRoots: [join(REPOSITORY, 'node_modules/@types')],
    strict: true,
    // Stricter than most programs: it tells `a?: string` from `a?: string | undefined`.
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
  };
  const file = join(place, PROGRAM);
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  const text = `${imports()}\n${source}`;
  host.getSourceFile = (name, language, ...rest) => {
    if (name === file) return ts.createSourceFile(name, text, language);
    if (!parsed.has(name)) parsed.set(name, read(name, language, ...rest));
    return parsed.get(name);
  };
  host.resolveModuleNameLiterals = (literals, containing) =>
    literals.map((literal) => {
      const own = literal.text.startsWith(DROP_IN) || literal.text.split('/')[0] === 'coxswain';
      const from = literal.text.startsWith('.') ? containing : own ? join(REPOSITORY, PROGRAM) : file;
      return ts.resolveModuleName(literal.text, from, options, host, undefined, undefined, ts.ModuleKind.ESNext);
    });
  return ts.createProgram([file], options, host);
}

function imports(): string {
  const lines = ENTRIES.flatMap((entry, index) => [
    `import type * as official${index} from '${OFFICIAL}${entry.slice(1)}';`,
    `import type * as dropIn${index} from '${DROP_IN}${entry.slice(1)}';`,
  ]);
  return [...lines, "import type { z } from 'zod';"].join('\n');
}

function namesOf(program: ts.Program): Names {
  const checker = program.getTypeChecker();
  return new Map(
    ENTRIES.map((entry, index) => [
      entry,
      {
        official: exportsOf(program, checker, `official${index}`),
        dropIn: exportsOf(program, checker, `dropIn${index}`),
      },
    ]),
  );
}

function exportsOf(program: ts.Program, checker: ts.TypeChecker, namespace: string): Exports {
  const module = checker.getAliasedSymbol(importOf(program, checker, namespace));
  return new Map(
    checker.getExportsOfModule(module).map((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const has = (flags: ts.SymbolFlags) => (target.flags & flags) !== 0;
      return [symbol.name, { type: has(ts.SymbolFlags.Type), value: has(ts.SymbolFlags.Value) }];
    }),
  );
}

function importOf(program: ts.Program, checker: ts.TypeChecker, namespace: string): ts.Symbol {
  const file = program.getSourceFiles().find(({ fileName }) => fileName.endsWith(`/${PROGRAM}`));
  const found = file && checker.getSymbolsInScope(file, ts.SymbolFlags.Alias).find(({ name }) => name === namespace);
  if (!found) throw new Error(`${namespace} is not imported`);
  return found;
}

/** An alias for each side of each name, so that the compiler itself resolves and instantiates them. */
function sourceFor(names: Names): string {
  return inBoth(names)
    .map(({ name, kind, index }, number) =>
      ['official', 'dropIn']
        .map((side) => {
          const path = `${side}${index}.${name}`;
          const type = kind === 'type' ? `${path}${ARGUMENTS[name] ?? ''}` : `typeof ${path}`;
          return `export type ${side}_${number} = ${type};`;
        })
        .join('\n'),
    )
    .join('\n');
}

function inBoth(names: Names) {
  return [...names].flatMap(([entry, { official, dropIn }], index) =>
    [...official].flatMap(([name, has]) => {
      const other = dropIn.get(name);
      const kinds = (['type', 'value'] as const).filter((kind) => has[kind] && other?.[kind]);
      return kinds.map((kind) => ({ entry, name, kind, index }));
    }),
  );
}

function compareNames(program: ts.Program, names: Names): Comparison {
  const checker = program.getTypeChecker();
  const structure = new Structure(checker);
  const aliases = aliasesOf(program, checker);
  const before = new Map<string, readonly [ts.Type, ts.Type]>();
  const compared = inBoth(names).flatMap(({ entry, name, kind }, number): ComparedName[] => {
    const [official, dropIn] = [aliases.get(`official_${number}`), aliases.get(`dropIn_${number}`)];
    if (official === undefined || dropIn === undefined) throw new Error(`${name} has no type`);
    const [first, second] = before.get(`${kind} ${name}`) ?? [];
    if (first === official && second === dropIn) return [];
    before.set(`${kind} ${name}`, [official, dropIn]);
    const toDropIn = checker.isTypeAssignableTo(official, dropIn);
    const toOfficial = checker.isTypeAssignableTo(dropIn, official);
    return [{ entry, name, kind, toDropIn, toOfficial, differences: structure.differences(official, dropIn) }];
  });
  const only = (one: 'official' | 'dropIn', other: 'official' | 'dropIn') =>
    [...names].flatMap(([entry, sides]) =>
      [...sides[one]]
        .filter(([name, has]) => {
          const there = sides[other].get(name);
          return (has.type && !there?.type) || (has.value && !there?.value);
        })
        .map(([name]) => `${entry} ${name}`),
    );
  return { compared, missing: only('official', 'dropIn'), extra: only('dropIn', 'official') };
}

function aliasesOf(program: ts.Program, checker: ts.TypeChecker): Map<string, ts.Type> {
  const file = program.getSourceFiles().find(({ fileName }) => fileName.endsWith(`/${PROGRAM}`));
  const errors = file ? program.getSemanticDiagnostics(file) : [];
  const [first] = errors;
  if (first) throw new Error(ts.flattenDiagnosticMessageText(first.messageText, '\n'));
  const module = file && checker.getSymbolAtLocation(file);
  return new Map(
    module
      ? checker.getExportsOfModule(module).map((symbol) => [symbol.name, checker.getDeclaredTypeOfSymbol(symbol)])
      : [],
  );
}
