import { CliExitedDuringInitError, CliNotFoundError, OptionsError, ProcessError, TimeoutError } from 'coxswain/errors';
import { describe, expect, it } from 'vitest';
import { failureLines, flagFor } from '../../src/render/failure.ts';
import { plain } from '../../src/render/paint.ts';

describe('the report of a failure', () => {
  it('[L-2] uses flag names, not option names', () => {
    const problems = [
      { path: 'maxTurns', message: 'must be 1 or more' },
      { path: 'allowedTools[0]', message: 'must be text' },
      { path: 'permissionMode', message: 'needs allowDangerouslySkipPermissions: true.' },
    ];
    expect(failureLines(new OptionsError(problems), plain)).toEqual([
      '✗ Invalid options:',
      '  --max-turns: must be 1 or more',
      '  --allow: must be text',
      '  --permission-mode: needs --allow-dangerously-skip-permissions.',
      '  error code: options',
    ]);
    expect(flagFor('timeoutMs')).toBe('--timeout');
  });

  it('[L-2] lists the searched places and the next step', () => {
    const lines = failureLines(new CliNotFoundError([{ place: '/a/claude', reason: 'does not exist' }]), plain);
    expect(lines).toContain('    /a/claude (does not exist)');
    expect(lines.join('\n')).toContain('use --cli pinned');
    expect(lines).toContain('  `cox doctor` shows which places were searched, and what is wrong.');
  });

  it('[L-2] uses --timeout, not the name of the option', () => {
    expect(failureLines(new TimeoutError('timeoutMs', 1500), plain)[0]).toBe(
      '✗ The run or turn took longer than --timeout (1.5 s) and was stopped. Raise it, or make the task smaller.',
    );
  });

  it('[L-2] points to the list of conversations for an id that --resume does not find', () => {
    const message = 'No conversation found with session ID: a';
    const exit = { exitCode: 1, signal: null, hint: 'There is no such conversation here.' };
    expect(failureLines(new CliExitedDuringInitError(exit, { stderrTail: message }), plain)).toEqual([
      `✗ The CLI exited with code 1 before the session was ready. It printed: ${message}. There is no such conversation here.`,
      '  `cox sessions list --all` lists the conversations.',
      '  error code: cli-exited-during-init',
    ]);
  });

  it('[L-2] shows the end of stderr, or all of it with --debug', () => {
    const words = { stderrTail: 'one\n\u001b[31mtwo', hint: 'Look.', stdoutWasEmpty: true };
    const error = new ProcessError({ exitCode: 3, signal: null, ...words });
    expect(failureLines(error, plain)).toContain('  stderr: two');
    expect(failureLines(error, plain, true).join('\n')).toContain('"exitCode": 3');
  });

  it('accepts any thrown value', () => {
    expect(failureLines(new Error('no'), plain)).toEqual(['✗ no']);
    expect(failureLines('no', plain)).toEqual(['✗ no']);
  });
});
