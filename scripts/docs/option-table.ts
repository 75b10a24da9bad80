// The options and limits for the documentation: names, types and comments of the interfaces in the source.
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** One option, or one limit. */
export interface OptionRow {
  readonly name: string;
  readonly type: string;
  readonly doc: string;
}

/** The interfaces that make up the options. */
export type OptionGroup = 'CliOptions' | 'SdkOptions' | 'TwoWayOptions';

/** The options of one group, in the order of the source. */
export function optionsOf(group: OptionGroup): readonly OptionRow[] {
  return rowsOf('options/option-types.ts', group);
}

/** All options. */
export function allOptions(): readonly OptionRow[] {
  const groups: readonly OptionGroup[] = ['CliOptions', 'SdkOptions', 'TwoWayOptions'];
  return groups.flatMap(optionsOf);
}

/** All limits. */
export function allLimits(): readonly OptionRow[] {
  return rowsOf('limits.ts', 'Limits');
}

function rowsOf(path: string, name: string): OptionRow[] {
  const text = readFileSync(new URL(`../../packages/sdk/src/${path}`, import.meta.url), 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const declared = source.statements.filter(ts.isInterfaceDeclaration).find((found) => found.name.text === name);
  if (declared === undefined) throw new Error(`${path} has no interface ${name}.`);
  return declared.members.filter(ts.isPropertySignature).map((member) => ({
    name: member.name.getText(),
    type: (member.type?.getText() ?? '').replace(/\s*\|\s*undefined$/, '').replace(/\breadonly |\n\s*/g, ''),
    doc: docOf(member),
  }));
}

/** The comment of a declaration, as one line. */
export function docOf(node: ts.Node): string {
  return ts
    .getJSDocCommentsAndTags(node)
    .map(({ comment }) => (ts.getTextOfJSDocComment(comment) ?? '').replace(/\s*\n\s*/g, ' '))
    .join(' ');
}
