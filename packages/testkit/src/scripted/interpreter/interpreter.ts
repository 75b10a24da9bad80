import { refusal } from '../arguments.ts';
import type { ScriptData } from '../script-data.ts';
import { interruptTurn } from './control.ts';
import { Conversation } from './conversation.ts';
import type { CliEvent, Effect, World } from './effects.ts';
import { endInterrupted } from './endings.ts';
import { reach } from './faults.ts';
import { oneShot } from './one-shot.ts';
import { playSteps } from './play.ts';
import { closeRequests } from './requests.ts';
import { takenId } from './resume.ts';
import { holdsInRun } from './rules.ts';
import { session, takeLine } from './session.ts';
import { type Program, sleep } from './tasks.ts';
import { newTurn } from './turn.ts';

/** Plays a script: events in, effects out, without a clock or I/O. */
export class Interpreter {
  readonly #conversation: Conversation;

  constructor(script: ScriptData, world: World) {
    this.#conversation = new Conversation(script, world);
  }

  /** Handles one event and returns the effects, in order. */
  handle(event: CliEvent): readonly Effect[] {
    const conversation = this.#conversation;
    if (conversation.ended) return lastEffects(conversation, event);
    this.#take(event);
    if (!conversation.ended) conversation.tasks.settle();
    return conversation.effects.splice(0);
  }

  #take(event: CliEvent): void {
    const conversation = this.#conversation;
    switch (event.event) {
      case 'start':
        conversation.tasks.start(main(conversation));
        return;
      case 'input':
        conversation.input += event.text;
        if (conversation.args.streamInput) takeLines(conversation);
        conversation.tasks.notify('input');
        return;
      case 'input-end':
        takeEnd(conversation);
        return;
      case 'timer':
        conversation.tasks.timerEnded(event.timer);
        return;
      case 'signal':
        takeSignal(conversation, event.signal);
    }
  }
}

/** Handles events after the end of the script: a signal ends unread output early. */
function lastEffects(conversation: Conversation, event: CliEvent): readonly Effect[] {
  if (event.event !== 'signal' || conversation.ignored.has(event.signal)) return [];
  return [{ effect: 'exit', code: exitCodes[event.signal] }];
}

function* main(conversation: Conversation): Program {
  const { script, args } = conversation;
  if (args.flags.has('--version') || args.flags.has('-v')) return yield* version(conversation);
  reach(conversation, 'start');
  if (conversation.ended) return;
  for (const rule of script.start.filter((candidate) => holdsInRun(conversation, candidate))) {
    yield* playSteps(conversation, newTurn(conversation, { prompt: '' }), rule.steps);
    if (conversation.ended) return;
  }
  const refused = refusal(args, script.cli.rejectedFlags) ?? takenId(conversation);
  if (refused !== undefined) {
    conversation.stderr(refused);
    return conversation.exit(1);
  }
  conversation.started = true;
  if (!args.streamInput) return yield* oneShot(conversation);
  takeLines(conversation);
  if (!conversation.ended) yield* session(conversation);
}

function* version(conversation: Conversation): Program {
  const { version, versionOutput } = conversation.script.cli;
  const { text, exitCode, delayMs } = versionOutput ?? { text: `${version} (Claude Code)\n`, exitCode: 0, delayMs: 0 };
  yield* sleep(delayMs);
  conversation.effects.push({ effect: 'write', text });
  conversation.exit(exitCode);
}

/** Takes the complete lines received so far. */
function takeLines(conversation: Conversation): void {
  if (!conversation.started || !conversation.input.includes('\n')) return;
  const lines = conversation.input.split('\n');
  conversation.input = lines.pop() ?? '';
  for (const line of lines) {
    if (conversation.ended) return;
    takeLine(conversation, line.endsWith('\r') ? line.slice(0, -1) : line);
  }
}

function takeEnd(conversation: Conversation): void {
  if (conversation.args.streamInput) {
    conversation.input += '\n';
    takeLines(conversation);
  }
  conversation.inputEnded = true;
  reach(conversation, 'input-end');
  closeRequests(conversation);
  conversation.tasks.notify('input');
  conversation.tasks.notify('work');
}

/** SIGINT ends the turn and then the CLI with 0; other signals end it immediately. */
function takeSignal(conversation: Conversation, signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void {
  reach(conversation, 'signal');
  if (conversation.ignored.has(signal)) return;
  if (signal === 'SIGINT') interruptBySignal(conversation);
  conversation.exit(exitCodes[signal]);
}

const exitCodes = { SIGINT: 0, SIGTERM: 143, SIGHUP: 129 } as const;

/** A one-shot that is interrupted while the model writes exits without a result. */
function interruptBySignal(conversation: Conversation): void {
  const { turn, args } = conversation;
  if (turn && !args.streamInput && turn.phase === 'speaking') endInterrupted(conversation, turn, { withResult: false });
  else interruptTurn(conversation, () => {});
}
