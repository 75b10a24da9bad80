import type { Context, Hono } from 'hono';
import type { AuditPage, EntriesPage, FramesPage, ServerInfo, TurnsPage } from '../api.ts';
import type { Hub } from '../conversations/hub.ts';
import { exportJson, exportMarkdown } from '../export/export.ts';
import { exportHtml } from '../export/export-html.ts';
import type { Pusher } from '../push/pusher.ts';
import { Refusal } from '../refusal.ts';
import { search } from '../search/search.ts';
import { withSpending } from '../stats/spending.ts';
import { type Env, LOCAL_USER } from './access.ts';
import { addChanges } from './changes.ts';
import { eventStream } from './event-stream.ts';
import type { ProgramList } from './programs.ts';

/** The parts of the server that the reading routes need. */
export interface ReadingParts {
  readonly hub: Hub;
  readonly info: Pick<ServerInfo, 'version' | 'readOnly' | 'demo'>;
  /** The list of the user's other programs, if it is shown. */
  readonly programs: ProgramList | undefined;
  /** Sends notifications, if that is set up. */
  readonly pusher: Pusher | undefined;
  /** Ends the event streams when aborted. */
  readonly closing: AbortSignal;
}

/** Largest number of items on a page. */
const PAGE = { conversations: 500, entries: 1_000, turns: 200, frames: 2_000, hits: 200, days: 366 };

/** The formats of exported conversations. */
const AS_JSON = { written: exportJson, ending: 'json', type: 'application/json' };
const EXPORTS = new Map([
  ['markdown', { written: exportMarkdown, ending: 'md', type: 'text/markdown' }],
  ['html', { written: exportHtml, ending: 'html', type: 'text/html' }],
]);

/** The routes that only read. */
export function addReading(app: Hono<Env>, { hub, info, programs, pusher, closing }: ReadingParts): void {
  app.get('/api/info', (context) => context.json(serverInfo(context.get('user'))));

  app.get('/api/conversations', async (context) => {
    await hub.refresh();
    const { state = '', outcome = '', q = '', key = '', model = '', source = '', day = '' } = context.req.query();
    const listed = (text: string): string[] => text.split(',').filter(Boolean);
    const filter = { states: listed(state), outcomes: listed(outcome), q, key, model, source, day };
    return context.json(hub.list(filter, number(context, 'offset', 0), count(context, 200, PAGE.conversations)));
  });

  app.get('/api/conversations/:id', async (context) => {
    const record = await hub.opened(context.req.param('id'));
    const by = context.get('user');
    if (by !== LOCAL_USER) void record.controls.seen?.({ by });
    return context.json(record.detail(hub.childrenOf(record.id)));
  });

  app.get('/api/conversations/:id/entries', async (context) => {
    const record = await hub.opened(context.req.param('id'));
    const cursor = hub.journal.cursorAt(hub.journal.seq);
    const { total } = record.entries;
    const { from, to } = windowOf(context, total, PAGE.entries);
    const entries = Array.from({ length: to - from }, (_, at) => record.entry(from + at)).filter(
      (entry) => entry !== undefined,
    );
    return context.json({ entries, from, total, cursor } satisfies EntriesPage);
  });

  app.get('/api/conversations/:id/parts/:part', async (context) => {
    const record = await hub.opened(context.req.param('id'));
    const part = context.req.param('part');
    const bytes = /^\d{1,9}$/.test(part) ? record.entries.part(Number(part)) : undefined;
    if (!bytes) throw new Refusal('not-found', 'This text is no longer available.');
    return context.body(new Uint8Array(bytes), 200, { 'content-type': 'text/plain; charset=utf-8' });
  });

  app.get('/api/conversations/:id/turns', async (context) => {
    const { timeline } = await hub.opened(context.req.param('id'));
    const { from, to } = windowOf(context, timeline.total, PAGE.turns);
    return context.json({ turns: timeline.window(from, to - from), from, total: timeline.total } satisfies TurnsPage);
  });

  addChanges(app, hub);

  app.get('/api/conversations/:id/export', async (context) => {
    const record = await hub.opened(context.req.param('id'));
    const { written, ending, type } = EXPORTS.get(context.req.query('format') ?? '') ?? AS_JSON;
    const name = `${record.id.replace(/[^\w-]/g, '_')}.${ending}`;
    return context.body(streamOf(written(record)), 200, {
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
    });
  });

  app.get('/api/approvals', (context) =>
    context.json({ approvals: hub.approvals.list(), answered: hub.approvals.answeredList() }),
  );

  app.get('/api/stats', async (context) => {
    const days = count(context, 30, PAGE.days, 'days');
    await Promise.all(hub.sources.map((source) => source.countTurns?.(days)));
    const report = hub.aggregates.report(days, Date.now(), (id) => hub.find(id)?.summary().title);
    const spent = await Promise.all(hub.sources.map((source) => source.spending?.(days) ?? []));
    return context.json(withSpending(report, spent.flat()));
  });

  app.get('/api/queues', async (context) => {
    const queues = await Promise.all(hub.sources.map((source) => source.queues?.() ?? []));
    return context.json({ queues: queues.flat() });
  });

  app.get('/api/audit', (context) =>
    context.json({ requests: hub.approvals.audited(), entries: hub.audits } satisfies AuditPage),
  );

  app.get('/api/recordings', (context) =>
    context.json({ recordings: hub.sources.flatMap((source) => source.recordings?.() ?? []) }),
  );

  app.get('/api/recordings/:id/frames', async (context) => {
    const limit = count(context, PAGE.frames, PAGE.frames);
    for (const source of hub.sources) {
      const page = await source.frames?.(context.req.param('id'), number(context, 'from', 0), limit);
      if (page) return context.json(page satisfies FramesPage);
    }
    throw new Refusal('not-found', 'There is no such recording here.');
  });

  app.get('/api/search', async (context) =>
    context.json(await search(hub, context.req.query('q') ?? '', count(context, 50, PAGE.hits))),
  );

  app.get('/api/events', (context) => {
    const { watch, after } = context.req.query();
    const cursor = context.req.header('last-event-id') ?? after;
    const signal = AbortSignal.any([context.req.raw.signal, closing]);
    return context.body(eventStream(hub, { watch, cursor, signal }), 200, {
      'content-type': 'text/event-stream; charset=utf-8',
      // Proxies must not buffer events.
      'x-accel-buffering': 'no',
      // The connection ends with the stream, so that a closing server does not wait for it.
      connection: 'close',
    });
  });

  const serverInfo = (user: string): ServerInfo => ({
    ...info,
    user: user === LOCAL_USER ? null : user,
    sources: hub.sources.map((source) => source.info),
    has: {
      queues: hub.sources.some(({ queues }) => queues !== undefined),
      recordings: hub.sources.some((source) => (source.recordings?.().length ?? 0) > 0),
      stats: hub.sources.some((source) => source.info.kind !== 'recording'),
      programs: programs !== undefined,
      push: pusher !== undefined,
    },
    cursor: hub.journal.cursorAt(hub.journal.seq),
  });
}

/** An integer in the query string. @throws Refusal */
function number(context: Context<Env>, name: string, otherwise: number): number {
  const text = context.req.query(name);
  if (text === undefined || text === '') return otherwise;
  if (!/^-?\d{1,9}$/.test(text)) throw new Refusal('bad-request', `${name} must be a whole number.`);
  return Number(text);
}

function count(context: Context<Env>, otherwise: number, most: number, name = 'limit'): number {
  return Math.min(Math.max(1, number(context, name, otherwise)), most);
}

function windowOf(context: Context<Env>, total: number, most: number): { from: number; to: number } {
  const wanted = number(context, 'from', 0);
  const from = Math.min(Math.max(0, wanted < 0 ? total + wanted : wanted), total);
  return { from, to: Math.min(total, from + count(context, Math.min(200, most), most)) };
}

function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => {
      await texts.return(undefined);
    },
  });
}
