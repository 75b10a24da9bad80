import { decisionOn } from './command-decision.ts';
import { type Base, placeOf } from './file-rule.ts';
import { isWhole, type PermissionRule, type RuleSet } from './rule.ts';
import { allowsCall, commandFits, EDITORS, pathOf, type RuledCall, restrains, SEARCHERS } from './rule-fits.ts';
import { isFlag, readShellLine, type ShellCommand, unquoted } from './shell-line.ts';

/** The CLI's decision on a call, and its source: a rule, the mode, or the kind of tool. */
export type Ruling =
  | { readonly decided: 'runs' | 'asks' | 'denies'; readonly by: 'rule' | 'mode' | 'tool' }
  /** Only the real CLI can decide it; `restrained` if a rule may deny the call or ask about it. */
  | { readonly decided: 'unknown'; readonly why: string; readonly restrained: boolean };

/** The rules and settings that apply to a call. */
export interface RulingTerms {
  readonly mode: string;
  readonly rules: RuleSet;
  readonly base: Base;
  /** Directories that count like the working directory. */
  readonly added: readonly string[];
  /** A change of the rules that is not supported. */
  readonly unclear?: string;
}

/**
 * Decides on a call like Claude Code, if the decision was measured on the real CLI (conformance/permissions); otherwise
 * returns `unknown`.
 */
export function ruling(call: RuledCall, terms: RulingTerms): Ruling {
  const { rules, mode, unclear } = terms;
  if (unclear !== undefined) return unknown(`what ${unclear} changed`, true);
  const denied = restrainedBy(rules.deny, call, terms);
  if (denied.fit === 'yes') return { decided: 'denies', by: 'rule' };
  if (denied.fit === 'unknown') return unknown(`whether ${denied.rule} denies it`, true);
  const asked = restrainedBy(rules.ask, call, terms);
  if (asked.fit === 'yes') return asks('rule', mode);
  if (asked.fit === 'unknown') return unknown(`whether ${asked.rule} asks about it`, true);
  if (mode === 'auto') return unknown('what the classifier of the mode auto decides');
  const found = call.name === 'Bash' ? onShellLine(call, terms) : onTool(call, terms);
  return found.decided === 'asks' ? asks(found.by, mode) : found;
}

/** The mode dontAsk refuses calls that would be asked about. */
function asks(by: 'rule' | 'mode' | 'tool', mode: string): Ruling {
  return mode === 'dontAsk' ? { decided: 'denies', by: 'mode' } : { decided: 'asks', by };
}

function unknown(why: string, restrained = false): Ruling {
  return { decided: 'unknown', why, restrained };
}

const RUNS = (by: 'rule' | 'mode' | 'tool'): Ruling => ({ decided: 'runs', by });
const ASKS: Ruling = { decided: 'asks', by: 'tool' };

function restrainedBy(
  rules: readonly PermissionRule[],
  call: RuledCall,
  { base }: RulingTerms,
): { readonly fit: 'yes' | 'unknown' | 'no'; readonly rule?: string } {
  const fits = rules.map((rule) => ({ fit: restrains(rule, call, base), rule: rule.text }));
  return fits.find(({ fit }) => fit === 'yes') ?? fits.find(({ fit }) => fit === 'unknown') ?? { fit: 'no' };
}

function onTool(call: RuledCall, terms: RulingTerms): Ruling {
  const { name } = call;
  const { mode, rules, base } = terms;
  if (ASKS_ALWAYS.has(name)) return ASKS;
  if (mode === 'bypassPermissions') return RUNS('mode');
  const fits = rules.allow.map((rule) => ({ rule, fit: allowsCall(rule, call, base) }));
  const allowing = fits.find(({ fit }) => fit === 'yes')?.rule;
  const unclear = fits.find(({ fit }) => fit === 'unknown')?.rule;
  if (EDITORS.has(name)) return onEdit(call, terms, allowing);
  if (name === 'Read' || SEARCHERS.has(name)) return onRead(call, terms, allowing, unclear);
  if (mode === 'plan') return unknown('what the mode plan decides about this tool');
  if (allowing) return RUNS('rule');
  if (unclear) return unknown(`whether ${unclear.text} allows it`);
  if (RUNS_ALWAYS.has(name)) return RUNS('mode');
  if (ASKS_AT_FIRST.has(name) || name.startsWith('mcp__')) return ASKS;
  return unknown(`whether the tool ${name} needs permission`);
}

/** Questions to the user and plans, in every mode. */
const ASKS_ALWAYS: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);
const RUNS_ALWAYS: ReadonlySet<string> = new Set(['Agent', 'Task', 'ToolSearch', 'StructuredOutput']);
const ASKS_AT_FIRST: ReadonlySet<string> = new Set(['WebFetch', 'WebSearch']);

function onEdit(call: RuledCall, { mode, base, added }: RulingTerms, allowing: PermissionRule | undefined): Ruling {
  const path = pathOf(call);
  const place = path === undefined ? 'outside' : placeOf(path, base, added);
  if (mode === 'plan') return place === 'inside' ? ASKS : unknown('what the mode plan decides about this path');
  const accepting = mode === 'acceptEdits';
  if (!accepting && !allowing) return ASKS;
  if (place === 'hidden') return unknown('which names that start with a dot the CLI protects');
  if (allowing && (place === 'inside' || allowing.content === undefined)) return RUNS('rule');
  if (allowing && isWhole(allowing)) return unknown(`whether ${allowing.text} allows a path outside of the project`);
  if (allowing) return RUNS('rule');
  return place === 'inside' ? RUNS('mode') : ASKS;
}

function onRead(
  call: RuledCall,
  { mode, base, added }: RulingTerms,
  allowing: PermissionRule | undefined,
  unclear: PermissionRule | undefined,
): Ruling {
  const path = pathOf(call);
  if (call.name === 'Glob' && /^[/~]|\.\./.test(String(call.input.pattern))) {
    return unknown('whether the pattern leads outside of the project');
  }
  if (path === undefined ? call.name !== 'Read' : placeOf(path, base, added) !== 'outside') return RUNS('tool');
  if (mode === 'plan') return unknown('what the mode plan decides about a path outside of the project');
  if (allowing) return RUNS('rule');
  return unclear ? unknown(`whether ${unclear.text} allows it`) : ASKS;
}

function onShellLine(call: RuledCall, terms: RulingTerms): Ruling {
  const { mode, rules } = terms;
  const text = String(call.input.command);
  const line = readShellLine(text);
  const unlimited = mode === 'bypassPermissions' || rules.allow.some((rule) => rule.tool === 'Bash' && isWhole(rule));
  if (unlimited && mode !== 'plan') {
    const by = mode === 'bypassPermissions' ? 'mode' : 'rule';
    return mayBeProtected(text, line, mode) ? unknown('whether it touches what the CLI protects') : RUNS(by);
  }
  if ('problem' in line) return unknown(`how the CLI reads the command: ${line.problem}`);
  const rulings = line.commands.map((command) => onCommand(command, terms));
  return (
    rulings.find(({ decided }) => decided === 'asks') ??
    rulings.find(({ decided }) => decided === 'unknown') ??
    rulings.find((each) => each.decided === 'runs' && each.by !== 'tool') ??
    RUNS('tool')
  );
}

function onCommand(command: ShellCommand, { mode, rules, base, added }: RulingTerms): Ruling {
  const fits = rules.allow
    .filter(({ tool }) => tool === 'Bash')
    .map((rule) => ({ rule, fit: commandFits(rule, command) }));
  if (fits.some(({ fit }) => fit === 'yes')) return RUNS('rule');
  const decided = decisionOn(command);
  if (decided === 'runs') return RUNS('tool');
  const unclear = fits.find(({ fit }) => fit === 'unknown');
  if (unclear) return unknown(`whether ${unclear.rule.text} allows ${command.text}`);
  if (mode === 'plan') return unknown(`what the mode plan decides about ${command.text}`);
  if (mode === 'acceptEdits' && changesFiles(command)) {
    const accepted = acceptsEdit(command, base, added);
    return accepted ? RUNS('mode') : unknown(`whether the mode acceptEdits accepts ${command.text}`);
  }
  // A rule for files also allows or denies some redirections and commands, which were not measured individually.
  if (decided === 'asks') return ASKS;
  return unknown(`whether ${command.text} is a command that the CLI runs without asking`);
}

/** The commands that the mode acceptEdits accepts for files of the project. */
function changesFiles({ name }: ShellCommand): boolean {
  return WRITERS.has(name) || name === 'sed';
}

const WRITERS: ReadonlySet<string> = new Set(['mkdir', 'touch', 'rm', 'rmdir', 'mv', 'cp']);
const HARMLESS_FLAGS: Readonly<Record<string, readonly string[]>> = { mkdir: ['-p'], rm: ['-f', '-rf'] };

function acceptsEdit({ name, args }: ShellCommand, base: Base, added: readonly string[]): boolean {
  const flags = args.filter(isFlag);
  const paths = args.filter((arg) => !isFlag(arg)).map(unquoted);
  return (
    WRITERS.has(name) &&
    flags.every((flag) => HARMLESS_FLAGS[name]?.includes(flag)) &&
    paths.every((path) => placeOf(path, base, added) === 'inside' && path !== '.')
  );
}

/**
 * Even if everything is allowed, the CLI asks before a command changes its settings or those of git and editors, and
 * before it removes a whole folder by a pattern.
 */
function mayBeProtected(text: string, line: ReturnType<typeof readShellLine>, mode: string): boolean {
  if ('problem' in line) return /\brm(dir)?\b/.test(text) || (mode !== 'bypassPermissions' && HIDDEN.test(text));
  return line.commands.some(({ name, args }) => {
    const paths = args.filter((arg) => !isFlag(arg)).map(unquoted);
    if ((name === 'rm' || name === 'rmdir') && paths.some((path) => !/^[\w-]/.test(path))) return true;
    return mode !== 'bypassPermissions' && CHANGERS.has(name) && paths.some((path) => HIDDEN.test(path));
  });
}

const HIDDEN = /(^|[\s/'"=>])\.[A-Za-z]/;
const CHANGERS: ReadonlySet<string> = new Set(
  'mkdir touch rm rmdir mv cp sed tee ln chmod chown dd install truncate rsync unlink tar unzip'.split(' '),
);
