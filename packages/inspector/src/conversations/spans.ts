import { fieldsOf } from '../transcript/fields.ts';
import { ModelSpans } from './model-spans.ts';
import type { Timeline } from './timeline.ts';
import { noteToolSpans, type ToolPlace } from './tool-spans.ts';

/** What happened in the turns of a conversation, from the messages of the CLI: calls of the model, and tools. */
export class Spans {
  readonly #timeline: Timeline;
  readonly #models: ModelSpans;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.#models = new ModelSpans(timeline);
  }

  /** A turn has begun to run. */
  turnStarted(turn: string, at: number): void {
    this.#timeline.started(turn);
    this.#models.ready(null, at);
  }

  /** A person has sent a prompt, which the model can answer from now. */
  prompted(at: number): void {
    this.#models.ready(null, at);
  }

  note(message: Readonly<Record<string, unknown>>, place: ToolPlace): void {
    this.#models.note(message, place);
    if (message.type === 'stream_event') return;
    const started = noteToolSpans(this.#timeline, fieldsOf(message.message), place);
    for (const agent of started) this.#models.ready(agent, place.at);
  }
}
