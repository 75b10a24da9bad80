import ts from 'typescript';

/**
 * @typedef {object} Mutation a change of one expression, which a test should notice
 * @property {string} kind
 * @property {number} start offset of the replaced text
 * @property {number} end
 * @property {string} text what replaces it
 * @property {number} line the first one is 1
 */

/**
 * Lists what can be changed in a source file: comparisons, `&&` and `||`, conditions, returned booleans.
 * @param {string} source
 * @returns {Mutation[]}
 */
export function mutationsOf(source) {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  /** @type {Mutation[]} */
  const found = [];
  /**
   * @param {string} kind
   * @param {ts.Node} node
   * @param {string} text
   */
  const add = (kind, node, text) => {
    const start = node.getStart(file);
    found.push({ kind, start, end: node.end, text, line: file.getLineAndCharacterOfPosition(start).line + 1 });
  };
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isBinaryExpression(node)) {
      const other = OPERATORS.get(node.operatorToken.kind);
      if (other) add(other.kind, node.operatorToken, other.text);
    } else if (ts.isIfStatement(node) || ts.isWhileStatement(node)) {
      add('condition', node.expression, negated(node.expression, file));
    } else if (ts.isConditionalExpression(node)) {
      add('condition', node.condition, negated(node.condition, file));
    } else if (ts.isReturnStatement(node) && node.expression) {
      const opposite = BOOLEANS.get(node.expression.kind);
      if (opposite) add('returned boolean', node.expression, opposite);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** @param {string} source @param {Mutation} mutation */
export function mutate(source, { start, end, text }) {
  return source.slice(0, start) + text + source.slice(end);
}

const OPERATORS = new Map([
  [ts.SyntaxKind.LessThanToken, { kind: 'comparison', text: '<=' }],
  [ts.SyntaxKind.LessThanEqualsToken, { kind: 'comparison', text: '<' }],
  [ts.SyntaxKind.GreaterThanToken, { kind: 'comparison', text: '>=' }],
  [ts.SyntaxKind.GreaterThanEqualsToken, { kind: 'comparison', text: '>' }],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, { kind: 'comparison', text: '!==' }],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, { kind: 'comparison', text: '===' }],
  [ts.SyntaxKind.AmpersandAmpersandToken, { kind: 'and/or', text: '||' }],
  [ts.SyntaxKind.BarBarToken, { kind: 'and/or', text: '&&' }],
]);

const BOOLEANS = new Map([
  [ts.SyntaxKind.TrueKeyword, 'false'],
  [ts.SyntaxKind.FalseKeyword, 'true'],
]);

/** @param {ts.Expression} expression @param {ts.SourceFile} file */
function negated(expression, file) {
  if (ts.isPrefixUnaryExpression(expression) && expression.operator === ts.SyntaxKind.ExclamationToken)
    return expression.operand.getText(file);
  return `!(${expression.getText(file)})`;
}
