import ts from 'typescript';

/**
 * Compares two versions of a declaration file: which declarations exist, and which lines of them changed. Comments do not count.
 * @param {string} before
 * @param {string} after
 * @returns {{ added: string[], removed: string[], changed: { name: string, lines: string[] }[] }}
 */
export function compareDeclarations(before, after) {
  const [old, now] = [declarationsIn(before), declarationsIn(after)];
  const changed = [...now].flatMap(([name, lines]) => {
    const others = old.get(name);
    if (others === undefined || lines.join('\n') === others.join('\n')) return [];
    return [{ name, lines: changesOf(others, lines) }];
  });
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed,
  };
}

/**
 * The control requests that the declarations of the official package name.
 * @param {string} declarations
 * @returns {string[]}
 */
export function controlRequestsIn(declarations) {
  const names = [...declarationsIn(declarations)].flatMap(([name, lines]) => {
    if (!/^SDKControl\w+Request$/.test(name)) return [];
    return [...lines.join('\n').matchAll(/subtype: ["'](\w+)["']/g)].map(([, subtype = '']) => subtype);
  });
  return [...new Set(names)].toSorted();
}

/**
 * The lines of each top-level declaration without comments; those of overloads and merged interfaces together.
 * @param {string} text
 * @returns {Map<string, string[]>}
 */
function declarationsIn(text) {
  const file = ts.createSourceFile('declarations.d.ts', text, ts.ScriptTarget.Latest);
  const printer = ts.createPrinter({ removeComments: true });
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const statement of file.statements) {
    const lines = printer.printNode(ts.EmitHint.Unspecified, statement, file).split('\n');
    for (const name of namesOf(statement)) found.set(name, [...(found.get(name) ?? []), ...lines]);
  }
  return found;
}

/**
 * @param {ts.Statement} statement
 * @returns {string[]}
 */
function namesOf(statement) {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  }
  const named =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isEnumDeclaration(statement) ||
    ts.isModuleDeclaration(statement);
  return named && statement.name ? [statement.name.text] : [];
}

/**
 * The lines of one version only, as `+ …` and `- …`.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 */
function changesOf(before, after) {
  const added = after.filter((line) => !before.includes(line)).map((line) => `+ ${line.trim()}`);
  const removed = before.filter((line) => !after.includes(line)).map((line) => `- ${line.trim()}`);
  return [...added, ...removed];
}
