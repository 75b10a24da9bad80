import { unknownName } from '@coxswain/shared/unknown-name';
import { reasonOf } from '../errors/base.ts';
import type { OptionProblem, Report } from '../errors/options.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { isPlain } from '../wire/plain-object.ts';
import { kindOf, NOT_PLAIN } from './checks.ts';
import { officialHint } from './names.ts';
import type { AgentOptions, OptionName } from './option-types.ts';
import { optionChecks } from './table.ts';

/** Options from one source, checked and copied when they were given: later changes by the caller have no effect. */
export interface OptionLayer {
  /** The valid ones. */
  readonly values: AgentOptions;
  /** The names of the invalid ones. */
  readonly bad: ReadonlySet<string>;
  readonly problems: readonly OptionProblem[];
}

/** A caller's options, and other fields that `readLayer` does not check. */
export interface GivenLayer extends OptionLayer {
  readonly beside: JsonObject;
}

/** The problem with `restart` anywhere except in a call to `openSession`. */
export const RESTART_MISPLACED = 'belongs to openSession: pass it in that call only.';

interface LayerTerms {
  /** Fields that are not options. */
  readonly beside?: readonly string[];
  /** The environment variables that set the options; problems name the variable instead of the option. */
  readonly variables?: readonly { readonly name: string; readonly option: string }[];
}

/** Reads options. Never throws. */
export function readLayer(options: unknown, { beside = [], variables = [] }: LayerTerms = {}): GivenLayer {
  const problems: OptionProblem[] = [];
  const report: Report = (path, message) => void problems.push({ path, message });
  const bad = new Set<string>();
  const values: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const [name, read] of fieldsOf(options, report)) {
    const label = variables.find(({ option }) => option === name)?.name ?? name;
    try {
      const value = read();
      if (value === undefined) continue;
      if (beside.includes(name)) {
        others[name] = value;
      } else if (isOptionName(name)) {
        const good = optionChecks[name](value, label, report);
        if (good === undefined) bad.add(name);
        else values[name] = good;
      } else {
        report(label.slice(0, 80), notAnOption(name));
      }
    } catch (error) {
      bad.add(name);
      report(label, `could not be read: ${reasonOf(error)}`);
    }
  }
  // Every value has passed its option's check.
  return { values: values as AgentOptions, bad, problems, beside: others };
}

/** A layer of options that the SDK sets itself. */
export function ownLayer(values: AgentOptions): OptionLayer {
  return { values, bad: new Set(), problems: [] };
}

/** The layer without the options that select where a conversation starts, for continuing one. */
export function withoutConversation(layer: OptionLayer): OptionLayer {
  const { sessionId, resume, resumeAt, continue: _, forkSession, ...values } = layer.values;
  return { ...layer, values };
}

function fieldsOf(options: unknown, report: Report): [name: string, read: () => unknown][] {
  if (options === undefined) return [];
  try {
    if (!isJsonObject(options)) report('options', `must be an object, not ${kindOf(options)}.`);
    else if (!isPlain(options)) report('options', NOT_PLAIN);
    else return Object.keys(options).map((name) => [name, () => options[name]]);
  } catch (error) {
    report('options', `could not be read: ${reasonOf(error)}`);
  }
  return [];
}

function notAnOption(name: string): string {
  if (name === 'restart') return RESTART_MISPLACED;
  return officialHint(name) ?? unknownName('option', name, Object.keys(optionChecks));
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(optionChecks, name);
}
