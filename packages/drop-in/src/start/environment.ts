import type { Options } from '../declarations/options.ts';

/**
 * The environment of the CLI: that of the options if there is one, otherwise the host's. `NODE_OPTIONS` and `DEBUG`
 * are left out: a debugger or a loader of the host is not meant for the CLI.
 */
export function environmentFor(options: Options): Record<string, string> {
  const env: Record<string, string | undefined> = { ...(options.env ?? process.env) };
  delete env.NODE_OPTIONS;
  delete env.DEBUG;
  env.CLAUDE_CODE_ENTRYPOINT ??= 'coxswain';
  // The CLI then reports when it is idle, so that stdin is closed neither too early nor too late.
  env.CLAUDE_CODE_SDK_READS_SESSION_STATE ??= '1';
  if (options.enableFileCheckpointing) env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING = 'true';
  const preview = options.toolConfig?.askUserQuestion?.previewFormat;
  if (preview !== undefined) env.CLAUDE_CODE_QUESTION_PREVIEW_FORMAT = preview;
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
