import type { PermissionRequest, PermissionUpdate } from 'coxswain';
import { harmless } from './measure.ts';
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
  | { readonly kind: 'deny' }
  | { readonly kind: 'say-why' }
  | { readonly kind: 'stop' };

/** The question in one line, and further details. */
export function questionOf(request: PermissionRequest): { readonly title: string; readonly details: string[] } {
  const who = request.agentId === undefined ? '' : 'A subagent: ';
  const tool = toolTitle(request.toolName);
  const target = targetOf({ ...request.input });
  if (request.kind === 'plan') return { title: 'Go ahead with this plan?', details: planOf({ ...request.input }) };
  const title = harmless(`${who}Allow ${tool}${target === '' ? '' : ` ${target}`}?`);
  return { title, details: [...contentOf({ ...request.input }), ...reasonsOf(request)].map(harmless) };
}

/** Once, always, as the CLI suggests, no, no with a reason, stop. */
export function choicesFor(request: PermissionRequest): Choice[] {
  if (request.kind === 'plan') return PLAN_CHOICES;
  const suggested = request.suggestions.filter((update) => describe(update) !== '');
  const always = suggested.length > 0 ? suggested.slice(0, 4).map((update) => [update]) : [[ownRule(request)]];
  return [
    { key: 'y', label: 'Yes, once', decision: { kind: 'allow', rules: [] } },
    ...always.map((rules, at) => ({
      key: at === 0 ? 'a' : `${at + 1}`,
      label: `Yes, always: ${harmless(rules.map(describe).join(', '))}`,
      decision: { kind: 'allow', rules } as const,
    })),
    { key: 'n', label: 'No', decision: { kind: 'deny' } },
    { key: 'w', label: 'No, and say why', decision: { kind: 'say-why' } },
    { key: 's', label: 'No, and stop', decision: { kind: 'stop' } },
  ];
}

const PLAN_CHOICES: Choice[] = [
  { key: 'y', label: 'Yes, go ahead', decision: { kind: 'allow', rules: [] } },
  { key: 'w', label: 'No, and say why', decision: { kind: 'say-why' } },
  { key: 's', label: 'No, and stop', decision: { kind: 'stop' } },
];

/** Describes a change of the rules; empty for an unknown one. */
export function describe(update: PermissionUpdate): string {
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

/** For a call without suggestions: a rule for exactly this command, or for the tool, for the session. */
function ownRule(request: PermissionRequest): PermissionUpdate {
  const rule = ruleFor(request.toolName, { ...request.input });
  const content = rule === request.toolName ? undefined : rule.slice(request.toolName.length + 1, -1);
  return {
    type: 'addRules',
    behavior: 'allow',
    destination: 'session',
    rules: [{ toolName: request.toolName, ...(content === undefined ? {} : { ruleContent: content }) }],
  };
}

function planOf({ plan }: Readonly<Record<string, unknown>>): string[] {
  return typeof plan === 'string' ? harmless(plan).trim().split('\n') : [];
}

/** Everything the call would do that the title does not show; long texts are cut to a few lines. */
function contentOf(input: Readonly<Record<string, unknown>>): string[] {
  const telling = tellingField(input);
  return Object.entries(input).flatMap(([name, value]) => {
    const lines = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).split('\n');
    const isInTitle = telling === undefined ? typeof value !== 'object' : name === telling;
    if (isInTitle) return lines.length > 1 ? shortened(lines) : [];
    if (name === 'old_string') return shortened(lines.map((line) => `- ${line}`));
    if (name === 'new_string' || name === 'content') return shortened(lines.map((line) => `+ ${line}`));
    // The reasons contain the description.
    return name === 'description' ? [] : shortened([`${name}: ${lines[0]}`, ...lines.slice(1)]);
  });
}

function shortened(lines: string[]): string[] {
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
