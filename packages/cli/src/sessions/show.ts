import { textOf } from 'coxswain';
import { getSessionMessages, type SessionDetails, type TranscriptMessage } from 'coxswain/transcripts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { bytes } from '../render/format.ts';
import type { Look } from '../render/look.ts';
import { harmless } from '../render/measure.ts';
import type { Paint } from '../render/paint.ts';
import { resumeCommand } from '../render/summary.ts';
import { type Piece, Transcript } from '../render/transcript.ts';
import { wrapLines } from '../render/wrap.ts';
import { columnsOf, paintFor, type Terminal } from '../terminal/terminal.ts';
import { findSession } from './find.ts';

/** The flags of `cox sessions show`. */
export interface ShowFlags {
  readonly json?: boolean;
  readonly thinking?: boolean;
  readonly color?: boolean;
}

/** `cox sessions show`: the facts about a conversation, and its content. */
export async function show(wanted: string, flags: ShowFlags, terminal: Terminal): Promise<ExitCode> {
  const session = await findSession(wanted);
  const messages = await getSessionMessages(session.id);
  const { stdout, env } = terminal;
  if (flags.json) {
    stdout.write(`${JSON.stringify({ kind: 'session', session })}\n`);
    for (const message of messages) stdout.write(`${JSON.stringify({ kind: 'message', message })}\n`);
    return EXIT.ok;
  }
  const look = {
    paint: paintFor(stdout, env, flags.color),
    columns: () => columnsOf(stdout),
    thinking: flags.thinking === true,
  };
  const text = `${headLines(session, look.paint).join('\n')}\n${conversationText(messages, look)}`;
  stdout.write(stdout.isTTY ? wrapLines(text, columnsOf(stdout)).join('\n') : text);
  return EXIT.ok;
}

function headLines(session: SessionDetails, paint: Paint): string[] {
  const { id, title, cwd, gitBranch, createdAt, updatedAt, sizeBytes, subagents, forkedFrom } = session;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['id', id],
    ['folder', cwd && `${cwd}${gitBranch ? ` (${gitBranch})` : ''}`],
    ['started', new Date(createdAt).toISOString()],
    ['changed', new Date(updatedAt).toISOString()],
    ['size', bytes(sizeBytes)],
    ['copy of', forkedFrom],
    [
      'subagents',
      subagents.length > 0 ? subagents.map((agent) => agent.description ?? agent.id).join(', ') : undefined,
    ],
    ['continue', resumeCommand('chat', id)],
  ];
  const shown = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [`${paint.dim(name.padEnd(9))} ${harmless(value)}`],
  );
  return [paint.bold(harmless(title)), ...shown];
}

/** The conversation as `cox run` would have shown it, with the prompts. */
function conversationText(messages: readonly TranscriptMessage[], look: Look): string {
  const transcript = new Transcript(look);
  let shown = '';
  const add = (pieces: readonly Piece[]): void => {
    for (const { kind, text } of pieces) shown += kind === 'note' ? `${text}\n` : harmless(text);
  };
  for (const message of messages) {
    const said = message.type === 'user' && message.isSynthetic !== true ? harmless(textOf(message)).trim() : '';
    if (said !== '') shown += `\n${look.paint.bold(`› ${said}`)}\n`;
    add(transcript.take({ kind: 'message', message, rawJson: '', seq: 0, at: 0 }));
  }
  add(transcript.end(0));
  return shown;
}
