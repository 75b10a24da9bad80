import { isCoxswainError, openSession, type Session } from 'coxswain';
import { duration } from '../render/format.ts';
import { firstLine } from '../render/measure.ts';
import { type Finding, failed, ok } from './finding.ts';

/** Starts the CLI like a run, waits for the handshake, and stops it. */
export async function handshakeFinding(cli: string | undefined): Promise<Finding> {
  const startedAt = performance.now();
  const session = openSession({ cli });
  try {
    await session.ready;
    return ok('Handshake', `done in ${duration(performance.now() - startedAt)}${wordsOf(session)}`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = isCoxswainError(error) ? ` (${error.code})` : '';
    return failed(
      'Handshake',
      `${firstLine(message)}${code}`,
      'Run `claude` by hand in this folder: it shows what is wrong.',
      message.split('\n').slice(1),
    );
  } finally {
    await session.close().catch(() => {});
  }
}

function wordsOf({ models, commands, agents }: Session): string {
  const counted = [
    [models.length, 'models'],
    [commands.length, 'commands'],
    [agents.length, 'agents'],
  ].filter(([many]) => many !== 0);
  return counted.length === 0 ? '' : `; ${counted.map((words) => words.join(' ')).join(', ')}`;
}
