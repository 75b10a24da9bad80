// Turns TypeScript into JavaScript that reports every function it enters: `globalThis.enteredFunction(place, object)`.
import ts from 'typescript';

/**
 * @param {string} path the file's name in the reports
 * @param {string} source
 * @param {boolean} traced false: only removes the types
 */
export function javascriptOf(path, source, traced) {
  const { outputText } = ts.transpileModule(source, {
    fileName: path,
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      jsx: ts.JsxEmit.ReactJSX,
      jsxImportSource: 'preact',
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: false,
    },
    transformers: traced ? { before: [(context) => (file) => reporting(file, path, context)] } : {},
  });
  return outputText;
}

/**
 * @param {ts.SourceFile} file
 * @param {string} path
 * @param {ts.TransformationContext} context
 */
function reporting(file, path, context) {
  const { factory } = context;
  /** @type {ts.Visitor} */
  const visit = (node) => {
    const visited = ts.visitEachChild(node, visit, context);
    return isFunctionWithBody(visited) && isFunctionWithBody(node) ? withReport(visited, node) : visited;
  };
  /**
   * @param {FunctionWithBody} node
   * @param {FunctionWithBody} original the same before the visit, with its parents
   */
  const withReport = (node, original) => {
    const place = `${path} ${nameOf(original)}`;
    const report = factory.createExpressionStatement(
      factory.createCallExpression(
        factory.createPropertyAccessExpression(factory.createIdentifier('globalThis'), 'enteredFunction'),
        undefined,
        [factory.createStringLiteral(place), ...(hasObject(original) ? [factory.createThis()] : [])],
      ),
    );
    const body = ts.isBlock(node.body) ? node.body.statements : [factory.createReturnStatement(node.body)];
    return withBody(node, factory.createBlock([report, ...body], true), factory);
  };
  return ts.visitEachChild(file, visit, context);
}

/** @typedef {(ts.FunctionDeclaration | ts.FunctionExpression | ts.MethodDeclaration | ts.ConstructorDeclaration | ts.AccessorDeclaration | ts.ArrowFunction) & { readonly body: ts.ConciseBody }} FunctionWithBody */

/**
 * @param {ts.Node} node
 * @returns {node is FunctionWithBody}
 */
function isFunctionWithBody(node) {
  return (
    (ts.isFunctionDeclaration(node) ||
      ts.isFunctionExpression(node) ||
      ts.isMethodDeclaration(node) ||
      ts.isConstructorDeclaration(node) ||
      ts.isAccessor(node) ||
      ts.isArrowFunction(node)) &&
    node.body !== undefined
  );
}

/**
 * @param {FunctionWithBody} node
 * @param {ts.Block} body
 * @param {ts.NodeFactory} factory
 */
function withBody(node, body, factory) {
  if (ts.isArrowFunction(node)) {
    const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken } = node;
    return factory.updateArrowFunction(node, modifiers, typeParameters, parameters, type, equalsGreaterThanToken, body);
  }
  if (ts.isConstructorDeclaration(node)) {
    return factory.updateConstructorDeclaration(node, node.modifiers, node.parameters, body);
  }
  if (ts.isGetAccessor(node)) {
    return factory.updateGetAccessorDeclaration(node, node.modifiers, node.name, node.parameters, node.type, body);
  }
  if (ts.isSetAccessor(node)) {
    return factory.updateSetAccessorDeclaration(node, node.modifiers, node.name, node.parameters, body);
  }
  if (ts.isMethodDeclaration(node)) {
    const { modifiers, asteriskToken, name, questionToken, typeParameters, parameters, type } = node;
    return factory.updateMethodDeclaration(
      node,
      modifiers,
      asteriskToken,
      name,
      questionToken,
      typeParameters,
      parameters,
      type,
      body,
    );
  }
  const { asteriskToken, name, typeParameters, parameters, type } = node;
  return ts.isFunctionDeclaration(node)
    ? factory.updateFunctionDeclaration(
        node,
        node.modifiers,
        asteriskToken,
        name,
        typeParameters,
        parameters,
        type,
        body,
      )
    : factory.updateFunctionExpression(
        node,
        node.modifiers,
        asteriskToken,
        name,
        typeParameters,
        parameters,
        type,
        body,
      );
}

/**
 * `Class.method`, `Class.get name`, `function`, or `function › closure`.
 * @param {FunctionWithBody} node
 * @returns {string}
 */
function nameOf(node) {
  const { parent } = node;
  if (parent && ts.isClassLike(parent)) {
    const member = ts.isConstructorDeclaration(node) ? 'constructor' : (node.name?.getText() ?? '');
    return `${parent.name?.text ?? ''}.${ts.isAccessor(node) ? 'get ' : ''}${member}`;
  }
  const own = node.name?.getText() ?? givenName(parent);
  const outer = outerFunction(node);
  return outer ? `${nameOf(outer)} › ${own}` : own;
}

/** @param {ts.Node | undefined} parent */
function givenName(parent) {
  return parent &&
    (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent))
    ? parent.name.getText()
    : '()';
}

/**
 * @param {ts.Node} node
 * @returns {FunctionWithBody | undefined}
 */
function outerFunction(node) {
  const found = ts.findAncestor(node.parent, (outer) => isFunctionWithBody(outer));
  return found && isFunctionWithBody(found) ? found : undefined;
}

/**
 * Whether `this` is an instance: in a method, and in an arrow function inside one. Not in the constructor of a derived class,
 * which has none before `super()`.
 * @param {FunctionWithBody} node
 * @returns {boolean}
 */
function hasObject(node) {
  if (ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node)) return false;
  if (ts.isArrowFunction(node)) {
    const outer = ts.findAncestor(node.parent, (found) => isFunctionWithBody(found) || ts.isPropertyDeclaration(found));
    if (outer && ts.isPropertyDeclaration(outer)) return !isStatic(outer);
    return outer !== undefined && isFunctionWithBody(outer) && hasObject(outer);
  }
  if (!ts.isClassLike(node.parent) || isStatic(node)) return false;
  return !(ts.isConstructorDeclaration(node) && node.parent.heritageClauses?.some(isExtends));
}

/** @param {ts.HeritageClause} clause */
function isExtends({ token }) {
  return token === ts.SyntaxKind.ExtendsKeyword;
}

/** @param {ts.HasModifiers} node */
function isStatic({ modifiers }) {
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) ?? false;
}
