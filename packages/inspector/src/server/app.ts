import { type Context, Hono } from 'hono';
import type { LoginAnswer } from '../api.ts';
import { Refusal } from '../refusal.ts';
import type { Access, Env } from './access.ts';
import { bodyOf } from './bodies.ts';
import type { PageFile } from './page-files.ts';
import { addPrograms } from './programs.ts';
import { addPush } from './push.ts';
import { addReading, type ReadingParts } from './reading.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { addSteering } from './steering.ts';

/** The parts of the server. */
export interface AppParts extends ReadingParts {
  readonly access: Access;
  readonly page: ReadonlyMap<string, PageFile>;
  readonly basePath: string;
  /** Called with unexpected errors. */
  readonly onError: (error: unknown) => void;
}

/** Creates the server: the page, and its API behind the checks. */
export function createApp(parts: AppParts): Hono<Env> {
  const { access, basePath } = parts;
  const app = new Hono<Env>({ strict: false }).basePath(basePath);
  app.use('*', async (context, next) => {
    access.checkHost(context.req.raw);
    await next();
    setHeaders(context);
  });
  app.onError((error, context) => {
    if (!(error instanceof Refusal)) parts.onError(error);
    const refusal =
      error instanceof Refusal ? error : new Refusal('failed', 'The inspector could not answer. Try again.');
    setHeaders(context);
    // The rest of the body is not read.
    if (refusal.code === 'too-large') context.header('connection', 'close');
    return context.json(refusal.body, refusal.status);
  });
  app.use('/api/*', async (context, next) => {
    access.checkSender(context.req.raw);
    context.header('cache-control', 'no-store');
    await next();
  });
  app.post('/api/login', async (context) => {
    const { token } = await bodyOf(context.req.raw);
    return context.json({ key: access.login(typeof token === 'string' ? token : '') } satisfies LoginAnswer);
  });
  app.get('/api/hello', (context) => context.text(access.prove(context.req.query('nonce') ?? '')));
  app.get('/api/proof', (context) => context.text(access.proveToPage(context.req.query())));
  app.use('/api/*', async (context, next) => {
    context.set('user', await access.user(context.req.raw));
    await next();
  });
  addReading(app, parts);
  addSteering(app, parts.hub);
  if (parts.pusher) addPush(app, parts.pusher);
  if (parts.programs) addPrograms(app, parts.hub, parts.programs);
  app.all('/api/*', () => {
    throw new Refusal('not-found', 'There is nothing at this address.');
  });
  app.get('*', (context) => servePage(context, parts));
  app.all('*', () => {
    throw new Refusal('not-found', 'There is nothing at this address.');
  });
  return app;
}

function setHeaders(context: Context<Env>): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.header(name, value);
}

/** A file of the page by its exact path; deep links are in the fragment. */
function servePage(context: Context<Env>, { page, basePath }: AppParts): Response {
  const { pathname } = new URL(context.req.url);
  // Relative URLs need the trailing slash.
  if (basePath !== '' && pathname === basePath) return context.redirect(`${basePath}/`, 308);
  const path = pathname.slice(basePath.length + 1) || 'index.html';
  const file = page.get(path);
  if (!file) throw new Refusal('not-found', 'There is nothing at this address.');
  const gzip = /\bgzip\b/.test(context.req.header('accept-encoding') ?? '');
  return context.body(gzip ? file.gzipped : file.body, 200, {
    'content-type': file.type,
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    ...(gzip && { 'content-encoding': 'gzip' }),
  });
}
