import { createInterface } from 'node:readline/promises';

/** What is needed, asked for on a terminal if it is missing. Without a terminal it stays missing. */
export async function askFor(
  folder: string | undefined,
  language: string | undefined,
): Promise<{ folder: string | undefined; language: string | undefined }> {
  const { stdin, stderr } = process;
  if (folder !== undefined || stdin.isTTY !== true || stderr.isTTY !== true) return { folder, language };
  const stop = new AbortController();
  const lines = createInterface({ input: stdin, output: stderr });
  lines.once('SIGINT', () => stop.abort()).once('close', () => stop.abort());
  try {
    const { signal } = stop;
    const place = (await lines.question('Folder of the project (my-agent): ', { signal })).trim() || 'my-agent';
    if (language !== undefined) return { folder: place, language };
    const answer = (await lines.question('typescript or javascript (typescript): ', { signal })).trim();
    return { folder: place, language: answer || 'typescript' };
  } finally {
    lines.close();
  }
}
