import { describe, expect, it, vi } from 'vitest';
import { PendingRequests } from '../../src/control/pending.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';

fakeClock();

const TERMS = { kind: 'set_model', timeoutMs: 1_000, totalMs: 10_000 };
const sent = async (): Promise<void> => {};

function pendingRequests(limit = 64): { pending: PendingRequests; aborted: string[]; timedOut: string[] } {
  const aborted: string[] = [];
  const timedOut: string[] = [];
  const pending = new PendingRequests(limit, {
    aborted: (id) => void aborted.push(id),
    timedOut: (id, kind, ms) => void timedOut.push(`${kind} ${id} ${ms}`),
  });
  return { pending, aborted, timedOut };
}

describe('a control request', () => {
  it('[X-1, X-2] is sent with the id req_<n> and resolves to the answer with that id', async () => {
    const { pending } = pendingRequests();
    const ids: string[] = [];
    const send = async (id: string): Promise<void> => void ids.push(id);
    const first = pending.open(TERMS, send);
    const second = pending.open(TERMS, send);
    expect(ids).toEqual(['req_1', 'req_2']);
    expect(pending.list()).toMatchObject([{ id: 'req_1', kind: 'set_model' }, { id: 'req_2' }]);
    expect(pending.settle('req_2', { ok: true, body: { b: 2 } })).toBe(true);
    expect(pending.settle('req_1', { ok: true, body: { a: 1 } })).toBe(true);
    expect([await first, await second]).toEqual([{ a: 1 }, { b: 2 }]);
    expect(pending.list()).toEqual([]);
  });

  it('[X-2] resolves for a success without a body', async () => {
    const { pending } = pendingRequests();
    const answer = pending.open(TERMS, sent);
    pending.settle('req_1', { ok: true, body: undefined });
    expect(await answer).toBeUndefined();
  });

  it("[X-2] rejects with the CLI's message and code if the CLI refuses it", async () => {
    const { pending } = pendingRequests();
    const answer = pending.open(TERMS, sent);
    pending.settle('req_1', { ok: false, error: 'no such model', errorCode: 'not_found' });
    await expect(answer).rejects.toMatchObject({
      name: 'ControlRequestError',
      kind: 'set_model',
      errorCode: 'not_found',
      message: expect.stringContaining('no such model'),
    });
  });

  it('[X-2] rejects with the reason and is removed if it cannot be written', async () => {
    const { pending } = pendingRequests();
    await expect(pending.open(TERMS, async () => Promise.reject(new Error('the pipe is closed')))).rejects.toThrow(
      'the pipe is closed',
    );
    expect(pending.list()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the timeout of a control request', () => {
  it('[X-1, X-2] rejects with the kind and the id of the request', async () => {
    const { pending, timedOut } = pendingRequests();
    const answer = pending.open(TERMS, sent);
    const refused = expect(answer).rejects.toMatchObject({
      name: 'ControlTimeoutError',
      kind: 'set_model',
      requestId: 'req_1',
    });
    await pass(999);
    expect(pending.list()).toHaveLength(1);
    await pass(1);
    await refused;
    expect(pending.list()).toEqual([]);
    expect(timedOut).toEqual(['set_model req_1 1000']);
  });

  it('[X-1] restarts with each progress report', async () => {
    const { pending } = pendingRequests();
    const answer = pending.open(TERMS, sent);
    for (let i = 0; i < 5; i++) {
      await pass(900);
      pending.progress('req_1');
    }
    pending.settle('req_1', { ok: true, body: 'late, but alive' });
    expect(await answer).toBe('late, but alive');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('[X-1] has a total limit that progress reports do not extend', async () => {
    const { pending, timedOut } = pendingRequests();
    const refused = expect(pending.open(TERMS, sent)).rejects.toMatchObject({
      name: 'ControlTimeoutError',
      ms: 10_000,
    });
    for (let i = 0; i < 12; i++) {
      await pass(900);
      pending.progress('req_1');
    }
    await refused;
    expect(timedOut).toEqual(['set_model req_1 10000']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('[X-2] is not affected by progress of an unknown request', () => {
    const { pending } = pendingRequests();
    pending.progress('req_9');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('aborting a control request', () => {
  it('[X-3] withdraws the request and immediately rejects with the reason', async () => {
    const { pending, aborted } = pendingRequests();
    const controller = new AbortController();
    const answer = pending.open({ ...TERMS, signal: controller.signal }, sent);
    controller.abort(new Error('never mind'));
    await expect(answer).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'never mind' } });
    expect(aborted).toEqual(['req_1']);
    expect(pending.list()).toEqual([]);
    expect(pending.settle('req_1', { ok: true, body: 1 })).toBe(false);
  });

  it('[X-3] sends nothing if the request was not sent yet', async () => {
    const { pending, aborted } = pendingRequests();
    const send = vi.fn(sent);
    await expect(pending.open({ ...TERMS, signal: AbortSignal.abort() }, send)).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(send).not.toHaveBeenCalled();
    expect(aborted).toEqual([]);
  });

  it('[X-3] withdraws nothing after the answer and leaves no listener', async () => {
    const { pending, aborted } = pendingRequests();
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const answer = pending.open({ ...TERMS, signal: controller.signal }, sent);
    pending.settle('req_1', { ok: true, body: 1 });
    expect(await answer).toBe(1);
    controller.abort();
    expect(aborted).toEqual([]);
    expect(removed).toHaveBeenCalledOnce();
  });
});

describe('an answer without a waiting request', () => {
  it('[X-2] is dropped if it is late', async () => {
    const { pending } = pendingRequests();
    const answer = pending.open(TERMS, sent);
    const late = expect(answer).rejects.toThrow('within 1000 ms');
    await pass(1_000);
    await late;
    expect(pending.settle('req_1', { ok: true, body: 1 })).toBe(false);
  });

  it('[X-2] is dropped if its id is unknown', () => {
    expect(pendingRequests().pending.settle('req_7', { ok: false, error: 'x', errorCode: undefined })).toBe(false);
  });

  it('[X-2] is dropped if it is the second of two, even in one chunk', async () => {
    const { pending } = pendingRequests();
    const answer = pending.open(TERMS, sent);
    expect(pending.settle('req_1', { ok: true, body: 'first' })).toBe(true);
    expect(pending.settle('req_1', { ok: false, error: 'second', errorCode: undefined })).toBe(false);
    expect(await answer).toBe('first');
  });
});

describe('many control requests', () => {
  it('[S-11, X-2] are refused above the limit until one is answered', async () => {
    const { pending } = pendingRequests(2);
    const first = pending.open(TERMS, sent);
    const second = pending.open(TERMS, sent);
    await expect(pending.open(TERMS, sent)).rejects.toMatchObject({ name: 'TooManyPendingRequestsError', limit: 2 });
    pending.settle('req_1', { ok: true, body: 1 });
    await first;
    const third = pending.open(TERMS, sent);
    pending.settle('req_2', { ok: true, body: 2 });
    pending.settle('req_3', { ok: true, body: 3 });
    expect([await second, await third]).toEqual([2, 3]);
  });

  it('[S-10, X-2] fail together and immediately free their slots', async () => {
    const { pending } = pendingRequests(2);
    const both = [pending.open(TERMS, sent), pending.open(TERMS, sent)];
    pending.failAll(() => new Error('gone'));
    const goodbye = pending.open({ kind: 'end_session', timeoutMs: 1_000, totalMs: 1_000 }, sent);
    expect(await Promise.allSettled(both)).toMatchObject([
      { status: 'rejected', reason: { message: 'gone' } },
      { status: 'rejected', reason: { message: 'gone' } },
    ]);
    expect(pending.list()).toMatchObject([{ id: 'req_3', kind: 'end_session' }]);
    pending.settle('req_3', { ok: true, body: undefined });
    await goodbye;
    expect(vi.getTimerCount()).toBe(0);
  });
});
