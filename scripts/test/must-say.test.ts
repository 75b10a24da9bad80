import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anchorOf } from '../docs/links.mjs';
import { renderPage } from '../docs/snippets.mjs';

const ROOT = new URL('../..', import.meta.url);
const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, ROOT)), 'utf8');

/** The public types of the official SDK, researched at 0.3.325. */
const officialMethods =
  `interrupt setPermissionMode setMcpPermissionModeOverride setModel setMaxThinkingTokens applyFlagSettings
    updateSettings initializationResult reinitialize supportedCommands supportedModels supportedAgents accountInfo
    mcpServerStatus getContextUsage usage_EXPERIMENTAL readFile reloadPlugins reloadSkills reloadOutputStyles rewindFiles
    seedReadState reconnectMcpServer toggleMcpServer readMcpResource setMcpServers streamInput stopTask backgroundTasks
    close`.split(/\s+/);

const officialExports =
  `query startup prewarm tool createSdkMcpServer listSessions getSessionInfo getSessionMessages listSubagents
    getSubagentMessages forkSession renameSession tagSession archiveSession unarchiveSession deleteSession
    importSessionToStore foldSessionSummary InMemorySessionStore resolveSettings filterEscalatingDefaultMode
    matchDeniedModels AbortError HOOK_EVENTS EXIT_REASONS BUILTIN_TOOL_NAMES LEGACY_TOOL_NAME_ALIASES
    USAGE_LIMIT_ERROR_PREFIXES USAGE_WARNING_PREFIXES USAGE_TRANSITION_PREFIXES ORG_POLICY_LIMIT_PREFIXES
    SYSTEM_PROMPT_DYNAMIC_BOUNDARY`.split(/\s+/);

/** The start of each requirement of the contract, and the sections that meet it: their place and required words. */
const requirements: readonly (readonly [
  demand: string,
  ...places: (readonly [place: string, ...words: RegExp[]])[],
])[] = [
  [
    'What success means in automation',
    ['docs/guides/queries.md#results', /not that it succeeded/, /outcomeOf\(result\)/],
    ['docs/guides/queries.md#success-in-automation', /strictExit: true/, /collect\(\)/, /```ts/],
    ['docs/warnings.md#warnings', /`non-zero-exit-after-result`/, /`strictExit`/],
  ],
  [
    'When to use `query` and when a session',
    ['docs/guides/sessions.md#query-or-session', /\| \| query \| session \|/],
    ['docs/guides/queries.md#cancelling-and-timeouts', /`signal`/, /`timeoutMs`/, /`close\(\)`/],
    ['docs/guides/errors-and-limits.md#limits', /`hookTimeoutMs`/, /`timeoutMs` and `idleTimeoutMs`/],
    ['docs/options.md#clioptions-what-the-cli-does', /\| option \| flag \| needs release \|/],
  ],
  [
    'Where stderr goes',
    ['docs/guides/processes.md#stderr', /`?onStderr`?/, /terminal/, /daemon/, /container/, /CI/, /stderrTail/],
  ],
  [
    'Resume needs a session id',
    ['docs/guides/queries.md#resuming-later', /`resume: id`|resume: id/, /has no id/],
    ['docs/guides/sessions.md#history', /Resuming needs an id/, /clear\(\)/, /fork\(\)/, /`continue: true`/],
  ],
  [
    'What closing means',
    ['docs/guides/queries.md#what-closing-means', /call `close\(\)` from anywhere/, /SIGKILL/],
    ['docs/guides/sessions.md#stopping', /any number of times/, /No guarded tool runs because of a stop/],
    ['docs/guides/processes.md#what-is-killed-when', /SIGTERM/, /SIGKILL/],
  ],
  [
    'How guards fail',
    [
      'docs/guides/hooks.md#how-guards-fail',
      /fail open/,
      /fail closed/,
      /`onFailure: 'block'`/,
      /stdin closed/,
      /600 s/,
    ],
    ['docs/guides/security.md#how-guards-fail', /`canUseTool` \| refuses/],
  ],
  [
    'Which process-wide things',
    ['docs/guides/processes.md#what-coxswain-adds-to-your-process', /how to avoid it/, /`orphanGuard: false`/],
  ],
  [
    'Semver and deprecation policy',
    ['VERSIONING.md#versioning', /semantic versioning/],
    ['VERSIONING.md#deprecation', /@deprecated/],
    ['VERSIONING.md#when-the-cli-changes', /adds a message/],
    ['VERSIONING.md#operating-systems', /Tested: Linux/, /Windows/],
  ],
];

describe('the required content of the documentation', () => {
  const demands = (read('docs/contract.md').split('## What the documentation must also say')[1] ?? '').match(/^- .*/gm);

  it('covers every requirement of the contract', () => {
    expect(demands?.length).toBe(requirements.length);
    for (const [index, [demand]] of requirements.entries()) expect(demands?.[index]).toMatch(`- ${demand}`);
  });

  it.each(requirements.flatMap(([, ...places]) => places.map(([place, ...words]) => ({ place, words }))))(
    'is in $place',
    ({ place, words }) => {
      const section = sectionOf(place);
      expect(section, 'there is no such heading').toBeDefined();
      for (const word of words) expect(section).toMatch(word);
    },
  );
});

describe('the page about the official SDK', () => {
  const page = read('docs/migration.md');

  it.each([
    ['methods', officialMethods],
    ['exports', officialExports],
  ])('names all %s', (_, names) => {
    expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });
});

describe('the code in the pages besides the guides', () => {
  it.each(['docs/quick-start.md', 'docs/migration.md'])('%s shows regions of files that are type-checked', (page) => {
    const { text, problems } = renderPage(page);
    expect(problems).toEqual([]);
    expect(read(page)).toBe(text);
  });
});

/** The text from a heading to the next one of the same or a higher level. */
function sectionOf(place: string): string | undefined {
  const [path = '', anchor] = place.split('#');
  const page = read(path);
  const headings = [...page.matchAll(/^(#+) (.+)$/gm)];
  const start = headings.find(([, , title = '']) => anchorOf(title) === anchor);
  if (!start) return undefined;
  const level = start[1]?.length ?? 0;
  const next = headings.find(({ index, 1: marks = '' }) => index > start.index && marks.length <= level);
  return page.slice(start.index, next?.index);
}
