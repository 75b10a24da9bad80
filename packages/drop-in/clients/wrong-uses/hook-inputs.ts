import { EXIT_REASONS, type ExitReason, type HookInput } from '@anthropic-ai/claude-agent-sdk';

export function describe(input: HookInput): string {
  switch (input.hook_event_name) {
    case 'SessionEnd': {
      const reason: ExitReason = input.reason;
      if (input.reason === 'boredom') return ''; // wrong
      return EXIT_REASONS.includes(reason) ? reason : '';
    }
    case 'PreCompact':
      if (input.trigger === 'never') return ''; // wrong
      return input.trigger === 'manual' ? 'manual' : (input.custom_instructions ?? 'auto');
    case 'StopFailure':
      return input.error === 'rate_limit' ? 'limit' : (input.error_details ?? '');
    case 'SubagentStop':
      return input.background_tasks?.map(({ id, status }) => id + status).join() ?? input.agent_id;
    case 'FileChanged':
      if (input.event === 'moved') return ''; // wrong
      return input.event === 'unlink' ? 'gone' : input.file_path;
    case 'Stop':
      return input.session_crons?.[0]?.tasks ?? ''; // wrong
    default:
      return input.permission_mode ?? input.cwd;
  }
}
