import type { Options } from '../declarations/options.ts';

/**
 * The environment of the CLI: that of the options, otherwise that of the host. `NODE_OPTIONS` and `DEBUG` are omitted, because a
 * debugger or a loader of the host is not meant for the CLI.
 */
export function environmentFor(options: Options): Record<string, string> {
  const env: Record<string, string | undefined> = { ...(options.env ?? process.env) };
  delete env.NODE_OPTIONS;
  delete env.DEBUG;
  env.CLAUDE_CODE_ENTRYPOINT ??= 'coxswain';
  // Makes the CLI report when it is idle, so that stdin is closed at the right time.
  env.CLAUDE_CODE_SDK_READS_SESSION_STATE ??= '1';
  if (options.enableFileCheckpointing) env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING = 'true';
  const preview = options.toolConfig?.askUserQuestion?.previewFormat;
  if (preview !== undefined) env.CLAUDE_CODE_QUESTION_PREVIEW_FORMAT = preview;
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
