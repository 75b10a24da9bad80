import { parseRule } from '../../packages/testkit/src/scripted/interpreter/permission-rules/rule.ts';
import { type Ruling, ruling } from '../../packages/testkit/src/scripted/interpreter/permission-rules/ruling.ts';
import type { Call, Case } from './case.ts';

/** What the test kit decides about a call of a case. */
export function scriptedRuling({ options }: Case, { tool, input }: Call): Ruling {
  const { allow = [], deny = [], ask = [], defaultMode = 'default' } = permissionsIn(options.settings);
  const { allowedTools = [], disallowedTools = [], permissionMode = defaultMode, addDirs = [] } = options;
  const rules = {
    allow: [...allowedTools, ...allow].map(parseRule),
    deny: [...disallowedTools, ...deny].map(parseRule),
    ask: ask.map(parseRule),
  };
  const base = { cwd: '/project', home: '/home' };
  return ruling({ name: tool, input }, { mode: permissionMode, rules, base, added: addDirs });
}

interface Permissions {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly defaultMode?: string;
}

function permissionsIn(settings: Case['options']['settings']): Permissions {
  // The corpus writes settings as objects.
  return typeof settings === 'object' ? ((settings.permissions ?? {}) as Permissions) : {};
}
