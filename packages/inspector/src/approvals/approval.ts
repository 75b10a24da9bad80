import type { PermissionRequest, PermissionUpdate } from 'coxswain';
import type { Approval, ApprovalScope, Cut, Suggestion } from '../api.ts';
import { indented, oneLine } from '../transcript/cut.ts';
import { fieldsOf, listIn, textIn } from '../transcript/fields.ts';
import type { FileBefore } from '../transcript/file-changes.ts';
import { argumentOf } from '../transcript/tool-call.ts';
import { diffOf } from '../transcript/tool-diff.ts';

/** Functions that turn texts of a request into texts for the page. */
export interface ApprovalTexts {
  redact(text: string): string;
  cut(text: string): Cut;
  storeFullText(text: string): string;
}

/** Largest input that can be edited in the page, in characters. */
const EDITABLE = 50_000;
/** Longest rule that is offered, in characters: the card shows all of it, and a person accepts nothing else. */
const RULE = 1_500;

type AboutRequest = Omit<
  Approval,
  'agent' | 'id' | 'conversation' | 'conversationTitle' | 'requestedAt' | 'entry' | 'questions' | 'terms'
>;

/** Describes a permission request for the page, without its questions. `before` is the file that the call would change, if known. */
export function describeRequest(request: PermissionRequest, texts: ApprovalTexts, before?: FileBefore): AboutRequest {
  const input: Readonly<Record<string, unknown>> = { ...request.input };
  const json = indented(input);
  const diff = request.kind === 'tool' ? diffOf({ tool: request.toolName, input, before }, texts) : null;
  const offers = offersOf(request);
  return {
    kind: request.kind,
    tool: request.toolName,
    argument: argumentOf(input, texts.redact),
    what: texts.cut(texts.redact(whatOf(request, input, json))),
    fields: fieldsBeside(request, input, diff !== null).map(([name, value]) => ({
      name: texts.redact(oneLine(name)),
      value: texts.cut(texts.redact(typeof value === 'string' ? value : indented(value))),
    })),
    // Editing a redacted input would lose the secret in it.
    input: json.length <= EDITABLE && texts.redact(json) === json ? json : null,
    diff,
    reason: shown(request.decisionReason, texts),
    blockedPath: shown(request.blockedPath, texts),
    description: descriptionOf(request, input, texts),
    suggestions: offers.map(({ suggestion }) => ({
      ...suggestion,
      rule: oneLine(texts.redact(suggestion.rule), 2 * RULE),
    })),
    scopes: SCOPES.filter((scope) => scope === 'once' || offers.some(({ suggestion }) => suggestion.scope === scope)),
  };
}

/**
 * The updates that an answer with this scope accepts. Rules that are saved permanently are also set for the session: older releases
 * read their settings only when they start.
 */
export function updatesFor(request: PermissionRequest, scope: ApprovalScope): readonly PermissionUpdate[] {
  const offers = offersOf(request);
  const accepted = (wanted: ApprovalScope): PermissionUpdate[] =>
    offers.filter(({ suggestion }) => suggestion.scope === wanted).map(({ update }) => update);
  const kept = accepted(scope);
  return (scope === 'always' || scope === 'mode') && kept.length > 0 ? [...kept, ...accepted('session')] : kept;
}

const SCOPES: readonly ApprovalScope[] = ['once', 'session', 'always', 'mode'];

/** Destination of permanent rules if the CLI's suggestion does not name a file. */
const KEPT_IN = 'localSettings';

interface Offer {
  readonly suggestion: Suggestion;
  readonly update: PermissionUpdate;
}

/**
 * What can be accepted for the session, and permanently. A mode that the CLI suggests beside rules allows far more than the call,
 * so it is a separate choice. Folders are saved where the CLI suggests.
 */
function offersOf({ kind, suggestions }: PermissionRequest): Offer[] {
  if (kind !== 'tool') return [];
  const hasRules = suggestions.some(({ type }) => type === 'addRules');
  return suggestions.flatMap((update) => {
    const fields = fieldsOf(update);
    if (ruleOf(fields).length > RULE) return [];
    const destination = textIn(fields, 'destination') ?? 'session';
    const offer = (scope: Offer['suggestion']['scope'], to: string): Offer => ({
      suggestion: { rule: ruleOf(fields), destination: PLACES[to] ?? to, scope },
      // The same update with a different destination.
      update: { ...update, destination: to } as PermissionUpdate,
    });
    if (update.type === 'addRules') {
      return [offer('session', 'session'), offer('always', destination === 'session' ? KEPT_IN : destination)];
    }
    if (!hasRules) return [offer('session', 'session')];
    if (update.type === 'setMode') return [offer('mode', 'session')];
    return update.type === 'addDirectories' ? [offer('session', 'session'), offer('always', destination)] : [];
  });
}

const PLACES: Readonly<Record<string, string>> = {
  session: 'this session',
  localSettings: '.claude/settings.local.json',
  projectSettings: '.claude/settings.json',
  userSettings: 'your settings',
};

function ruleOf(update: Readonly<Record<string, unknown>>): string {
  const rules = listIn(update, 'rules').map(fieldsOf);
  if (rules.length > 0) {
    return rules
      .map((rule) => {
        const content = textIn(rule, 'ruleContent');
        return `${textIn(rule, 'toolName') ?? '?'}${content === null ? '' : `(${content})`}`;
      })
      .join(', ');
  }
  const directories = listIn(update, 'directories').filter((path) => typeof path === 'string');
  if (directories.length > 0) return `files in ${directories.join(', ')}`;
  const mode = textIn(update, 'mode') ?? '';
  return MODES[mode] ?? `${textIn(update, 'type') ?? 'update'} ${mode}`.trim();
}

/** What each mode allows, for the person who decides. */
const MODES: Readonly<Record<string, string>> = {
  acceptEdits: 'edits of files without asking',
  bypassPermissions: 'everything without asking',
};

/** Fields with their own display: as the command, the diff, the plan or the questions. */
const SHOWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Bash: ['command', 'description'],
  Edit: ['file_path', 'old_string', 'new_string'],
  MultiEdit: ['file_path', 'edits'],
  Write: ['file_path', 'content'],
  NotebookEdit: ['notebook_path', 'new_source'],
  ExitPlanMode: ['plan'],
  AskUserQuestion: ['questions'],
};

/** The other fields of an input, without those that carry no information, such as `replace_all: false`. */
function fieldsBeside(
  { kind, toolName }: PermissionRequest,
  input: Readonly<Record<string, unknown>>,
  hasDiff: boolean,
): [string, unknown][] {
  const isWhole = kind === 'tool' && !hasDiff && !isCommand(toolName, input);
  if (isWhole) return [];
  const apart = Object.hasOwn(SHOWN_FIELDS, toolName) ? (SHOWN_FIELDS[toolName] ?? []) : [];
  const rest = Object.entries(input).filter(
    ([name, value]) => !apart.includes(name) && value !== false && value !== null && value !== '',
  );
  // In a multi-edit, each edit may replace all occurrences.
  const edits = listIn(input, 'edits').flatMap((edit, at) => (fieldsOf(edit).replace_all === true ? [at + 1] : []));
  return edits.length > 0 ? [...rest, ['replace_all', `in edit ${edits.join(', ')}`]] : rest;
}

function isCommand(tool: string, input: Readonly<Record<string, unknown>>): boolean {
  return tool === 'Bash' && typeof input.command === 'string';
}

/** Some descriptions repeat the command, which the card shows anyway. */
function descriptionOf(
  request: PermissionRequest,
  input: Readonly<Record<string, unknown>>,
  { redact }: ApprovalTexts,
): string | null {
  const values = Object.entries(input).flatMap(([name, value]) => (name === 'description' ? [] : [value]));
  const found = [request.description, textIn(input, 'description')].find(
    (text) => text != null && !values.includes(text),
  );
  return found == null ? null : oneLine(redact(found), 500);
}

function whatOf(request: PermissionRequest, input: Readonly<Record<string, unknown>>, json: string): string {
  if (request.kind === 'question') return '';
  if (request.kind === 'plan') return textIn(input, 'plan') ?? json;
  return isCommand(request.toolName, input) ? (textIn(input, 'command') ?? '') : json;
}

function shown(text: string | undefined, { redact }: ApprovalTexts): string | null {
  return text === undefined ? null : redact(text);
}
