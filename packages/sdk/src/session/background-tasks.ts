import { textOf, toolResultsOf } from '../messages/content.ts';
import type { EventBody } from '../report/events.ts';
import type { Message } from '../wire/messages.ts';

/** The background work of a session, judging by the frames so far. */
export interface BackgroundTasks {
  /** Tasks that have started and have not been reported as over. */
  readonly open: ReadonlySet<string>;
  /** Tasks that are over and that the CLI has yet to report to the model, each with the tool call that started it. */
  readonly owed: ReadonlyMap<string, string | undefined>;
  /** A task was reported as over since the last result; the CLI may start a run without a prompt to handle it. */
  readonly reported: boolean;
}

export const noTasks: BackgroundTasks = { open: new Set(), owed: new Map(), reported: false };

/** True while a task is open, or the CLI has yet to report one to the model. */
export function hasOpenTasks({ open, owed }: BackgroundTasks): boolean {
  return open.size > 0 || owed.size > 0;
}

/** The tasks after a frame; the same object when the frame changes nothing. */
export function trackTasks(tasks: BackgroundTasks, message: Message): BackgroundTasks {
  if (message.type === 'system') return trackSystem(tasks, message);
  if (message.type !== 'user' || !hasOpenTasks(tasks)) return tasks;
  return message.isReplay === true ? tasksTold(tasks, message) : tasksAnswered(tasks, message);
}

/** The tasks after the end of a run. The CLI starts a run for each task that is over. */
export function tasksAfterRun(tasks: BackgroundTasks, byCli: boolean): BackgroundTasks {
  if (!tasks.reported && tasks.owed.size === 0) return tasks;
  return { ...tasks, reported: false, owed: byCli ? new Map([...tasks.owed].slice(1)) : tasks.owed };
}

/** The events for a change of the tasks. Without a message the process is gone. */
export function taskEvents(before: BackgroundTasks, after: BackgroundTasks, message?: Message): readonly EventBody[] {
  if (before.open === after.open) return [];
  const status = message?.type === 'system' && message.subtype === 'task_notification' ? message.status : undefined;
  const opened = [...after.open].filter((task) => !before.open.has(task));
  const closed = [...before.open].filter((task) => !after.open.has(task));
  return [
    ...opened.map((task): EventBody => ({ type: 'task-opened', task })),
    ...closed.map((task): EventBody => ({ type: 'task-closed', task, status: status ?? null })),
  ];
}

function trackSystem(tasks: BackgroundTasks, message: Extract<Message, { type: 'system' }>): BackgroundTasks {
  switch (message.subtype) {
    case 'task_started':
      if (typeof message.task_id !== 'string') return tasks;
      return { ...tasks, open: new Set([...tasks.open, message.task_id]) };
    case 'task_notification':
      if (typeof message.task_id !== 'string') return tasks;
      return {
        open: without(tasks.open, [message.task_id]),
        owed: isOwed(message) ? new Map([...tasks.owed, [message.task_id, message.tool_use_id]]) : tasks.owed,
        reported: true,
      };
    default:
      return tasks;
  }
}

/** A task in the foreground is reported as over just before the result of its tool call; nothing else follows. */
function tasksAnswered(tasks: BackgroundTasks, message: Message): BackgroundTasks {
  if (tasks.owed.size === 0) return tasks;
  const answered = toolResultsOf(message).map((result) => result.tool_use_id);
  return { ...tasks, owed: new Map([...tasks.owed].filter(([, call]) => !answered.includes(call ?? ''))) };
}

/** The CLI reports tasks to the model inside the current run; 2.1.197 then reports them in no other way. */
function tasksTold(tasks: BackgroundTasks, message: Message): BackgroundTasks {
  const text = textOf(message);
  if (!text.startsWith('<task-notification>')) return tasks;
  const told = [...text.matchAll(/<task-id>([^<]*)<\/task-id>/g)].map(([, id = '']) => id);
  return {
    ...tasks,
    open: without(tasks.open, told),
    owed: new Map([...tasks.owed].filter(([id]) => !told.includes(id))),
  };
}

/** The CLI does not report a task to the model that was stopped or had no output. */
function isOwed(report: { readonly status?: unknown; readonly output_file?: unknown }): boolean {
  return report.status !== 'stopped' && typeof report.output_file === 'string' && report.output_file !== '';
}

/** The same set when nothing is taken out of it. */
function without(set: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> {
  return ids.some((id) => set.has(id)) ? new Set([...set].filter((id) => !ids.includes(id))) : set;
}
