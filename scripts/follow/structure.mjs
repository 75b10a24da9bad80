import { stageClients } from '../../packages/drop-in/clients/install.mjs';
import { compareDeclarations, isEqual } from '../../packages/drop-in/test/both/declared/compare-declarations.ts';
import {
  COMPARED_DECLARATIONS,
  DECLARED_DIFFERENCES,
} from '../../packages/drop-in/test/both/declared/declared-differences.ts';

/**
 * Compares the declarations of the drop-in with those of the new official SDK, as the compiler sees them.
 * @returns {Promise<{ compared: number, declared: number, missing: readonly string[], different: { name: string, path: string, official: string, dropIn: string }[] }>}
 */
export async function structure() {
  stageClients('node-20');
  const { compared, missing } = compareDeclarations();
  const different = compared
    .filter((one) => !isEqual(one) && !Object.hasOwn(DECLARED_DIFFERENCES, one.name))
    .flatMap(({ name, differences: [first] }) => [
      { name, path: first?.path ?? '', official: first?.official ?? '', dropIn: first?.dropIn ?? '' },
    ]);
  return { compared: compared.length, declared: COMPARED_DECLARATIONS, missing, different };
}
