// The contract between the server and the page: JSON types only, without runtime code.
//
// All paths are relative to the page (`api/info`, never `/api/info`), so that everything works behind a base path.
// Times are ms since the epoch, costs are US dollars, both as numbers. A field that may be unknown is `null`, never missing.
//
//   POST api/login                              LoginRequest → LoginAnswer
//   GET  api/info                               ServerInfo
//   GET  api/conversations                      ConversationsPage       ?state=&q=&key=&model=&source=&day=&offset=&limit=
//   GET  api/conversations/:id                  ConversationDetail
//   GET  api/conversations/:id/entries          EntriesPage             ?from=&limit=      a negative `from` counts from the end
//   GET  api/conversations/:id/parts/:part      the full text behind a cut, as text/plain (`Cut.more` is its URL)
//   GET  api/conversations/:id/turns            TurnsPage               ?from=&limit=      a negative `from` counts from the end
//   GET  api/conversations/:id/changes          ChangesPage
//   GET  api/conversations/:id/changes/diff     Diff, merged            ?path=
//   GET  api/conversations/:id/changes/patch    a patch, as text/plain  ?path=
//   GET  api/conversations/:id/export           a file                  ?format=json|markdown
//   POST api/conversations/:id/actions          Action → ActionResult
//   GET  api/approvals                          { approvals: Approval[]; answered: AnsweredApproval[] }
//   POST api/approvals/:id                      ApprovalAnswer → ActionResult
//   GET  api/stats                              Stats                   ?days=30
//   GET  api/queues                             { queues: QueueInfo[] }
//   POST api/queues/:id/actions                 QueueAction → ActionResult
//   GET  api/programs                           ProgramsPage
//   POST api/programs/:id/open                  {} → OpenedProgram
//   GET  api/audit                              AuditPage
//   GET  api/recordings                         { recordings: RecordingInfo[] }
//   GET  api/recordings/:id/frames              FramesPage              ?from=&limit=
//   GET  api/search                             SearchResult            ?q=&limit=
//   GET  api/push                               PushInfo
//   POST api/push                               PushSubscriber → { ok: true }
//   POST api/push/remove                        { endpoint } → { ok: true }
//   GET  api/events                             the event stream        ?watch=<conversation id>&after=<cursor>
//
// Every request has the header `x-coxswain-inspector` with the key from the login; every POST also has
// `content-type: application/json`. No key is needed for the page's own files, `api/login`, `api/hello` (an announced server proves
// its identity) and `api/proof` (page and server prove to each other that they have the key). Without a key, every other request
// fails with 401 `not-logged-in`. Errors have the type `ApiFailure`.

export type * from './api/actions.ts';
export type * from './api/approvals.ts';
export type * from './api/audit.ts';
export type * from './api/changes.ts';
export type * from './api/conversations.ts';
export type * from './api/cost.ts';
export type * from './api/events.ts';
export type * from './api/failure.ts';
export type * from './api/push.ts';
export type * from './api/server.ts';
export type * from './api/transcript.ts';
export type * from './api/turns.ts';
export type * from './api/views.ts';
