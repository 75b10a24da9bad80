import type { JsonObject } from '../../json.ts';
import type { Respond } from './answers.ts';
import type { Conversation } from './conversation.ts';
import { rememberSession } from './earlier-session.ts';
import type { Turn } from './turn.ts';

/** From now on the host can rewind to the prompt of this turn. */
export function addCheckpoint(conversation: Conversation, turn: Turn): void {
  const uuid = turn.prompts.at(-1)?.uuid;
  if (uuid === undefined || !keepsCopies(conversation)) return;
  conversation.checkpoints.set(uuid, []);
  rememberSession(conversation);
}

/** Which files a rewind to the prompt of this turn would touch. */
export function rememberEdit(conversation: Conversation, turn: Turn, { file_path }: JsonObject): void {
  const uuid = turn.prompts.at(-1)?.uuid;
  const files = uuid === undefined ? undefined : conversation.checkpoints.get(uuid);
  if (uuid === undefined || files === undefined || typeof file_path !== 'string' || files.includes(file_path)) return;
  conversation.checkpoints.set(uuid, [...files, file_path]);
  rememberSession(conversation);
}

/** Answers `rewind_files`; scripted tools change no files, so none are restored. */
export function rewindFiles(conversation: Conversation, request: JsonObject, reply: Respond): void {
  const dryRun = request.dry_run === true;
  const refuse = (error: string): void => {
    if (dryRun) reply.success({ canRewind: false, error });
    else reply.error(error);
  };
  if (!keepsCopies(conversation)) return refuse('File rewinding is not enabled.');
  const filesChanged = conversation.checkpoints.get(String(request.user_message_id));
  if (filesChanged === undefined) return refuse('No file checkpoint found for this message.');
  const changes = { filesChanged, insertions: filesChanged.length, deletions: filesChanged.length };
  reply.success(dryRun ? { canRewind: true, ...changes } : { canRewind: true, skippedLinks: 0 });
}

/** Whether the CLI keeps copies of the files that its tools change. */
function keepsCopies({ world }: Conversation): boolean {
  return ['1', 'true'].includes(world.env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING ?? '');
}
