import type { FleetTurn, FollowItem, TurnFilter, TurnInfo, TurnOutcome } from '@coxswain/fleet';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { paintFor, printNotice, type Terminal } from '../terminal/terminal.ts';
import { approveCommand } from './approvals.ts';
import { attributesOf, dataOf, placeFlags, roughly, shortly, userName } from './flag-values.ts';
import { type FleetFlags, withFleet } from './open.ts';
import { showStatus, watchStatus } from './show-status.ts';
import { writeTable } from './write-table.ts';

export type { FleetFlags } from './open.ts';

export interface FollowFlags extends FleetFlags {
  readonly after?: number;
  readonly json?: boolean;
}

export interface SubmitFlags extends FleetFlags {
  readonly id?: string;
  readonly tenant?: string;
  readonly agent?: string;
  readonly priority?: number;
  readonly data?: string;
  readonly after?: number;
  readonly attribute?: readonly string[];
  readonly maxUsd?: number;
  readonly attempts?: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

export interface StatusFlags extends FleetFlags {
  readonly watch?: boolean;
  readonly json?: boolean;
}

export interface PruneFlags extends FleetFlags {
  readonly turns?: number;
  readonly conversations?: number;
  readonly audit?: number;
}

interface TurnsFlags extends FleetFlags {
  readonly key?: string;
  readonly tenant?: string;
  readonly agent?: string;
  readonly state?: TurnFilter['state'];
  readonly outcome?: string;
  readonly group?: string;
  readonly attribute?: readonly string[];
  readonly limit?: number;
  readonly json?: boolean;
}

/** `cox fleet submit`. */
export function submit(
  key: string,
  words: readonly string[],
  flags: SubmitFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  // Here `--after` is a delay; for `follow` it is the number of an item.
  const { after, ...shown } = flags;
  const { id, tenant, agent, priority, maxUsd: maxUsdPerTurn, attempts } = flags;
  const data = dataOf(flags.data);
  const attributes = attributesOf(flags.attribute);
  const retry = attempts === undefined ? undefined : { attempts };
  return withFleet(flags, async (fleet) => {
    const startAfter = after === undefined ? undefined : after * 1000;
    const turn = await fleet.submit({
      key,
      prompt: words.join(' '),
      id,
      tenant,
      agent,
      priority,
      data,
      startAfter,
      attributes,
      maxUsdPerTurn,
      retry,
      by: userName(),
    });
    if (!flags.follow) {
      terminal.stdout.write(`${turn.id}\n`);
      return EXIT.ok;
    }
    printNotice(terminal, `turn ${turn.id}`);
    return print(turn, shown, terminal);
  });
}

/** `cox fleet follow`. */
export function follow(id: string, flags: FollowFlags, terminal: Terminal): Promise<ExitCode> {
  return withFleet(flags, async (fleet) => print(await fleet.turn(id), flags, terminal));
}

/** `cox fleet steer`. */
export function steer(
  id: string,
  words: readonly string[],
  flags: FleetFlags & { readonly by?: string },
  terminal: Terminal,
): Promise<ExitCode> {
  return withFleet(flags, async (fleet) => {
    const effect = await fleet.steer(id, words.join(' '), { by: flags.by ?? userName() });
    printNotice(terminal, STEER_EFFECTS[effect]);
    return effect === 'accepted' ? EXIT.ok : EXIT.failed;
  });
}

const STEER_EFFECTS = {
  accepted: 'The agent gets it with its next step.',
  'not-running': 'The turn is not running; nothing was added.',
  'too-late': 'The turn had already ended; nothing was added.',
} as const;

/** `cox fleet cancel`. */
export function cancel(
  id: string,
  flags: FleetFlags & { readonly by?: string },
  terminal: Terminal,
): Promise<ExitCode> {
  return withFleet(flags, async (fleet) => {
    const effect = await fleet.cancel(id, { by: flags.by ?? userName() });
    printNotice(terminal, EFFECTS[effect]);
    return effect === 'too-late' ? EXIT.failed : EXIT.ok;
  });
}

const EFFECTS = {
  'take-out': 'The turn was waiting; it will not run.',
  interrupt: 'The agent is being interrupted.',
  'too-late': 'The turn had already ended.',
} as const;

/** `cox fleet turns`. */
export function turns(flags: TurnsFlags, terminal: Terminal): Promise<ExitCode> {
  const { key, tenant, agent, state, outcome, group, limit = 20 } = flags;
  const attributes = attributesOf(flags.attribute);
  return withFleet(flags, async (fleet) => {
    const found = await fleet.turns({ key, tenant, agent, state, outcome, group, attributes, limit });
    if (flags.json) for (const turn of found) terminal.stdout.write(`${JSON.stringify(turn)}\n`);
    else {
      const rows = found.map((turn) => [
        turn.id,
        turn.key,
        stateWords(turn),
        turn.outcome === null ? '' : shortly(ending(turn.outcome)).slice(0, 60),
        ranBy(turn),
        `$${turn.costUsd.toFixed(4)}`,
        shortly(turn.prompt),
      ]);
      writeTable(terminal, ['TURN', 'KEY', 'STATE', 'OUTCOME', 'AGENT', 'COST', 'PROMPT'], rows);
    }
    return EXIT.ok;
  });
}

/** `parked for 3 h`, `waiting, again in 40 s`. */
function stateWords({ state, parkedAt, retryAt }: TurnInfo): string {
  if (retryAt !== null) return `${state}, again in ${roughly(retryAt - Date.now())}`;
  return parkedAt === null ? state : `${state} for ${roughly(Date.now() - parkedAt)}`;
}

/** `cox fleet groups`. */
export function groups(
  { open, limit = 20, json, ...flags }: FleetFlags & { open?: boolean; limit?: number; json?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  return withFleet(flags, async (fleet) => {
    const found = await fleet.groups({ open, limit });
    if (json) for (const group of found) terminal.stdout.write(`${JSON.stringify(group)}\n`);
    else {
      const rows = found.map(({ id, size, waiting, running, parked, done, outcomes, costUsd }) => [
        id,
        `${done} of ${size}`,
        `${running} running, ${waiting} waiting, ${parked} parked`,
        Object.entries(outcomes)
          .map(([kind, count]) => `${count} ${kind}`)
          .join(', '),
        `$${costUsd.toFixed(4)}`,
      ]);
      writeTable(terminal, ['GROUP', 'ENDED', 'OPEN', 'OUTCOMES', 'COST'], rows);
    }
    return EXIT.ok;
  });
}

/** The agent of a turn, and what ran it: `review 2, CLI 2.1.327`. */
function ranBy({ agent, agentVersion, cli }: TurnInfo): string {
  const version = agentVersion === null ? agent : `${agent} ${agentVersion}`;
  return cli === null ? version : `${version}, CLI ${cli}`;
}

/** `cox fleet resend`. */
export function resend(
  id: string,
  flags: FleetFlags & { readonly by?: string },
  terminal: Terminal,
): Promise<ExitCode> {
  return withFleet(flags, async (fleet) => {
    terminal.stdout.write(`${(await fleet.resend(id, { by: flags.by ?? userName() })).id}\n`);
    return EXIT.ok;
  });
}

/** `cox fleet status`. */
export function status(flags: StatusFlags, terminal: Terminal): Promise<ExitCode> {
  return withFleet(flags, async (fleet) => {
    if (flags.watch) await watchStatus(fleet, flags, terminal);
    else showStatus(await fleet.stats(), flags, terminal);
    return EXIT.ok;
  });
}

/** `cox fleet prune`. @throws UsageError */
export async function prune(
  { turns, conversations, audit, ...flags }: PruneFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  if (turns === undefined && conversations === undefined && audit === undefined)
    throw new UsageError('Specify what to remove: --turns <days>, --conversations <days>, --audit <days>.');
  const before = (days: number | undefined): number | undefined =>
    days === undefined ? undefined : days * 24 * 3_600_000;
  return withFleet(flags, async (fleet) => {
    const report = await fleet.prune({
      turnsBefore: before(turns),
      conversationsBefore: before(conversations),
      auditBefore: before(audit),
    });
    terminal.stdout.write(
      `${Object.entries(report)
        .map(([name, count]) => `${name} ${count}`)
        .join(', ')}\n`,
    );
    return EXIT.ok;
  });
}

/** Prints a turn to its end. */
async function print(turn: FleetTurn, flags: FollowFlags, terminal: Terminal): Promise<ExitCode> {
  const { after, json } = flags;
  const paint = paintFor(terminal.stderr, terminal.env);
  for await (const item of turn.follow({ after })) {
    if (json) terminal.stdout.write(`${JSON.stringify(item)}\n`);
    else if (item.kind === 'state') printNotice(terminal, paint.dim(progress(item)));
    else if (item.kind === 'retry') printNotice(terminal, paint.dim(repeated(item)));
    else if (item.kind === 'notice') printNotice(terminal, item.text);
    else if (item.kind === 'permission-requested' && item.approval !== null) {
      printNotice(terminal, `${item.request.toolName} ${shortly(item.request.input)}`);
      printNotice(terminal, 'The turn waits for an answer. In another terminal, run one of:');
      const { approval: id, hash, request } = item;
      for (const command of [approveCommand({ id, hash, groups: null, request }), `deny ${id} "the reason"`])
        printNotice(terminal, `  cox fleet ${command}${placeFlags(flags)}`);
    } else if (item.kind === 'message' && item.message.type === 'assistant') {
      const { textOf } = await import('coxswain');
      const text = textOf(item.message);
      if (text !== '') terminal.stdout.write(`${text}\n`);
    } else if (item.kind === 'outcome') {
      printNotice(terminal, paint.dim(ending(item.outcome)));
      return item.outcome.kind === 'completed' ? EXIT.ok : EXIT.failed;
    }
  }
  return EXIT.failed;
}

function progress({ state, attempt }: FollowItem & { readonly kind: 'state' }): string {
  if (state === 'waiting') return 'waiting for another worker';
  if (state === 'parked') return 'parked: no process waits for the answer, and any worker continues with it';
  return `${state} (attempt ${attempt})`;
}

function repeated({ attempt, outcome, afterMs }: FollowItem & { readonly kind: 'retry' }): string {
  return `attempt ${attempt} ended: ${ending(outcome)}; again in ${roughly(afterMs)}`;
}

function ending(outcome: TurnOutcome): string {
  return outcome.kind === 'completed'
    ? 'completed'
    : `${outcome.kind}${outcome.message === '' ? '' : `: ${outcome.message}`}`;
}
