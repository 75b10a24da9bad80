// npm run do -- types:drop-in [-- --name <name>]: compares every exported declaration of the built drop-in with that of the official
// package, as the compiler sees them; prints what differs, with `--name` every place of one name, with `--json` the whole comparison.
// Needs the official package: node packages/drop-in/clients/install.mjs
import process from 'node:process';
import { parseArgs } from 'node:util';
import { compareDeclarations, isEqual } from '../../packages/drop-in/test/both/declared/compare-declarations.ts';

const { values } = parseArgs({ options: { name: { type: 'string' }, json: { type: 'boolean' } } });
const { compared, missing, extra } = compareDeclarations();
if (values.json) {
  await new Promise((resolve) => process.stdout.write(JSON.stringify({ compared, missing, extra }), resolve));
  process.exit();
}
const different = compared.filter((name) => !isEqual(name));

for (const { entry, name, kind, toDropIn, toOfficial, differences } of different) {
  if (values.name !== undefined && values.name !== name) continue;
  const directions = `${toDropIn ? '' : ' official→drop-in'}${toOfficial ? '' : ' drop-in→official'}`;
  console.log(`${entry} ${name} (${kind}):${directions || ' assignable'}; ${differences.length} places`);
  for (const { path, official, dropIn } of values.name ? differences : differences.slice(0, 1)) {
    console.log(`    ${path || '(itself)'}: ${official}  ≠  ${dropIn}`);
  }
}
console.log(`only in the official package: ${missing.join(', ') || 'none'}`);
console.log(`only in the drop-in: ${extra.join(', ') || 'none'}`);
console.log(`${compared.length} compared, ${compared.length - different.length} equal, ${different.length} different`);
