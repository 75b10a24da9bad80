import {
  type FleetAgent,
  isFleetError,
  openFleet,
  type Schedule,
  type Submission,
  serveHealth,
  startEmbedded,
  startWorker,
} from '@coxswain/fleet';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../src/fleet/connect.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import { checkedTimer } from '../../src/fleet/input.ts';
import { fleetTurn } from '../../src/fleet/turns.ts';
import { fleetLimits } from '../../src/limits.ts';
import { Worker } from '../../src/worker/worker.ts';
import { scriptedAgent } from '../support/agents.ts';

/** A connection that must not be used: invalid calls are refused before they reach the database. */
const untouchable = new Proxy({} as Connection, {
  get: (_target, part) => (part === 'embeddedUrl' ? undefined : new Proxy({}, { get: () => touched })),
});
function touched(): never {
  throw new Error('The database was asked.');
}
const fleet = new Fleet(untouchable);

/** Passes a value that the types forbid, as JavaScript callers can. */
const wrong = <T>(value: unknown): T => value as T;

const submission: Submission = { key: 'ann', prompt: 'Hello' };
const nightly: Schedule = { name: 'nightly', cron: '0 3 * * *', key: 'night', prompt: 'Run the tests.' };
const by = { by: 'ann', hash: 'a'.repeat(64) };
const worker = wrong<Worker>({});

describe('the input of a fleet', () => {
  it('[F-1, F-16] submit() refuses a field that a submission does not have, and a prompt that is too long', async () => {
    const misspelt = { ...submission, startAt: 60_000 };
    await expect(fleet.submit(misspelt)).rejects.toMatchObject({ code: 'submission', field: 'startAt' });
    const long = { ...submission, prompt: 'x'.repeat(33 * 1024 * 1024) };
    await expect(fleet.submit(long)).rejects.toMatchObject({ code: 'submission', field: 'prompt' });
    await expect(fleet.submit(submission, wrong({ wait: 1 }))).rejects.toMatchObject({ field: 'wait' });
    await expect(fleet.schedule({ ...nightly, startAfter: 5 } as Schedule)).rejects.toMatchObject({
      field: 'startAfter',
    });
  });

  it.each<[string, Partial<Record<keyof Submission, unknown>>]>([
    ['key', { key: '' }],
    ['key', { key: 7 }],
    ['key', { key: 'lone\ud800' }],
    ['key', { key: 'nul\0' }],
    ['key', { key: 'ä'.repeat(251) }],
    ['id', { id: null }],
    ['tenant', { tenant: '\0' }],
    ['prompt', { prompt: '' }],
    ['prompt', { prompt: [] }],
    ['prompt', { prompt: ['text'] }],
    ['prompt', { prompt: undefined }],
    ['priority', { priority: 1.5 }],
    ['priority', { priority: Number.NaN }],
    ['data', { data: 1n }],
    ['startAfter', { startAfter: 1e15 }],
    ['startAfter', { startAfter: Number.NaN }],
    ['startAfter', { startAfter: 'tomorrow' }],
    ['by', { by: '\0' }],
    ['traceparent', { traceparent: 'x\0' }],
    ['attributes', { attributes: null }],
    ['attributes', { attributes: { customer: 7 } }],
    ['attributes', { attributes: { '': 'x' } }],
    ['attributes', { attributes: { ['x'.repeat(101)]: 'x' } }],
    ['attributes', { attributes: { customer: 'lone\ud800' } }],
    ['attributes', { attributes: { customer: 'x'.repeat(501) } }],
    ['attributes', { attributes: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`a${n}`, 'x'])) }],
    ['maxUsdPerTurn', { maxUsdPerTurn: 0 }],
    ['maxUsdPerTurn', { maxUsdPerTurn: Number.NaN }],
    ['maxUsdPerTurn', { maxUsdPerTurn: '1' }],
  ])('[F-1, F-43, F-46] submit() refuses a wrong %s (%#)', async (field, given) => {
    const refused = fleet.submit({ ...submission, ...wrong<object>(given) });
    await expect(refused).rejects.toMatchObject({ code: 'submission', field });
    await expect(refused).rejects.toThrow(field);
  });

  it('[F-16, F-44] submit() and an agent refuse a wrong policy of retries, and name its field', async () => {
    const retry = wrong<{ attempts: number }>({ attempts: '3' });
    const refused = { code: 'submission', field: 'retry.attempts' };
    await expect(fleet.submit({ ...submission, retry })).rejects.toMatchObject(refused);
    await expect(fleet.schedule({ ...nightly, retry })).rejects.toMatchObject(refused);
    const agent = { ...scriptedAgent(), retry: wrong<object>({ when: 'always' }) };
    await expect(startWorker({ agent })).rejects.toMatchObject({ code: 'fleet-input', field: 'agent.retry.when' });
  });

  it('[F-46] an error about attributes does not quote them', async () => {
    const refused = fleet.submit({ ...submission, attributes: { customer: 'SECRET\0' } });
    await expect(refused).rejects.toThrow(/^(?!.*SECRET).*attributes/);
  });

  it.each<[string, unknown, unknown?]>([
    ['submissions', undefined],
    ['submissions', []],
    ['submissions', Array.from({ length: 1_001 }, () => submission)],
    ['submissions[1].prompt', [submission, { key: 'ann' }]],
    ['submissions[0].submission', [null]],
    ['submissions[2].id', ['a', 'b', 'a'].map((id) => ({ ...submission, id }))],
    ['submissions[1].id', [{ ...submission, id: 'g-2' }, submission], { group: 'g' }],
    ['submissions', [1, 2].map(() => ({ ...submission, prompt: 'x'.repeat(17 * 1024 * 1024) }))],
    ['group', [submission], { group: '' }],
    ['group', [submission], { group: 'g'.repeat(451) }],
  ])('[F-45] submitMany() refuses a list with a wrong %s (%#)', async (field, list, options = {}) => {
    const refused = fleet.submitMany(wrong(list), wrong(options));
    await expect(refused).rejects.toMatchObject({ code: 'submission', field });
  });

  it.each<[string, Record<string, unknown>]>([
    ['name', { name: '' }],
    ['name', { name: 'every night' }],
    ['name', { name: 'ü' }],
    ['name', { name: 'n'.repeat(5_000) }],
    ['name', { name: undefined }],
    ['cron', { cron: '0 0 3 * * *' }],
    ['cron', { cron: 'every day' }],
    ['cron', { cron: 5 }],
    ['timeZone', { timeZone: 'Mars/One' }],
    ['timeZone', { timeZone: '' }],
    ['key', { key: undefined }],
    ['prompt', { prompt: 'nul\0' }],
    ['data', { data: { text: 'lone\ud800' } }],
  ])('schedule() refuses a wrong %s (%#)', async (field, given) => {
    const refused = fleet.schedule({ ...nightly, ...wrong<object>(given) });
    await expect(refused).rejects.toMatchObject({ code: 'submission', field });
  });

  it.each([undefined, null, '', 7, {}, 'a\0', 'lone\ud800', 'x'.repeat(501)])(
    '[F-16] a malformed id counts as not found (%#)',
    async (id) => {
      const calls = [
        fleet.turn(wrong(id)),
        fleet.cancel(wrong(id)),
        fleet.resend(wrong(id)),
        fleet.answer(wrong(id), { decision: 'allow' }, by),
        fleet.transcript(wrong(id)),
        fleet.group(wrong(id)),
      ];
      for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'not-in-fleet' });
    },
  );

  it.each<[string, () => Promise<unknown>]>([
    ['options', () => fleet.answer('1', { decision: 'allow' }, wrong(undefined))],
    ['by', () => fleet.answer('1', { decision: 'allow' }, wrong({}))],
    ['hash', () => fleet.answer('1', { decision: 'allow' }, wrong({ by: 'ann' }))],
    ['hash', () => fleet.answer('1', { decision: 'allow' }, { by: 'ann', hash: 'A'.repeat(64) })],
    ['groups', () => fleet.answer('1', { decision: 'allow' }, { ...by, groups: wrong('release') })],
    ['groups', () => fleet.answer('1', { decision: 'allow' }, { ...by, groups: [''] })],
    ['from', () => fleet.answer('1', { decision: 'allow' }, { ...by, from: 'a\0' })],
    ['authorize', () => openFleet({ authorize: wrong('everybody') })],
    ['by', () => fleet.cancel('1', { by: '' })],
    ['limit', () => fleet.turns({ limit: -1 })],
    ['limit', () => fleet.approvals({ limit: Number.NaN })],
    ['limit', () => fleet.conversations({ limit: 1.5 })],
    ['filter', () => fleet.turns(wrong(null))],
    ['tenat', () => fleet.turns(wrong({ tenat: 'ann' }))],
    ['turn', () => fleet.approvals(wrong({ turn: '1' }))],
    ['key', () => fleet.conversations(wrong({ key: 'ann' }))],
    ['day', () => fleet.spend(wrong({ day: 1 }))],
    ['turnBefore', () => fleet.prune(wrong({ turnBefore: 5 }))],
    ['who', () => fleet.cancel('1', wrong({ who: 'ann' }))],
    ['note', () => fleet.answer('1', { decision: 'allow' }, wrong({ ...by, note: 'x' }))],
    ['path', () => fleet.transcript('ann', wrong({ path: 'x' }))],
    ['since', () => fleet.events(wrong({ since: '1.1' })).next()],
    [
      'since',
      () =>
        fleetTurn(untouchable, { id: '1', key: 'ann' })
          .follow(wrong({ since: 1 }))
          .next(),
    ],
    ['timeoutMs', () => fleetTurn(untouchable, { id: '1', key: 'ann' }).outcome(wrong({ timeoutMs: 1 }))],
    ['credentials', () => fleet.pause(null, wrong({ credentials: 'x' }))],
    ['folder', () => startEmbedded(wrong({ folder: '/nonexistent' }))],
    ['folder', () => openFleet({ embedded: wrong({ folder: '/nonexistent' }) })],
    ['timeout', () => Worker.prototype.drain.call(worker, wrong({ timeout: 1 }))],
    ['id', () => fleet.turns({ id: wrong(7) })],
    ['tenant', () => fleet.turns({ tenant: wrong(null) })],
    ['state', () => fleet.turns({ state: wrong('bogus') })],
    ['outcome', () => fleet.turns({ outcome: 'died' })],
    ['state', () => fleet.approvals({ state: wrong('open') })],
    ['key', () => fleet.approvals({ key: 'a\0' })],
    ['prefix', () => fleet.conversations({ prefix: 'a\0' })],
    ['subpath', () => fleet.transcript('ann', { subpath: 'a\0' })],
    ['after', () => fleet.events({ after: '1' }).next()],
    ['after', () => fleet.events({ after: '99999999999999999999.1' }).next()],
    ['after', () => fleetTurn(untouchable, { id: '1', key: 'ann' }).follow({ after: Number.NaN }).next()],
    [
      'after',
      () =>
        fleetTurn(untouchable, { id: '1', key: 'ann' })
          .follow({ after: wrong('5') })
          .next(),
    ],
    [
      'after',
      () =>
        fleetTurn(untouchable, { id: '1', key: 'ann' })
          .follow({ after: wrong(null) })
          .next(),
    ],
    ['waitMs', () => fleet.submit(submission, { waitMs: Number.NaN })],
    ['tenant', () => fleet.setQuota('', { maxConcurrent: 1 })],
    ['quota', () => fleet.setQuota('ann', wrong(undefined))],
    ['maxConcurrent', () => fleet.setQuota('ann', { maxConcurrent: -1 })],
    ['maxConcurrent', () => fleet.setQuota('ann', { maxConcurrent: 1.5 })],
    ['maxUsdPerDay', () => fleet.setQuota('ann', { maxUsdPerDay: Number.NaN })],
    ['maxUsdPerTurn', () => fleet.setQuota('ann', { maxUsdPerTurn: 0 })],
    ['maxUsdPerTurn', () => fleet.setQuota('ann', { maxUsdPerTurn: -1 })],
    ['groups', () => fleet.submitMany([submission], wrong({ groups: 'g' }))],
    ['open', () => fleet.groups({ open: wrong('yes') })],
    ['key', () => fleet.groups(wrong({ key: 'ann' }))],
    ['group', () => fleet.turns({ group: '' })],
    ['attributes', () => fleet.turns({ attributes: wrong('a=b') })],
    ['attributes', () => fleet.conversations({ attributes: { a: wrong(1) } })],
    ['maxConcurent', () => fleet.setQuota('ann', wrong({ maxConcurent: 1 }))],
    ['days', () => fleet.spend({ days: 0 })],
    ['name', () => fleet.unschedule(wrong(undefined))],
    ['until', () => fleet.pause(wrong(5))],
    ['until', () => fleet.pause(new Date(Number.NaN))],
    ['credential', () => fleet.pause(null, { credential: '' })],
    ['turnsBefore', () => fleet.prune({ turnsBefore: -5 })],
    ['turnsBefore', () => fleet.prune({ turnsBefore: Number.NaN })],
    ['turnsBefore', () => fleet.prune({ turnsBefore: new Date(Date.now() + 60_000) })],
    ['turnsBefore', () => fleet.prune({ turnsBefore: Date.now() - 30 * 24 * 3_600_000 })],
    ['conversationsBefore', () => fleet.prune({ conversationsBefore: wrong('30 days') })],
    ['options', () => fleet.prune(wrong(undefined))],
    ['schema', () => openFleet({ schema: 'No Schema' })],
    ['schema', () => openFleet({ schema: 'pg_fleet' })],
    ['schema', () => openFleet({ schema: 'information_schema' })],
    ['database', () => openFleet({ database: '' })],
    ['database', () => openFleet({ database: 'not a url' })],
    ['database', () => openFleet({ database: 'mysql://localhost/fleet' })],
    ['database', () => openFleet({ database: 'postgres://localhost:99999/fleet' })],
    ['connectTimeoutMs', () => openFleet({ database: 'postgres://none', connectTimeoutMs: Number.NaN })],
    ['limits.leaseMs', () => openFleet({ limits: { leaseMs: Number.NaN } })],
    ['limits.leaseMs', () => openFleet({ limits: { leaseMs: wrong<number>('5000') } })],
    ['limits.leaseMs', () => openFleet({ limits: { leaseMs: 0 } })],
    ['limits.connections', () => openFleet({ limits: { connections: 0 } })],
    ['shcema', () => openFleet(wrong<object>({ shcema: 'other' }))],
    ['agnet', () => startWorker(wrong<{ agent: FleetAgent }>({ agnet: scriptedAgent() }))],
    ['options', () => openFleet(wrong<object>(null))],
    ['agent', () => startWorker({ agent: wrong<FleetAgent>({}) })],
    // With a misspelt `approvals`, everybody could answer.
    [
      'agent.aprovals',
      () => startWorker({ agent: { ...scriptedAgent(), ...wrong<object>({ aprovals: () => ({}) }) } }),
    ],
    [
      'agent.approvals',
      () => startWorker({ agent: scriptedAgent(undefined, { approvals: wrong({ groups: ['a'] }) }) }),
    ],
    ['agent.parkAfterMs', () => startWorker({ agent: scriptedAgent(undefined, { parkAfterMs: Number.NaN }) })],
    ['agent.parkAfterMs', () => startWorker({ agent: scriptedAgent(undefined, { parkAfterMs: wrong('10s') }) })],
    ['agent.turn', () => startWorker({ agent: scriptedAgent(undefined, { turn: wrong({ timeoutMs: 5 }) }) })],
    ['agent.data', () => startWorker({ agent: scriptedAgent(undefined, { data: wrong({ type: 'object' }) }) })],
    ['agent.replay', () => startWorker({ agent: scriptedAgent(undefined, { replay: wrong('always') }) })],
    ['agent.workspace.prepare', () => startWorker({ agent: scriptedAgent(undefined, { workspace: wrong({}) }) })],
    ['slots', () => startWorker({ agent: scriptedAgent(), slots: 1.5 })],
    ['slots', () => startWorker({ agent: scriptedAgent(), slots: 0 })],
    ['slots', () => startWorker({ agent: scriptedAgent(), slots: 2 ** 31 })],
    ['credential', () => startWorker({ agent: scriptedAgent(), credential: '' })],
    ['limits.connections', () => openFleet({ limits: { connections: 1.5 } })],
    ['limits.maxAttempts', () => openFleet({ limits: { maxAttempts: 2.5 } })],
    ['embedded.startTimeoutMs', () => startEmbedded({ startTimeoutMs: Number.NaN })],
    ['port', () => serveHealth(wrong(worker), { port: Number.NaN })],
    ['port', () => serveHealth(wrong(worker), { port: 65_536 })],
    ['port', () => serveHealth(wrong(worker), wrong({}))],
    ['host', () => serveHealth(wrong(worker), { port: 0, host: '' })],
    ['options', () => serveHealth(wrong(worker), wrong(undefined))],
    ['timeoutMs', () => Worker.prototype.drain.call(worker, { timeoutMs: Number.NaN })],
    ['timeoutMs', () => Worker.prototype.drain.call(worker, { timeoutMs: -1 })],
    ['timeoutMs', () => Worker.prototype.drain.call(worker, { timeoutMs: wrong<number>('30') })],
    ['options', () => Worker.prototype.drain.call(worker, wrong(null))],
  ])('[F-16] a wrong %s is refused before anything is done (%#)', async (field, call) => {
    await expect(call()).rejects.toMatchObject({ code: 'fleet-input', field });
  });

  it.each([
    'yes',
    {},
    null,
    [],
    { decision: 'maybe' },
    { decision: 'constructor' },
    { decision: 'decideLater' },
    { decision: 'deny' },
    { decision: 'stopTurn', reason: 5 },
    { decision: 'allow', updatedInput: 'rm' },
    { decision: 'allow', updatedPermissions: {} },
    { decision: 'answerQuestions' },
    { decision: 'answerQuestions', answers: { 'Which?': 1 } },
    { decision: 'allow', updatedInput: { size: 1n } },
  ])('[F-8] answer() refuses an invalid answer (%#)', async (answer) => {
    await expect(fleet.answer('1', wrong(answer), by)).rejects.toMatchObject({ code: 'fleet-input', field: 'answer' });
  });

  it('an id that is not a valid name does not reach the database', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        const isName = text !== '' && !/[\0\p{Surrogate}]/u.test(text);
        const error = await fleet.turn(text).catch((reason: unknown) => reason);
        expect(isFleetError(error, 'not-in-fleet')).toBe(!isName);
      }),
      { numRuns: 200 },
    );
  });

  it('[F-16] a time that exceeds the longest timer is limited to it and does not end at once', () => {
    expect(checkedTimer('timeoutMs', Number.POSITIVE_INFINITY)).toBe(2 ** 31 - 1);
    expect(checkedTimer('timeoutMs', 250)).toBe(250);
  });

  it('[F-16] limits have defaults, also for undefined; an unknown name is refused', () => {
    expect(fleetLimits({ leaseMs: wrong(undefined), flushMs: 0 })).toMatchObject({ leaseMs: 15_000, flushMs: 0 });
    expect(() => fleetLimits(wrong({ lease: 5 }))).toThrow('limits.lease');
    expect(() => fleetLimits({ pollMs: 1e12 })).toThrow('limits.pollMs');
  });
});
