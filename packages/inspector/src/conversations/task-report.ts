import { oneLine } from '../transcript/cut.ts';
import { fieldsOf, textIn } from '../transcript/fields.ts';
import { isAwaitedTask } from '../transcript/system-line.ts';
import type { Tasks } from './state.ts';
import type { Timeline } from './timeline.ts';

/** The parts of a conversation that know its tasks. */
interface TaskPlaces {
  readonly tasks: Tasks;
  readonly timeline: Timeline;
  readonly redact: (text: string) => string;
}

/** Notes what the CLI reports about a background task: its name, and whether a turn waits for it. */
export function noteTaskReport(
  report: Readonly<Record<string, unknown>>,
  { tasks, timeline, redact }: TaskPlaces,
): void {
  const [task, description] = [textIn(report, 'task_id'), textIn(report, 'description')];
  if (task === null) return;
  if (report.subtype === 'task_started' && description !== null) {
    const name = oneLine(redact(description));
    tasks.describe(task, name);
    timeline.rename(`task ${task}`, name);
  }
  if (isAwaitedTask(report)) {
    tasks.setAwaited(task, true);
    timeline.remove(`task ${task}`);
  }
  if (fieldsOf(report.patch).is_backgrounded === true) tasks.setAwaited(task, false);
}
