import type { PostgresArchive } from '@coxswain/fleet';

/** The file of a conversation has each completed turn once and in order, and others at most once. */
export async function checkNotes(
  archive: PostgresArchive,
  key: string,
  rows: readonly { readonly id: string; readonly key: string; readonly outcome_kind: string }[],
): Promise<string[]> {
  const tree = await archive.readTree(key);
  const file = tree?.files.find(({ path }) => path === 'notes');
  const blob = file?.kind === 'file' ? await archive.getBlob(file.hash) : undefined;
  const numbers = Buffer.from(blob ?? [])
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => Number(line.slice(1)));
  const problems: string[] = [];
  if (numbers.some((n, at) => n <= (numbers[at - 1] ?? -1))) problems.push(`${key}: its file has ${numbers.join(' ')}`);
  for (const { id, key: of, outcome_kind: kind } of rows)
    if (of === key && kind === 'completed' && !numbers.includes(Number(id.slice(1))))
      problems.push(`${id} completed, but is not in the file of its conversation: ${numbers.join(' ')}`);
  return problems;
}
