import { oneLine } from '../transcript/cut.ts';
import { fieldsOf, listIn, textIn } from '../transcript/fields.ts';
import { argumentOf, startsSubagent } from '../transcript/tool-call.ts';
import { spanHead, type Timeline } from './timeline.ts';

/** Context of the tool uses in a message. */
export interface ToolPlace {
  readonly at: number;
  readonly turn: string | null;
  /** The tool use that started the subagent of the message. */
  readonly parent: string | null;
  /** The entry that shows them. */
  readonly entry: number;
  readonly redact: (text: string) => string;
}

/**
 * Opens and closes the spans of tool uses and tool results in an API message. A subagent is named by its task. Returns the tool uses
 * that started subagents.
 */
export function noteToolSpans(
  timeline: Timeline,
  api: Readonly<Record<string, unknown>>,
  place: ToolPlace,
): readonly string[] {
  const agents: string[] = [];
  const { at, turn, parent, entry, redact } = place;
  for (const block of listIn(api, 'content').map(fieldsOf)) {
    const [id, name] = [textIn(block, 'id'), textIn(block, 'name')];
    if (block.type === 'tool_use' && id !== null && name !== null) {
      const kind = startsSubagent(name) ? 'subagent' : 'tool';
      if (kind === 'subagent') agents.push(id);
      const task = kind === 'subagent' ? textIn(fieldsOf(block.input), 'description') : null;
      const label = task === null ? name : oneLine(redact(task), 80);
      const within = parent === null ? null : `subagent ${parent}`;
      const argument = kind === 'tool' ? argumentOf(fieldsOf(block.input), redact) : '';
      timeline.open(turn, { ...spanHead(kind, id, label, within, argument), startedAt: at, entry });
    }
    const done = textIn(block, 'tool_use_id');
    if (done === null) continue;
    for (const kind of ['tool', 'subagent'])
      timeline.close(`${kind} ${done}`, at, block.is_error === true ? 'failed' : 'ok');
  }
  return agents;
}
