// The contract between the server and the page: JSON shapes only, nothing that exists at run time.
//
// All paths are relative to the page (`api/info`, never `/api/info`), so that everything works behind a base path.
// Times are ms since the epoch, costs are US dollars, both as numbers. A field that may be unknown is `null`, never missing.
//
//   POST api/login                              LoginRequest → 204 and the cookie
//   GET  api/info                               ServerInfo
//   GET  api/conversations                      ConversationsPage       ?state=&q=&key=&model=&source=&day=&offset=&limit=
//   GET  api/conversations/:id                  ConversationDetail
//   GET  api/conversations/:id/entries          EntriesPage             ?from=&limit=      a negative `from` counts from the end
//   GET  api/conversations/:id/parts/:part      the whole of what was cut, as text/plain (`Cut.more` is its URL)
//   GET  api/conversations/:id/turns            TurnsPage               ?from=&limit=      a negative `from` counts from the end
//   GET  api/conversations/:id/export           a file                  ?format=json|markdown
//   POST api/conversations/:id/actions          Action → ActionResult
//   GET  api/approvals                          { approvals: Approval[]; answered: AnsweredApproval[] }
//   POST api/approvals/:id                      ApprovalAnswer → ActionResult
//   GET  api/stats                              Stats                   ?days=30&conversation=
//   GET  api/queues                             { queues: QueueInfo[] }
//   GET  api/audit                              { entries: AuditEntry[] }, the newest first
//   GET  api/recordings                         { recordings: RecordingInfo[] }
//   GET  api/recordings/:id/frames              FramesPage              ?from=&limit=
//   GET  api/search                             SearchResult            ?q=&limit=
//   GET  api/events                             the event stream        ?watch=<conversation id>&after=<cursor>
//
// Every POST carries `content-type: application/json` and the header `x-coxswain-inspector: 1`. Everything except the page's
// own files and `api/login` needs the cookie (401 `not-logged-in` without it). Errors have the shape `ApiFailure`.

// ---------------------------------------------------------------- the server

/** The header that every POST must carry, in lower case, and its value. */
export interface CsrfHeader {
  readonly 'x-coxswain-inspector': '1';
}

/** The token comes from the URL's fragment: `#token=…`. The page removes it from the address bar. */
export interface LoginRequest {
  readonly token: string;
}

/** What the page needs to know about its server. */
export interface ServerInfo {
  /** The release of @coxswain/inspector. */
  readonly version: string;
  /** No action is possible; every POST except the login answers 403 `read-only`. */
  readonly readOnly: boolean;
  /** The page shows scripted agents. */
  readonly demo: boolean;
  /** The name under which the answers of this browser are kept; `null` for the one user of this machine. */
  readonly user: string | null;
  readonly sources: readonly SourceInfo[];
  /** Whether there are queues (`api/queues`), recordings and so on, so that the page can hide empty views. */
  readonly has: { readonly queues: boolean; readonly recordings: boolean; readonly stats: boolean };
  /** Where the event stream is now. */
  readonly cursor: Cursor;
}

/** Where conversations come from. */
export type SourceKind = 'process' | 'disk' | 'recording' | 'fleet';

/** One source of the server. */
export interface SourceInfo {
  readonly id: string;
  readonly kind: SourceKind;
  /** For people: `this process`, a folder, a file, a database without its password. */
  readonly label: string;
}

/** A place in the event stream; opaque. Pass it as `after`, or let EventSource send it as `Last-Event-ID`. */
export type Cursor = string;

/** The body of every answer that is not 2xx. */
export interface ApiFailure {
  readonly error: {
    readonly code: ApiErrorCode;
    /** One or two sentences for people: what happened and what to do. */
    readonly message: string;
    /** With `already-answered`: who was first, and with what. */
    readonly answered?: AnsweredApproval;
  };
}

/** Why a request failed. */
export type ApiErrorCode =
  | 'not-logged-in'
  | 'wrong-token'
  | 'wrong-host'
  | 'wrong-origin'
  | 'missing-header'
  | 'read-only'
  | 'not-found'
  | 'bad-request'
  | 'too-large'
  | 'already-answered'
  /** The conversation cannot do that now, such as interrupt when nothing runs. */
  | 'not-possible'
  /** The agent or the CLI failed to do it; `message` says why. */
  | 'failed';

// ---------------------------------------------------------------- conversations

/**
 * `needs-me`: an approval is open. `running`: a turn runs. `waiting`: something is to run and cannot yet (queued, paused,
 * restarting, background work). `idle`: open, nothing to do. `done`: closed, or on disk only. `failed`: ended by an error.
 */
export type ConversationState = 'needs-me' | 'running' | 'waiting' | 'idle' | 'done' | 'failed';

/** One conversation in the list. */
export interface Conversation {
  /** Unique in this server and safe in a URL. Stays the same when the server starts again, if the conversation does. */
  readonly id: string;
  /** The id of its source. */
  readonly source: string;
  readonly kind: SourceKind;
  /** The CLI's session id. */
  readonly sessionId: string | null;
  /** Its title, else the beginning of its first prompt; '' if it has neither yet. One line, at most 200 characters. */
  readonly title: string;
  readonly state: ConversationState;
  /** More about the state in a few words: `rate limit until 14:05`, `restarting (2)`, the outcome, the error. */
  readonly stateNote: string | null;
  readonly model: string | null;
  readonly cost: CostInfo;
  readonly startedAt: number | null;
  readonly updatedAt: number;
  /** The conversation it was forked from, if the server knows that one. */
  readonly parent: string | null;
  /** The key in its pool or fleet. */
  readonly key: string | null;
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  /** How many entries the transcript has; `null` if it has not been read yet. */
  readonly entries: number | null;
  /** How many turns have ended. */
  readonly turns: number;
  /** How many approvals are open. */
  readonly approvals: number;
  readonly warnings: number;
  readonly errors: number;
  /** What can be done now; empty in read-only mode. */
  readonly actions: readonly ActionName[];
}

/** Cost and tokens. */
export interface CostInfo {
  readonly usd: number;
  readonly tokens: Tokens;
  /** False if the real cost may be higher. */
  readonly complete: boolean;
}

/** Tokens by how they are priced. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheCreation: number;
}

/** The newest first, those that need a person before the others. */
export interface ConversationsPage {
  readonly conversations: readonly Conversation[];
  /** How many match the filter. */
  readonly total: number;
  /** How many there are in each state, whatever the filter. */
  readonly states: Readonly<Record<ConversationState, number>>;
  readonly cursor: Cursor;
}

/** One conversation with what the right column shows. */
export interface ConversationDetail {
  readonly conversation: Conversation;
  readonly costByModel: Readonly<Record<string, CostInfo>>;
  readonly approvals: readonly Approval[];
  readonly tasks: readonly TaskInfo[];
  /** Tools, MCP servers and the like, as the CLI said at its start. */
  readonly setup: Readonly<Record<string, string>>;
  /** Forks of this conversation. */
  readonly children: readonly string[];
  readonly cursor: Cursor;
}

/** A background task or a subagent that runs on its own. */
export interface TaskInfo {
  readonly id: string;
  readonly description: string;
  readonly state: 'running' | 'ended';
  /** The CLI's word for how it ended. */
  readonly status: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

// ---------------------------------------------------------------- the transcript

/** A window of the transcript. */
export interface EntriesPage {
  readonly entries: readonly Entry[];
  /** The number of the first entry here. */
  readonly from: number;
  readonly total: number;
  readonly cursor: Cursor;
}

/**
 * One entry of the transcript. `n` counts from 0 without gaps and never changes; the rest of an entry may change until it is
 * finished (text that streams, a tool that runs): a later entry with the same `n` replaces it.
 */
export type Entry = EntryHead &
  (
    | PromptEntry
    | TextEntry
    | ThinkingEntry
    | ToolEntry
    | SystemEntry
    | WarningEntry
    | ErrorEntry
    | ResultEntry
    | AuditNote
  );

/** What all entries have. */
export interface EntryHead {
  readonly n: number;
  readonly at: number | null;
  /** The turn it belongs to; `null` for the CLI's own work, and where the source does not say. */
  readonly turn: string | null;
  /** The tool use that started the subagent which said this (`ToolEntry.id`); `null` in the main conversation. */
  readonly parent: string | null;
  /** How deep it is nested: 0 in the main conversation. */
  readonly depth: number;
}

/** A text, cut if it is long. */
export interface Cut {
  readonly text: string;
  /** The length of the whole text, in characters. */
  readonly length: number;
  /** The URL of the whole, relative to the page; `null` if `text` is the whole. */
  readonly more: string | null;
}

/** What a person, or a program, sent. */
export interface PromptEntry {
  readonly kind: 'prompt';
  readonly text: Cut;
  /** Images and documents that were sent along. */
  readonly attachments: number;
  /** `steer`: added to a running turn. `cli`: written by the CLI itself. */
  readonly from: 'user' | 'steer' | 'cli';
  /** The name of the inspector's user who sent it from the page. */
  readonly by: string | null;
}

/** An answer of the model, in Markdown. */
export interface TextEntry {
  readonly kind: 'text';
  readonly text: Cut;
  readonly model: string | null;
  /** More will come, by `delta` events. */
  readonly streaming: boolean;
}

/** A thought of the model. `text` is empty if the API withheld it. */
export interface ThinkingEntry {
  readonly kind: 'thinking';
  readonly text: Cut;
  readonly streaming: boolean;
  readonly durationMs: number | null;
}

/** A tool call and what came of it. */
export interface ToolEntry {
  readonly kind: 'tool';
  /** The id of the tool use; entries of its subagent have it as `parent`. */
  readonly id: string;
  readonly name: string;
  /** The part of the input that tells most, on one line: the command, the path, the pattern, the URL. */
  readonly argument: string;
  /** The input as JSON, indented. */
  readonly input: Cut;
  /** `asking`: an approval is open. `refused`: by a person, a rule or a hook. `lost`: its turn ended without a result. */
  readonly state: 'running' | 'asking' | 'ok' | 'failed' | 'refused' | 'lost';
  readonly result: Cut | null;
  readonly diff: Diff | null;
  /** Of an Agent/Task call. */
  readonly subagent: { readonly type: string | null; readonly description: string | null } | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly durationMs: number | null;
}

/** The change that Edit, MultiEdit or Write makes. */
export interface Diff {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
  /** The file is new. */
  readonly created: boolean;
  /** The URL of the whole diff as unified text, if `hunks` was cut. */
  readonly more: string | null;
}

/** One hunk of a diff. */
export interface Hunk {
  /** The first line in the old and in the new file, counted from 1; `null` if only the fragment is known. */
  readonly oldStart: number | null;
  readonly newStart: number | null;
  /** Each with ' ', '+' or '-' in front. */
  readonly lines: readonly string[];
}

/** Something the CLI reported: its start, a compaction, a retry, a hook, a task, a state of the session. */
export interface SystemEntry {
  readonly kind: 'system';
  /** The kind of report, such as `init`, `compact_boundary`, `api_retry`, `restarting`. */
  readonly subtype: string;
  /** One line for people. */
  readonly text: string;
  /** The report as JSON. */
  readonly detail: Cut | null;
}

/** A warning of the SDK. */
export interface WarningEntry {
  readonly kind: 'warning';
  readonly code: string;
  readonly message: string;
  /** What to do about it; '' if the table does not say. */
  readonly remedy: string;
  readonly detail: Cut | null;
}

/** An error of the SDK, of the API or of the run. */
export interface ErrorEntry {
  readonly kind: 'error';
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly detail: Cut | null;
}

/** The end of a turn. */
export interface ResultEntry {
  readonly kind: 'result';
  /** `completed`, `interrupted`, `max-turns`, `no-result`, …: `outcomeOf(result).kind`. */
  readonly outcome: string;
  readonly ok: boolean;
  /** What the CLI said about an outcome that is not `completed`. */
  readonly message: string;
  readonly cost: CostInfo | null;
  readonly durationMs: number | null;
}

/** Something that was done from the inspector, in its place in the transcript. */
export interface AuditNote {
  readonly kind: 'audit';
  readonly audit: AuditEntry;
}

// ---------------------------------------------------------------- the timeline

/** A window of the turns. */
export interface TurnsPage {
  readonly turns: readonly TurnInfo[];
  readonly from: number;
  readonly total: number;
}

/** One turn and what ran in it. */
export interface TurnInfo {
  readonly id: string;
  /** The beginning of its prompt. */
  readonly title: string;
  /** The number of its first entry. */
  readonly firstEntry: number | null;
  readonly startedAt: number;
  /** `null` while it runs. */
  readonly endedAt: number | null;
  readonly outcome: string | null;
  readonly cost: CostInfo | null;
  readonly spans: readonly Span[];
  /** How many spans were left out because there are too many. */
  readonly spansLeftOut: number;
}

/** Something that took time in a turn. */
export interface Span {
  readonly id: string;
  readonly kind: 'tool' | 'hook' | 'permission' | 'subagent' | 'task';
  readonly name: string;
  /** The span it belongs to: the subagent's. */
  readonly parent: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** `ok`, `failed`, or the decision. */
  readonly outcome: string | null;
  /** The entry that shows it. */
  readonly entry: number | null;
}

// ---------------------------------------------------------------- approvals

/** A request that waits for a person. */
export interface Approval {
  readonly id: string;
  readonly conversation: string;
  /** The title of the conversation. */
  readonly conversationTitle: string;
  readonly kind: 'tool' | 'question' | 'plan';
  readonly tool: string;
  readonly argument: string;
  /** What would run: the command, the diff's path, or the input as JSON. For a plan its Markdown, for a question ''. */
  readonly what: Cut;
  /** The input as JSON, for Edit; `null` if it is too large to be edited here. */
  readonly input: string | null;
  readonly diff: Diff | null;
  readonly questions: readonly Question[];
  /** Why the CLI asks. */
  readonly reason: string | null;
  readonly blockedPath: string | null;
  /** What the model says about the call. */
  readonly description: string | null;
  /** The subagent that asks. */
  readonly agent: string | null;
  /** Rules that can be accepted along with it. */
  readonly suggestions: readonly Suggestion[];
  /** Which scopes have suggestions: without `session` and `always` only `once` can be chosen. */
  readonly scopes: readonly ApprovalScope[];
  readonly requestedAt: number;
  /** The number of its tool entry. */
  readonly entry: number | null;
}

/** `once`: this call. `session`: until the session ends. `always`: kept in the settings. */
export type ApprovalScope = 'once' | 'session' | 'always';

/** A rule that the CLI suggests. */
export interface Suggestion {
  /** `Bash(npm test:*)`, `edits in /srv/app`, `mode acceptEdits`. */
  readonly rule: string;
  /** Where it is kept: `this session`, `.claude/settings.local.json`, … */
  readonly destination: string;
  readonly scope: 'session' | 'always';
}

/** One question with choices. */
export interface Question {
  readonly question: string;
  readonly header: string;
  readonly multiSelect: boolean;
  readonly options: readonly { readonly label: string; readonly description: string }[];
}

/**
 * The body of POST api/approvals/:id. `session` and `always` accept the suggestions of that scope. `input` (JSON text)
 * replaces the tool's input. `answers` are by the text of the question; several choices as a list; free text is allowed.
 */
export type ApprovalAnswer =
  | { readonly decision: 'allow'; readonly scope: ApprovalScope; readonly input?: string }
  | { readonly decision: 'deny'; readonly reason: string; readonly interrupt?: boolean }
  | { readonly decision: 'answer'; readonly answers: Readonly<Record<string, string | readonly string[]>> };

/** A request that needs no person any more. */
export interface AnsweredApproval {
  readonly id: string;
  readonly conversation: string;
  /** `allow`, `deny`, `answerQuestions`, or why nothing was decided: `cancelled`, `timeout`, `stopped`. */
  readonly decision: string;
  /** Who answered here; `null` if the program did, or nobody. */
  readonly by: string | null;
  readonly at: number;
}

// ---------------------------------------------------------------- actions

/** What can be done with a conversation. */
export type ActionName = Action['action'];

/** The body of POST api/conversations/:id/actions. */
export type Action =
  /** Sends a prompt; it waits its turn. */
  | { readonly action: 'send'; readonly text: string }
  /** Adds to the running turn. */
  | { readonly action: 'steer'; readonly text: string }
  | { readonly action: 'interrupt' }
  /** Takes a waiting turn or job out of the queue, or interrupts the running one. Without `turn`: the newest. */
  | { readonly action: 'cancel'; readonly turn?: string }
  /** Continues in a copy: the answer names the new conversation. */
  | { readonly action: 'fork'; readonly text?: string }
  /** Continues a conversation that has no process: the answer names the live one. */
  | { readonly action: 'resume'; readonly text?: string }
  | { readonly action: 'rename'; readonly title: string }
  | { readonly action: 'close' };

/** The answer to an action that worked. */
export interface ActionResult {
  readonly ok: true;
  /** The conversation to look at next, if it is another one. */
  readonly conversation: string | null;
}

/** Who did what, and when. */
export interface AuditEntry {
  readonly at: number;
  /** The name from the server's auth hook, else `local`. */
  readonly by: string;
  readonly conversation: string;
  /** `allow`, `deny`, `answer`, or the name of the action. */
  readonly action: string;
  /** For people: `Bash: npm test, for this session`. */
  readonly note: string;
  /** What came of it: `null` if it worked, else the error. */
  readonly error: string | null;
}

// ---------------------------------------------------------------- plots

/** What the plots show. Days are those of the server's time zone. */
export interface Stats {
  readonly days: readonly DayStats[];
  readonly total: CostInfo;
  readonly byModel: Readonly<Record<string, CostInfo>>;
  /** The dearest conversations, at most 20. */
  readonly top: readonly { readonly conversation: string; readonly title: string; readonly usd: number }[];
}

/** One day; days without turns are there with zeros. */
export interface DayStats {
  /** `2026-11-16`. */
  readonly day: string;
  readonly models: Readonly<Record<string, CostInfo>>;
  readonly usd: number;
  readonly tokens: Tokens;
  readonly turns: number;
  readonly failed: number;
  /** How long turns took; `null` without turns. */
  readonly latencyMs: { readonly p50: number; readonly p95: number } | null;
}

// ---------------------------------------------------------------- queues: pools and fleets

/** A pool or a fleet. */
export interface QueueInfo {
  readonly source: string;
  readonly label: string;
  readonly state: string;
  readonly slots: number;
  readonly queued: number;
  readonly running: number;
  readonly ended: Readonly<Record<string, number>>;
  readonly pauses: readonly { readonly scope: string; readonly reason: string; readonly until: number }[];
  readonly workers: readonly WorkerInfo[];
  /** Turns that wait, and those that will not run again. */
  readonly waiting: readonly QueuedTurn[];
  readonly dead: readonly QueuedTurn[];
}

/** A worker of a fleet. */
export interface WorkerInfo {
  readonly id: string;
  readonly name: string;
  readonly state: 'working' | 'draining' | 'lost';
  readonly slots: number;
  readonly busy: number;
  readonly seenAt: number;
}

/** A turn in a queue. */
export interface QueuedTurn {
  readonly id: string;
  readonly key: string | null;
  readonly conversation: string | null;
  readonly title: string;
  readonly since: number;
  readonly note: string | null;
}

// ---------------------------------------------------------------- recordings

/** A run of a cassette. It is a conversation, too (`conversation`), with everything in it from the start. */
export interface RecordingInfo {
  readonly id: string;
  readonly file: string;
  readonly run: number;
  readonly title: string;
  readonly recordedAt: number | null;
  readonly cliVersion: string | null;
  readonly durationMs: number;
  readonly frames: number;
  readonly conversation: string;
}

/**
 * The steps of a recording, in order: at `atMs` since its start the entry was, or became, this. What was to be seen at a
 * moment is the last frame of each `n` up to it.
 */
export interface FramesPage {
  readonly frames: readonly Frame[];
  readonly from: number;
  readonly total: number;
  readonly durationMs: number;
}

/** One step. */
export interface Frame {
  readonly atMs: number;
  readonly entry: Entry;
}

// ---------------------------------------------------------------- search

/** Where a text occurs, in titles and transcripts. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** False if the search stopped at its limit of hits or time. */
  readonly complete: boolean;
}

/** One place. */
export interface SearchHit {
  readonly conversation: string;
  readonly title: string;
  /** The entry; `null` for a hit in the title. */
  readonly entry: number | null;
  readonly at: number | null;
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

// ---------------------------------------------------------------- the event stream

/**
 * One event of `api/events`: an SSE message without an `event:` line, whose `data:` is this JSON and whose `id:` is a
 * `Cursor`. EventSource resumes by itself; nothing is lost or sent twice. `entry`, `delta`, `rewritten` and `turn` come only
 * for the conversation named by `watch`. Start it with the `cursor` of what was fetched before.
 */
export type ServerEvent =
  /**
   * The first event if there was no cursor, or the cursor is too old or of an earlier server: forget everything, take this
   * (the first page of the list) and fetch the watched transcript again.
   */
  | { readonly type: 'snapshot'; readonly page: ConversationsPage; readonly approvals: readonly Approval[] }
  /** New, or changed. */
  | { readonly type: 'conversation'; readonly conversation: Conversation }
  | { readonly type: 'conversation-removed'; readonly conversation: string }
  /** New, or changed: replaces the entry with the same `n`. */
  | { readonly type: 'entry'; readonly conversation: string; readonly entry: Entry }
  /** Text to append to the streaming entry `n`, which had `offset` characters before. Ignore it if that is not so. */
  | {
      readonly type: 'delta';
      readonly conversation: string;
      readonly n: number;
      readonly offset: number;
      readonly text: string;
    }
  /** The transcript is another one now (rewound, compacted, cleared): fetch it again. */
  | { readonly type: 'rewritten'; readonly conversation: string }
  | { readonly type: 'turn'; readonly conversation: string; readonly turn: TurnInfo }
  | { readonly type: 'approval'; readonly approval: Approval }
  | { readonly type: 'approval-answered'; readonly answered: AnsweredApproval }
  | { readonly type: 'audit'; readonly audit: AuditEntry }
  /** `api/stats` gives other figures now. One stands for many changes, but there may be several a second. */
  | { readonly type: 'stats-changed' }
  /** `api/queues` gives something else now. */
  | { readonly type: 'queues-changed' }
  /** The server closes; the page tries again by itself. */
  | { readonly type: 'bye' };
