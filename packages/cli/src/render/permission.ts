import { visible, withoutGaps } from '@coxswain/inspector/text';
import type { PermissionRequest, PermissionUpdate } from 'coxswain';
import { ruleFor, targetOf, tellingField, toolTitle } from './tool-call.ts';

/** One answer a person can choose. */
export interface Choice {
  readonly key: string;
  readonly label: string;
  readonly decision: Decision;
}

/** What a choice means. */
export type Decision =
  | { readonly kind: 'allow'; readonly rules: readonly PermissionUpdate[] }
  | { readonly kind: 'show-all' }
  | { readonly kind: 'deny' }
  | { readonly kind: 'say-why' }
  | { readonly kind: 'stop' };

/** What a person reads about a request, and the answers they can give. */
export interface Question {
  readonly title: string;
  readonly details: readonly string[];
  readonly choices: readonly Choice[];
}

/** The question about a request. Unless it is `whole`, long texts are cut, and nothing can be allowed while lines are hidden. */
export function questionOf(request: PermissionRequest, whole: boolean): Question {
  const input = { ...request.input };
  if (request.kind === 'plan') {
    return { title: 'Go ahead with this plan?', details: planOf(input), choices: PLAN_CHOICES };
  }
  const target = targetOf(input);
  const who = request.agentId === undefined ? '' : 'A subagent: ';
  const title = `${who}Allow ${toolTitle(request.toolName)}${target === '' ? '' : ` ${target}`}?`;
  const texts = contentOf(input);
  const isCut = !whole && texts.some((lines) => lines.length > SHOWN);
  const content = isCut ? texts.flatMap(shortened) : texts.flat();
  return {
    title: shown(title),
    details: [...content, ...reasonsOf(request).map(shown)],
    choices: [...(isCut ? [SHOW_ALL] : allowing(request)), ...REFUSALS],
  };
}

const SHOW_ALL: Choice = { key: 'v', label: 'Show everything, then decide', decision: { kind: 'show-all' } };

const REFUSALS: readonly Choice[] = [
  { key: 'n', label: 'No', decision: { kind: 'deny' } },
  { key: 'w', label: 'No, and say why', decision: { kind: 'say-why' } },
  { key: 's', label: 'No, and stop', decision: { kind: 'stop' } },
];

const PLAN_CHOICES: readonly Choice[] = [
  { key: 'y', label: 'Yes, go ahead', decision: { kind: 'allow', rules: [] } },
  ...REFUSALS.filter(({ key }) => key !== 'n'),
];

/** Once, or always by a rule that the CLI suggests or that covers exactly this call. */
function allowing(request: PermissionRequest): Choice[] {
  const suggested = request.suggestions.filter((update) => describeUpdate(update) !== '');
  const always = suggested.length > 0 ? suggested.slice(0, 4) : ownRules(request);
  return [
    { key: 'y', label: 'Yes, once', decision: { kind: 'allow', rules: [] } },
    ...always.map((rule, at) => ({
      key: at === 0 ? 'a' : `${at + 1}`,
      label: `Yes, always: ${shown(describeUpdate(rule))}`,
      decision: { kind: 'allow', rules: [rule] } as const,
    })),
  ];
}

/** Describes a change of the rules; empty for an unknown one. */
export function describeUpdate(update: PermissionUpdate): string {
  const where = WHERE[String(update.destination)] ?? `in ${String(update.destination)}`;
  if ('rules' in update && Array.isArray(update.rules) && update.type === 'addRules' && update.behavior === 'allow') {
    const rules: readonly { toolName: string; ruleContent?: string }[] = update.rules;
    return `${rules.map((rule) => (rule.ruleContent === undefined ? rule.toolName : `${rule.toolName}(${rule.ruleContent})`)).join(', ')} ${where}`;
  }
  if (update.type === 'setMode') return `mode ${String(update.mode)} ${where}`;
  if (update.type === 'addDirectories' && Array.isArray(update.directories)) {
    return `work in ${update.directories.join(', ')} ${where}`;
  }
  return '';
}

const WHERE: Readonly<Record<string, string>> = {
  session: 'in this session',
  localSettings: 'in this project, for me',
  projectSettings: 'in this project, for everyone',
  userSettings: 'in all projects, for me',
  cliArg: 'in this session',
};

/** For a call without suggestions: a rule for exactly this command, or for the tool, for the session; none if no rule is exact. */
function ownRules(request: PermissionRequest): PermissionUpdate[] {
  const rule = ruleFor(request.toolName, { ...request.input });
  if (rule === undefined) return [];
  const content = rule === request.toolName ? undefined : rule.slice(request.toolName.length + 1, -1);
  return [
    {
      type: 'addRules',
      behavior: 'allow',
      destination: 'session',
      rules: [{ toolName: request.toolName, ...(content === undefined ? {} : { ruleContent: content }) }],
    },
  ];
}

function planOf({ plan }: Readonly<Record<string, unknown>>): string[] {
  return typeof plan === 'string' ? shown(plan).trim().split('\n') : [];
}

/** The lines of everything the call would do that the title does not show, text by text. */
function contentOf(input: Readonly<Record<string, unknown>>): string[][] {
  const telling = tellingField(input);
  return Object.entries(input).flatMap(([name, value]) => {
    const lines = shown(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).split('\n');
    const isInTitle = telling === undefined ? typeof value !== 'object' : name === telling;
    if (isInTitle) return lines.length > 1 ? [lines] : [];
    if (name === 'old_string') return [lines.map((line) => `- ${line}`)];
    if (name === 'new_string' || name === 'content') return [lines.map((line) => `+ ${line}`)];
    // The reasons contain the description.
    return name === 'description' ? [] : [[`${shown(name)}: ${lines[0]}`, ...lines.slice(1)]];
  });
}

/** The text with its hidden characters and long gaps made visible: people approve what they read. */
function shown(text: string): string {
  return withoutGaps(visible(text));
}

function shortened(lines: readonly string[]): readonly string[] {
  return lines.length > SHOWN ? [...lines.slice(0, SHOWN - 1), `… ${lines.length - SHOWN + 1} more lines`] : lines;
}

const SHOWN = 12;

function reasonsOf({ description, decisionReason, blockedPath, input }: PermissionRequest): string[] {
  const isNews = description !== undefined && !targetOf({ ...input }).includes(description);
  return [
    ...(isNews ? [description] : []),
    ...(decisionReason === undefined ? [] : [`Asked because: ${decisionReason}`]),
    ...(blockedPath === undefined ? [] : [`Needs permission for: ${blockedPath}`]),
  ];
}
