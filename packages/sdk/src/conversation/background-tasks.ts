import { textOf, toolResultsOf } from '../messages/content.ts';
import type { EventBody } from '../report/events.ts';
import type { Message } from '../wire/messages.ts';
import { VersionedMap } from './versioned-map.ts';

/** Maximum number of tracked tasks, and maximum length of an id: an agent can start any number. Nothing waits for further ones. */
export const MOST_TASKS = 10_000;
const LONGEST_ID = 200;

/** The background work of a session, judging by the frames so far. */
export interface BackgroundTasks {
  /** Tasks that have started and whose end was not reported. */
  readonly open: VersionedMap<true>;
  /** Ended tasks that the CLI still has to report to the model, each with the tool call that started it. */
  readonly owed: VersionedMap<string | undefined>;
  /** The same tasks by their tool calls. */
  readonly owedByCall: VersionedMap<string>;
  /** The end of a task was reported since the last result; the CLI may start a run without a prompt to handle it. */
  readonly reported: boolean;
}

export const noTasks: BackgroundTasks = {
  open: new VersionedMap(),
  owed: new VersionedMap(),
  owedByCall: new VersionedMap(),
  reported: false,
};

/** The open tasks with one more; the same when it is open, its id is too long, or there are too many. */
export function withTask(open: VersionedMap<true>, id: string): VersionedMap<true> {
  return isFollowed(id) && !open.has(id) && open.size < MOST_TASKS ? open.with(id, true) : open;
}

/** True while a task is open, or the CLI still has to report one to the model. */
export function hasOpenTasks({ open, owed }: BackgroundTasks): boolean {
  return open.size > 0 || owed.size > 0;
}

/** The tasks after a frame; the same object when the frame changes nothing. */
export function trackTasks(tasks: BackgroundTasks, message: Message): BackgroundTasks {
  if (message.type === 'system') return trackSystem(tasks, message);
  if (message.type !== 'user' || !hasOpenTasks(tasks)) return tasks;
  return message.isReplay === true ? tasksTold(tasks, message) : tasksAnswered(tasks, message);
}

/** The tasks after the end of a run. The CLI starts a run for each ended task. */
export function tasksAfterRun(tasks: BackgroundTasks, byCli: boolean): BackgroundTasks {
  if (!tasks.reported && tasks.owed.size === 0) return tasks;
  const { first } = tasks.owed;
  const after = byCli && first !== undefined ? notOwed(tasks, first) : tasks;
  return { ...after, reported: false };
}

/** The events for a change of the tasks. Without a message, the process has exited. */
export function taskEvents(before: BackgroundTasks, after: BackgroundTasks, message?: Message): readonly EventBody[] {
  if (before.open === after.open) return [];
  const status = message?.type === 'system' && message.subtype === 'task_notification' ? message.status : undefined;
  return (message ? tasksIn(message) : before.open.keys()).flatMap((task): EventBody[] => {
    const isOpen = after.open.has(task);
    if (before.open.has(task) === isOpen) return [];
    return [isOpen ? { type: 'task-opened', task } : { type: 'task-closed', task, status: status ?? null }];
  });
}

function trackSystem(tasks: BackgroundTasks, message: Extract<Message, { type: 'system' }>): BackgroundTasks {
  const [id] = tasksIn(message);
  if (id === undefined) return tasks;
  if (message.subtype !== 'task_notification') return { ...tasks, open: withTask(tasks.open, id) };
  const owed = isOwed(message) ? nowOwed(tasks, id, message.tool_use_id) : tasks;
  return { ...owed, open: tasks.open.without(id), reported: true };
}

/** The end of a task in the foreground is reported just before the result of its tool call; nothing else follows. */
function tasksAnswered(tasks: BackgroundTasks, message: Message): BackgroundTasks {
  if (tasks.owed.size === 0) return tasks;
  return toolResultsOf(message).reduce((left, { tool_use_id: call }) => {
    const id = left.owedByCall.get(call);
    return id === undefined ? left : notOwed(left, id);
  }, tasks);
}

/** The CLI reports tasks to the model inside the current run; 2.1.197 then reports them in no other way. */
function tasksTold(tasks: BackgroundTasks, message: Message): BackgroundTasks {
  return tasksIn(message).reduce((left, id) => ({ ...notOwed(left, id), open: left.open.without(id) }), tasks);
}

/** The tasks that a message names. */
function tasksIn(message: Message): readonly string[] {
  if (message.type === 'user') {
    const text = message.isReplay === true ? textOf(message) : '';
    if (!text.startsWith('<task-notification>')) return [];
    return Array.from(text.matchAll(/<task-id>([^<]*)<\/task-id>/g), ([, id = '']) => id);
  }
  const isNamed =
    message.type === 'system' && (message.subtype === 'task_started' || message.subtype === 'task_notification');
  return isNamed && typeof message.task_id === 'string' ? [message.task_id] : [];
}

/** The CLI does not report a task to the model that was stopped or had no output. */
function isOwed(report: { readonly status?: unknown; readonly output_file?: unknown }): boolean {
  return report.status !== 'stopped' && typeof report.output_file === 'string' && report.output_file !== '';
}

function nowOwed(tasks: BackgroundTasks, id: string, call: unknown): BackgroundTasks {
  if (!isFollowed(id) || tasks.owed.size >= MOST_TASKS) return tasks;
  if (typeof call !== 'string' || !isFollowed(call)) return { ...tasks, owed: tasks.owed.with(id, undefined) };
  return { ...tasks, owed: tasks.owed.with(id, call), owedByCall: tasks.owedByCall.with(call, id) };
}

function notOwed(tasks: BackgroundTasks, id: string): BackgroundTasks {
  if (!tasks.owed.has(id)) return tasks;
  const call = tasks.owed.get(id);
  const owedByCall = call === undefined ? tasks.owedByCall : tasks.owedByCall.without(call);
  return { ...tasks, owed: tasks.owed.without(id), owedByCall };
}

function isFollowed(id: string): boolean {
  return id.length <= LONGEST_ID;
}
