import type { SDKMessage, SDKTaskNotificationMessage } from '@anthropic-ai/claude-agent-sdk';

export function line(message: SDKMessage): string | undefined {
  if (message.type !== 'system') return undefined;
  switch (message.subtype) {
    case 'task_started':
      return message.skip_transcript ? undefined : message.description;
    case 'task_updated':
      if (message.patch.status === 'stopped') return undefined; // wrong
      return message.patch.status === 'paused' ? 'paused' : message.patch.error;
    case 'task_notification':
      return message.status === 'failed' ? message.summary : message.output_file;
    case 'files_persisted':
      message.files[0]?.name; // wrong
      return message.files.map(({ filename, file_id }) => filename + file_id).join();
    case 'background_tasks_changed':
      return message.tasks.map(({ task_id, task_type }) => task_id + task_type).join();
    case 'task_ended': // wrong
      return undefined;
    default:
      return message.subtype;
  }
}
export const ended = (message: SDKTaskNotificationMessage): number => message.usage.total_tokens; // wrong
