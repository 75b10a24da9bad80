import { hostname } from 'node:os';
import type { Approval, AuditFilter, AuditRecord } from '@coxswain/fleet';
import { visible } from '@coxswain/inspector/text';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { printNotice, type Terminal } from '../terminal/terminal.ts';
import { approvingAnswer } from './approving-answer.ts';
import { placeFlags, roughly, shortly, userName } from './flag-values.ts';
import { type FleetFlags, withFleet } from './open.ts';
import { writeTable } from './write-table.ts';

export interface AnswerFlags extends FleetFlags {
  readonly by?: string;
  readonly hash?: string;
  readonly group?: readonly string[];
  readonly answer?: readonly string[];
}

export interface ApprovalFlags extends FleetFlags {
  readonly by?: string;
  readonly json?: boolean;
}

export interface AuditFlags extends FleetFlags {
  readonly approval?: string;
  readonly key?: string;
  readonly tenant?: string;
  readonly kind?: AuditRecord['kind'];
  readonly by?: string;
  readonly after?: number;
  readonly limit?: number;
  readonly json?: boolean;
}

/** Characters of a hash that are shown, and at least required. */
const HASH = { shown: 12, least: 8 };

const FROM = `cox on ${hostname()}`;

/** `cox fleet approvals`. */
export function approvals(flags: FleetFlags & { readonly json?: boolean }, terminal: Terminal): Promise<ExitCode> {
  return withFleet(flags, async (fleet) => {
    const found = await fleet.approvals();
    if (flags.json) for (const approval of found) terminal.stdout.write(`${JSON.stringify(approval)}\n`);
    else
      writeTable(
        terminal,
        ['APPROVAL', 'KEY', 'GROUPS', 'PARKED', 'TIME LEFT', 'HASH', 'TOOL', 'INPUT'],
        found.map((approval) => [
          approval.id,
          approval.key,
          approval.groups?.join(', ') ?? 'anyone',
          approval.parkedAt === null ? 'no' : `for ${roughly(Date.now() - approval.parkedAt)}`,
          timeLeft(approval),
          approval.hash.slice(0, HASH.shown),
          approval.request.toolName,
          shortly(approval.request.input),
        ]),
      );
    return EXIT.ok;
  });
}

/** `cox fleet approval`: shows the whole request, and records who saw it. */
export function approval(id: string, flags: ApprovalFlags, terminal: Terminal): Promise<ExitCode> {
  return withFleet(flags, async (fleet) => {
    const by = flags.by ?? userName();
    await fleet.seen(id, { by, from: FROM });
    const [found] = await fleet.approvals({ id });
    if (found === undefined) {
      printNotice(terminal, 'It no longer waits for an answer; "cox fleet audit" shows what happened to it.');
      return EXIT.failed;
    }
    const { stdout } = terminal;
    if (flags.json) {
      stdout.write(`${JSON.stringify(found)}\n`);
      return EXIT.ok;
    }
    const { key, turn, request, groups, hash, parkedAt } = found;
    for (const [name, value] of [
      ['conversation', key],
      ['turn', turn],
      ['groups', groups?.join(', ') ?? 'anyone'],
      [
        'parked',
        parkedAt === null
          ? 'no, a worker waits for the answer'
          : `for ${roughly(Date.now() - parkedAt)}, without a process`,
      ],
      ['time left', timeLeft(found)],
      ['hash', hash],
      ['tool', request.toolName],
    ])
      stdout.write(`${name}: ${visible(value ?? '')}\n`);
    for (const line of JSON.stringify(request.input, null, 2).split('\n')) stdout.write(`${visible(line)}\n`);
    const to = request.kind === 'question' ? 'To answer' : 'To allow exactly this';
    printNotice(terminal, `${to}: cox fleet ${approveCommand(found)}${placeFlags(flags)}`);
    return EXIT.ok;
  });
}

/** The command that approves a request, with the hash of what was shown, and a place for the answer to each question. */
export function approveCommand(approval: Pick<Approval, 'id' | 'hash' | 'groups' | 'request'>): string {
  const { id, hash, groups, request } = approval;
  const group = groups === null ? '' : ` --group ${groups[0]}`;
  const answers = request.kind === 'question' ? request.input.questions.map(() => ' --answer "…"').join('') : '';
  return `approve ${id} --hash ${hash.slice(0, HASH.shown)}${group}${answers}`;
}

/** `cox fleet approve` and `cox fleet deny`. @throws UsageError */
export async function answer(
  id: string,
  decision: 'approve' | 'deny',
  words: readonly string[],
  flags: AnswerFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const { hash: given } = flags;
  if (given === undefined && decision === 'approve')
    throw new UsageError(`Say what you approve: "cox fleet approval ${shortly(id)}" shows it; then add --hash.`);
  if (given !== undefined && !(given.length >= HASH.least && /^[0-9a-f]{1,64}$/.test(given)))
    throw new UsageError(`--hash must be the first ${HASH.least} or more characters of the hash.`);
  return withFleet(flags, async (fleet) => {
    const by = flags.by ?? userName();
    const reason = words.length === 0 ? `${by} refused it.` : words.join(' ');
    const [found] = await fleet.approvals({ id });
    // A wrong one, so that the fleet refuses and records it, if the hash begins differently, or the approval is closed.
    const hash = found?.hash.startsWith(given ?? '') ? found.hash : (given ?? '').padEnd(64, '0');
    const { group: groups } = flags;
    await fleet.answer(
      id,
      decision === 'approve' ? approvingAnswer(found?.request, flags.answer ?? []) : { decision: 'deny', reason },
      { by, hash, groups, from: FROM },
    );
    printNotice(terminal, `Answered as ${by}.`);
    return EXIT.ok;
  });
}

/** `cox fleet audit`. */
export function audit(flags: AuditFlags, terminal: Terminal): Promise<ExitCode> {
  const { approval: id, key, tenant, kind, by, after, limit } = flags;
  return withFleet(flags, async (fleet) => {
    const filter: AuditFilter = { approval: id, key, tenant, kind, by, after, limit };
    const records = await fleet.audit(filter);
    if (flags.json) for (const record of records) terminal.stdout.write(`${JSON.stringify(record)}\n`);
    else
      writeTable(
        terminal,
        ['N', 'TIME', 'APPROVAL', 'WHAT', 'BY', 'FROM', 'HASH', 'DETAIL'],
        records.map((record) => [
          String(record.n),
          new Date(record.at).toISOString(),
          record.approval,
          record.kind,
          record.by ?? (record.worker === null ? '' : `worker ${record.worker}`),
          record.from ?? '',
          record.hash?.slice(0, HASH.shown) ?? '',
          shortly(record.detail),
        ]),
      );
    return EXIT.ok;
  });
}

function timeLeft({ expiresAt, onExpiry }: Approval): string {
  if (expiresAt === null) return '';
  return `${roughly(expiresAt - Date.now())}, then ${onExpiry === 'escalate' ? 'escalated' : 'denied'}`;
}
