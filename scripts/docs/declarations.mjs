// What a TypeScript file declares, imports and exports, without its code: read from its declaration file.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/**
 * @typedef {object} Declaration
 * @property {string} doc the comment above it, without its tags
 * @property {string} throws the errors in its `@throws`
 * @property {string} code the declaration itself, with the comments of its members
 * @property {readonly string[]} names the types and values it names
 *
 * @typedef {{ readonly file: string, readonly name: string }} Origin
 *
 * @typedef {object} Module
 * @property {ReadonlyMap<string, Declaration>} declared
 * @property {ReadonlyMap<string, Origin>} imported by the name it has in the file
 * @property {ReadonlyMap<string, Origin>} exported by the name it is exported under; its own declarations, too
 */

/** @type {Map<string, Module>} */
const modules = new Map();

/**
 * Reads a file; each is read once.
 * @param {string} file
 * @returns {Module}
 */
export function moduleOf(file) {
  const known = modules.get(file);
  if (known) return known;
  const source = declarationFile(file);
  /** @type {Map<string, Declaration>} */
  const declared = new Map();
  /** @type {Map<string, Origin>} */
  const imported = new Map();
  /** @type {Map<string, Origin>} */
  const exported = new Map();
  for (const statement of source.statements) {
    for (const name of namesOf(statement)) {
      declared.set(name, joined(declared.get(name), declarationOf(statement, source)));
      if (isExported(statement)) exported.set(name, { file, name });
    }
    if (ts.isImportDeclaration(statement)) addImports(statement, file, imported);
    if (ts.isExportDeclaration(statement)) addExports(statement, file, exported, imported);
  }
  const found = { declared, imported, exported };
  modules.set(file, found);
  return found;
}

/**
 * @param {string} file
 * @returns {ts.SourceFile}
 */
function declarationFile(file) {
  const { outputText, diagnostics } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
    fileName: file,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, isolatedDeclarations: true },
  });
  const [problem] = diagnostics ?? [];
  if (problem) throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`);
  return ts.createSourceFile(file, outputText, ts.ScriptTarget.Latest, true);
}

/**
 * @param {ts.Statement} statement
 * @returns {string[]}
 */
function namesOf(statement) {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const named =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement);
  return named && statement.name ? [statement.name.text] : [];
}

/** @param {ts.Statement} statement */
function isExported(statement) {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

/**
 * @param {ts.Statement} statement
 * @param {ts.SourceFile} source
 * @returns {Declaration}
 */
function declarationOf(statement, source) {
  const comments = ts.getJSDocCommentsAndTags(statement).filter(ts.isJSDoc);
  const tags = comments.flatMap(({ tags: all }) => [...(all ?? [])]);
  const text = (/** @type {ts.JSDoc | ts.JSDocTag} */ node) => ts.getTextOfJSDocComment(node.comment) ?? '';
  /** @type {Set<string>} */
  const names = new Set();
  const visit = (/** @type {ts.Node} */ node) => {
    const target = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : ts.isTypeQueryNode(node)
          ? node.exprName
          : undefined;
    if (target && ts.isIdentifier(target)) names.add(target.text);
    ts.forEachChild(node, visit);
  };
  visit(statement);
  const code = source.text
    .slice(statement.getStart(source), statement.end)
    .replace(/^export (declare )?/, '')
    // Private members are irrelevant for readers.
    .replace(/^ +(#private|private [^;\n]*);\n/gm, '')
    .replace(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2));
  return {
    doc: comments.map(text).join('\n').trim(),
    throws: tags
      .filter(({ tagName }) => tagName.text === 'throws')
      .map((tag) =>
        source.text
          .slice(tag.tagName.end, tag.end)
          .replaceAll(/\s*\n \*\s*|\*\/$/g, ' ')
          .trim(),
      )
      .join(', '),
    code,
    names: [...names],
  };
}

/**
 * Overloads, and an interface declared beside a value of the same name.
 * @param {Declaration | undefined} first
 * @param {Declaration} second
 * @returns {Declaration}
 */
function joined(first, second) {
  if (!first) return second;
  return {
    doc: first.doc || second.doc,
    throws: first.throws || second.throws,
    code: `${first.code}\n${second.code}`,
    names: [...new Set([...first.names, ...second.names])],
  };
}

/**
 * @param {ts.ImportDeclaration} statement
 * @param {string} file
 * @param {Map<string, Origin>} imported
 */
function addImports(statement, file, imported) {
  const from = target(statement.moduleSpecifier, file);
  const bindings = statement.importClause?.namedBindings;
  if (!from || !bindings || !ts.isNamedImports(bindings)) return;
  for (const { name, propertyName } of bindings.elements) {
    imported.set(name.text, { file: from, name: (propertyName ?? name).text });
  }
}

/**
 * @param {ts.ExportDeclaration} statement
 * @param {string} file
 * @param {Map<string, Origin>} exported
 * @param {ReadonlyMap<string, Origin>} imported
 */
function addExports(statement, file, exported, imported) {
  const from = statement.moduleSpecifier && target(statement.moduleSpecifier, file);
  const { exportClause } = statement;
  if (exportClause && ts.isNamedExports(exportClause)) {
    for (const { name, propertyName } of exportClause.elements) {
      const local = (propertyName ?? name).text;
      const origin = from ? { file: from, name: local } : (imported.get(local) ?? { file, name: local });
      exported.set(name.text, origin);
    }
  } else if (from) {
    for (const [name, origin] of moduleOf(from).exported) exported.set(name, origin);
  }
}

/**
 * The file of this repository that an import names; undefined for a package.
 * @param {ts.Expression} specifier
 * @param {string} file
 */
function target(specifier, file) {
  const path = ts.isStringLiteral(specifier) ? specifier.text : '';
  return path.startsWith('.') ? join(dirname(file), path) : undefined;
}
