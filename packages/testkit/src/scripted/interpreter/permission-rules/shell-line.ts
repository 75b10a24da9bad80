/** One command of a shell line. */
export interface ShellCommand {
  readonly name: string;
  readonly args: readonly string[];
  /** The original words, separated by single spaces, for the comparison with a rule. */
  readonly text: string;
}

/** The commands of a shell line, or the reason why it is not parsed. */
export type ShellLine = { readonly commands: readonly ShellCommand[] } | { readonly problem: string };

/**
 * Parses a shell line of plain commands joined with `&&`, `||`, `;`, `|` or line feeds. Variables, substitutions, subshells,
 * redirections to files, assignments, globs and loops are a problem: the CLI treats each of them in its own way.
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

/** True for a flag. */
export function isFlag(word: string): boolean {
  return word.startsWith('-');
}

/** A word without its quotes. */
export function unquoted(word: string): string {
  return word.replace(/^(['"])(.*)\1$/s, '$2');
}

/** Maximum number of commands; the limit of the CLI is higher. */
const MOST_COMMANDS = 20;

const JOINT = /&&|\|\||[;|\n]/;

/** Redirections that discard or merge output. */
const HARMLESS_REDIRECTION = /(\s+(2>&1|[12]?>\s?\/dev\/null))+$/;

/** A plain word, or a quoted one without special characters of the shell. */
const WORD = /^(?:[\w@%+=:,./^-][\w@%+=:,./^~-]*|'[\w @%+=:,./*?!^~-]*'|"[\w @%+=:,./*?^~-]*")(?=\s|$)/;

/** Commands that run other commands, and keywords of the shell. */
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
