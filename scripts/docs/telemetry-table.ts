// The spans, attributes and metrics for the documentation: names and comments of the tables in @coxswain/opentelemetry.
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { type MetricSpec, metricSpecs } from '../../packages/opentelemetry/src/names.ts';
import { docOf } from './option-table.ts';

/** A name and its meaning. */
export interface NameRow {
  readonly name: string;
  readonly doc: string;
}

/** The names in one table of the source, in its order. */
export function namesIn(table: 'spanNames' | 'eventNames' | 'attributeNames'): readonly NameRow[] {
  const path = new URL('../../packages/opentelemetry/src/names.ts', import.meta.url);
  const source = ts.createSourceFile('names.ts', readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const declared = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .find(({ name }) => name.getText() === table)?.initializer;
  const object = declared && ts.isAsExpression(declared) ? declared.expression : declared;
  if (object === undefined || !ts.isObjectLiteralExpression(object)) throw new Error(`names.ts has no ${table}.`);
  return object.properties.filter(ts.isPropertyAssignment).map((property) => ({
    name: ts.isStringLiteral(property.initializer) ? property.initializer.text : property.initializer.getText(),
    doc: docOf(property),
  }));
}

/** The metrics, in the order of the source. */
export function allMetrics(): readonly MetricSpec[] {
  return Object.values(metricSpecs);
}
