/** One command of a shell line. */
export interface ShellCommand {
  readonly name: string;
  readonly args: readonly string[];
  /** The words as they were written, with one space between them: what a rule is compared with. */
  readonly text: string;
}

/** The commands of a shell line, or what in it is not read. */
export type ShellLine = { readonly commands: readonly ShellCommand[] } | { readonly problem: string };

/**
 * Reads a shell line of plain commands that are joined with `&&`, `||`, `;`, `|` or line feeds. Variables, substitutions,
 * subshells, redirections to files, assignments, globs and loops are a problem: the CLI treats each of them in its own way.
 */
export function readShellLine(line: string): ShellLine {
  const commands: ShellCommand[] = [];
  const parts = line.trim().replace(/;$/, '').split(JOINT);
  for (const part of parts) {
    const words = wordsIn(part.trim().replace(HARMLESS_REDIRECTION, '').trim());
    if (words === undefined) return { problem: `it contains ${peculiarity(part)}` };
    const [name, ...args] = words;
    if (name === undefined) return { problem: 'one of its commands is empty' };
    if (!/^[\w./][\w.+/-]*$/.test(name)) return { problem: `${name} is not a plain command name` };
    if (RUNS_ANOTHER.has(name)) return { problem: `${name} runs or changes other commands` };
    commands.push({ name, args, text: words.join(' ') });
  }
  if (commands.length > MOST_COMMANDS) return { problem: `it has more than ${MOST_COMMANDS} commands` };
  return { commands };
}

/** Whether a word is a flag. */
export function isFlag(word: string): boolean {
  return word.startsWith('-');
}

/** A word without its quotes. */
export function unquoted(word: string): string {
  return word.replace(/^(['"])(.*)\1$/s, '$2');
}

/** What the CLI itself limits is higher. */
const MOST_COMMANDS = 20;

const JOINT = /&&|\|\||[;|\n]/;

/** These discard or merge output. */
const HARMLESS_REDIRECTION = /(\s+(2>&1|[12]?>\s?\/dev\/null))+$/;

/** A plain word, or a quoted one in which nothing has a meaning for the shell. */
const WORD = /^(?:[\w@%+=:,./^-][\w@%+=:,./^~-]*|'[\w @%+=:,./*?!^~-]*'|"[\w @%+=:,./*?^~-]*")(?=\s|$)/;

/** Commands that run other commands, and words of the shell's own language. */
const RUNS_ANOTHER: ReadonlySet<string> = new Set(
  'bash sh zsh dash ksh fish eval exec source . command builtin env sudo doas su time timeout nice nohup ionice setsid stdbuf xargs parallel watch chroot unshare cd pushd popd if then else fi for while until do done case esac select function coproc trap export readonly declare typeset local unset set shopt alias unalias test'.split(
    ' ',
  ),
);

function wordsIn(command: string): string[] | undefined {
  const words: string[] = [];
  let rest = command;
  while (rest !== '') {
    const [word] = WORD.exec(rest) ?? [];
    if (word === undefined) return undefined;
    words.push(word);
    rest = rest.slice(word.length).trimStart();
  }
  return words;
}

function peculiarity(part: string): string {
  const [sign] = /[$`(){}<>&*?[\]~\\#!'"]/.exec(part) ?? [];
  return sign === undefined ? 'characters that are not plain' : `the character ${sign}`;
}
