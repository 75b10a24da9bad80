import { chmod, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jailedShell, plainShell } from '../prove/jail.ts';
import type { RecordedResult } from '../scenario/scenario.ts';

/**
 * A program that replaces the CLI's shell. The recorded one runs nothing: it prints the recorded output of the command that the CLI
 * passes to it, after the CLI has made its usual decision about the call.
 */
export interface RecordedShell {
  /** The variables that make the CLI use it. */
  readonly env: Readonly<Record<string, string>>;
  /** Provides the result of a call that the model is about to make. */
  expect(command: string, result: RecordedResult | undefined): Promise<void>;
  /** True once the CLI has called it. */
  wasCalled(): Promise<boolean>;
}

/** A shell that runs the commands, in a jail unless `unsafe` is set. @throws RehearsalError if there is no jail */
export async function realShell(folder: string, workspace: string, unsafe: boolean): Promise<RecordedShell> {
  // The CLI would act on settings that a command writes, and run what the configuration of a repository names.
  const readOnly = ['.claude', '.git'].map((name) => join(workspace, name));
  for (const path of readOnly) await mkdir(path, { recursive: true });
  const program = await (unsafe ? plainShell(folder) : jailedShell(folder, { writable: workspace, readOnly }));
  return {
    env: { CLAUDE_CODE_SHELL: program, SHELL: program },
    expect: async () => {},
    wasCalled: async () => true,
  };
}

/** Creates the program in a separate folder. */
export async function recordedShell(folder: string): Promise<RecordedShell> {
  const pending = join(folder, 'pending');
  const program = join(folder, 'bash');
  await mkdir(pending, { recursive: true });
  await writeFile(program, PROGRAM.replaceAll('FOLDER', quoted(folder)));
  await chmod(program, 0o755);
  let count = 0;
  return {
    env: { CLAUDE_CODE_SHELL: program, SHELL: program },
    async expect(command, result) {
      count += 1;
      const file = join(pending, String(count).padStart(8, '0'));
      const { code, output } = outputOf(result);
      await writeFile(`${file}.out`, output);
      await writeFile(`${file}.code`, String(code));
      // The CLI passes the command as one quoted word. The name appears last: the program looks for it.
      await writeFile(`${file}.draft`, inQuotes(command));
      await rename(`${file}.draft`, `${file}.cmd`);
    },
    wasCalled: () =>
      stat(join(folder, 'called')).then(
        () => true,
        () => false,
      ),
  };
}

/** What the command printed, and its exit code, which the CLI writes in front of the output. */
function outputOf(result: RecordedResult | undefined): { readonly code: number; readonly output: string } {
  if (result === undefined || result.outcome !== 'ran') return { code: 0, output: '' };
  const failed = result.isError ? /^Exit code (\d{1,3})\n?/.exec(result.text) : undefined;
  const code = failed ? Number(failed[1]) : result.isError ? 1 : 0;
  return { code, output: result.text.slice(failed?.[0].length ?? 0, LONGEST_OUTPUT) };
}

const LONGEST_OUTPUT = 1_000_000;

/** The inside of a single-quoted word of the shell. */
function inQuotes(text: string): string {
  return text.replaceAll("'", `'"'"'`);
}

function quoted(text: string): string {
  return `'${inQuotes(text)}'`;
}

// Arguments: -c, perhaps -l, and the script. At its start the CLI asks for the environment and for a snapshot of the shell.
const PROGRAM = `#!/bin/sh
{ : > FOLDER/called; } 2>/dev/null
for script; do :; done
case "$script" in *"eval "*) ;; *) exit 0 ;; esac
take() {
  # In the sandbox of the CLI the folder is read-only; a missing file was taken by another call.
  mv "$1" "$1.taken" 2>/dev/null || [ -f "$1" ] || return 0
  cat "\${1%.cmd}.out"
  exit "$(cat "\${1%.cmd}.code")"
}
for file in FOLDER/pending/*.cmd; do
  [ -f "$file" ] || continue
  command=$(cat "$file"; printf x)
  case "$script" in *"\${command%x}"*) take "$file" ;; esac
done
for file in FOLDER/pending/*.cmd; do
  [ -f "$file" ] && take "$file"
done
exit 0
`;
