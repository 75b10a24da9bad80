import type { AgentOptions } from 'coxswain';
import { demoOptions } from '../demo/demo.ts';
import { UsageError } from '../exit-codes.ts';
import { fetchCli, usesPinned } from '../own-copy/fetch.ts';
import type { Paint } from '../render/paint.ts';
import { Asker } from '../terminal/ask.ts';
import { Screen } from '../terminal/screen.ts';
import { canAsk, columnsOf, paintFor, type Terminal } from '../terminal/terminal.ts';
import { type AgentFlags, agentOptions } from './agent-flags.ts';
import { Conversation } from './conversation.ts';
import { debugOptions } from './debug.ts';
import { HumanView } from './human-view.ts';
import { JsonView } from './json-view.ts';
import type { OutputFlags } from './output-flags.ts';
import { type AskContext, askOnTerminal } from './permissions.ts';
import type { View } from './view.ts';

/** What opening a conversation needs besides the flags. */
export interface OpenOptions {
  readonly terminal: Terminal;
  readonly command: 'run' | 'chat';
  /** Overrides the options from the flags. */
  readonly extra?: AgentOptions;
  /** False if every request to the CLI counts, because it is recorded or played back. */
  readonly watchesCost?: boolean;
  /** True for a recording: the conversation cannot be continued, and no hints are shown. */
  readonly isPast?: boolean;
}

/** Opens a conversation with these flags. */
export async function openConversation(flags: AgentFlags & OutputFlags, options: OpenOptions): Promise<Conversation> {
  const { terminal, extra = {} } = options;
  if (flags.cliVersion !== undefined && !usesPinned(flags.cli, terminal.env)) {
    throw new UsageError('--cli-version chooses the release for --cli pinned: use both, or neither.');
  }
  // With --json no progress is shown; the session installs the CLI if needed.
  if (!flags.demo && !flags.json && !options.isPast && usesPinned(flags.cli, terminal.env)) {
    await fetchCli({ version: flags.cliVersion, quiet: flags.quiet }, terminal);
  }
  const refusedIds = new Set<string>();
  const { view, screen, paint } = viewFor(flags, options, refusedIds);
  const asking: AskContext = {
    screen,
    asker: new Asker(terminal, paint),
    alone: (ask) => conversation.background.ask(ask),
    refused: (toolUseId) => void refusedIds.add(toolUseId),
    cancelled: () => conversation.ctrlC.press(),
  };
  const conversation: Conversation = new Conversation(
    {
      ...agentOptions(flags),
      includePartialMessages: true,
      // If the user cannot be asked, the CLI denies requests and does not let the model ask, but only in this mode.
      permissionMode: flags.permissionMode ?? 'default',
      ...(canAsk(terminal) && flags.input !== false
        ? { canUseTool: askOnTerminal(asking), allowPermissionUpdates: true }
        : {}),
      ...(flags.debug ? debugOptions((line) => screen.note(paint.dim(line))) : {}),
      ...(flags.demo ? await demoOptions(terminal, flags.resume) : {}),
      ...extra,
    },
    view,
    terminal,
  );
  return conversation;
}

/** The view of a conversation: NDJSON with `--json`, otherwise for a person. */
export function viewFor(
  flags: AgentFlags & OutputFlags,
  options: OpenOptions,
  refusedIds: ReadonlySet<string> = new Set(),
): { readonly view: View; readonly screen: Screen; readonly paint: Paint } {
  const { terminal, command, extra = {}, watchesCost = true, isPast = false } = options;
  const screen = new Screen(terminal, { status: !flags.json && !flags.quiet });
  const paint = paintFor(terminal.stderr, terminal.env, flags.color);
  if (flags.json) return { view: new JsonView(screen), screen, paint };
  const view = new HumanView(screen, {
    paint,
    columns: () => columnsOf(terminal.stderr),
    thinking: flags.thinking === true,
    quiet: flags.quiet === true,
    structured: extra.outputSchema !== undefined,
    debug: flags.debug === true,
    denied: flags.deny ?? [],
    refusedIds,
    command,
    resumable: flags.persist !== false && !flags.demo && !isPast,
    hints: !isPast,
    watchesCost,
  });
  return { view, screen, paint };
}
