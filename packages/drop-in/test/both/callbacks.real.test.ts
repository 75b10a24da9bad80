import { existsSync, readFileSync } from 'node:fs';
import type { CanUseTool, HookCallback, HookInput, PermissionResult } from '@coxswain/drop-in';
import { type Reply, text, toolUse } from '@coxswain/testkit';
import { compare, SAME } from './compare.ts';
import { errorOf, Input, keysOf, labels } from './facts.ts';
import type { Run, Stage } from './stage.ts';

compare(
  '[U-3] canUseTool',
  async (stage) => {
    const asked: Parameters<CanUseTool>[] = [];
    const write = (name: string): Reply => toolUse('Write', { file_path: stage.file(name), content: name });
    // The answers of the callback to each call. The seventh answer allows the eighth write, so it is not requested.
    const answers: (() => PermissionResult)[] = [
      () => ({ behavior: 'allow', updatedInput: { file_path: stage.file('allowed'), content: 'allowed' } }),
      () => ({ behavior: 'allow', updatedInput: { file_path: stage.file('changed'), content: 'other words' } }),
      () => ({ behavior: 'deny', message: 'Not this one.' }),
      () => ({ behavior: 'allow' }) as PermissionResult,
      () => ({ nonsense: true }) as unknown as PermissionResult,
      () => {
        throw new Error('the callback failed');
      },
      () => ({ behavior: 'allow', updatedPermissions: asked[6]?.[2].suggestions ?? [] }),
      () => ({ behavior: 'deny', message: 'Stop here.', interrupt: true }),
    ];
    const names = ['allowed', 'changed', 'denied', 'bare', 'nonsense', 'thrown', 'remembered', 'unasked'];
    const shell = toolUse('Bash', { command: 'node -p 3 > interrupted' });
    stage.say(...names.map(write), shell, text('Never said.'));
    const run = await stage.run('Write.', {
      canUseTool: async (...call) => {
        asked.push(call);
        return (answers[asked.length - 1] ?? (() => ({ behavior: 'deny', message: 'Too many.' })))();
      },
    });
    const [name, input, context] = asked[0] ?? [];
    const results = stage.toolResults;
    return {
      'name of the tool': name,
      'input of the tool': input,
      'fields of the context': keysOf(context),
      'the signal': context?.signal.aborted,
      suggestions: context?.suggestions,
      calls: asked.length,
      'allow: the effect': contentOf(stage, 'allowed'),
      'allow with other input: the effect': contentOf(stage, 'changed'),
      'deny: the effect': existsSync(stage.file('denied')),
      'deny: what the model reads': results[2],
      'allow without input: what the model reads': results[3],
      'nonsense: what the model reads': results[4],
      'an error: what the model reads': results[5],
      'a remembered rule: the effects': ['remembered', 'unasked'].map((file) => contentOf(stage, file)),
      'deny with interrupt: the effect': existsSync(stage.file('interrupted')),
      'deny with interrupt: the end': ending(stage, run),
      'denials in the result': run.result?.permission_denials.length,
      'order of messages': labels(run.messages),
    };
  },
  {
    'name of the tool': 'Write',
    'input of the tool': { file_path: '<project>/allowed', content: 'allowed' },
    'fields of the context': SAME,
    'the signal': false,
    suggestions: SAME,
    calls: 8,
    'allow: the effect': 'allowed',
    'allow with other input: the effect': 'other words',
    'deny: the effect': false,
    'deny: what the model reads': SAME,
    'allow without input: what the model reads': SAME,
    'nonsense: what the model reads': SAME,
    'an error: what the model reads': SAME,
    'a remembered rule: the effects': ['remembered', 'unasked'],
    'deny with interrupt: the effect': false,
    'deny with interrupt: the end': SAME,
    'denials in the result': SAME,
    'order of messages': SAME,
  },
);

compare(
  '[U-3] hooks',
  async (stage) => {
    const seen: [HookInput, string | undefined, unknown][] = [];
    const note: HookCallback = async (input, toolUseID, context) => {
      seen.push([input, toolUseID, context]);
      return {};
    };
    const guard: HookCallback = async (input) => {
      if (input.hook_event_name !== 'PreToolUse') return {};
      const path = (input.tool_input as { file_path: string }).file_path;
      if (path.endsWith('thrown')) throw new Error('the hook failed');
      if (path.endsWith('denied')) {
        return {
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            permissionDecision: 'deny',
            permissionDecisionReason: 'Not by my watch.',
          },
        };
      }
      const updatedInput = { file_path: stage.file('changed'), content: 'by a hook' };
      return {
        hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput },
      };
    };
    const remark: HookCallback = async () => ({
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'The tide is low.' },
    });
    let reads = 0;
    const countReads: HookCallback = async () => {
      reads += 1;
      return {};
    };
    const write = (name: string): Reply => toolUse('Write', { file_path: stage.file(name), content: name });
    stage.say(write('original'), write('denied'), write('thrown'), text('Done.'));
    const run = await stage.run('Write.', {
      hooks: {
        PreToolUse: [
          { matcher: 'Write', hooks: [note, guard] },
          { matcher: 'Read', hooks: [countReads] },
        ],
        PostToolUse: [{ hooks: [note] }],
        UserPromptSubmit: [{ hooks: [note, remark] }],
        Stop: [{ hooks: [note] }],
        SessionStart: [{ hooks: [note] }],
        SessionEnd: [{ hooks: [note] }],
      },
    });
    const inputs = (event: string) => seen.filter(([input]) => input.hook_event_name === event);
    const results = stage.toolResults;
    return {
      'events in order': seen.map(([input]) => input.hook_event_name),
      'fields of PreToolUse': keysOf(inputs('PreToolUse')[0]?.[0]),
      'fields of PostToolUse': keysOf(inputs('PostToolUse')[0]?.[0]),
      'fields of UserPromptSubmit': keysOf(inputs('UserPromptSubmit')[0]?.[0]),
      'fields of Stop': keysOf(inputs('Stop')[0]?.[0]),
      'the tool use id': inputs('PreToolUse').map(([, id]) => typeof id),
      'the third argument': keysOf(inputs('PreToolUse')[0]?.[2]),
      'another matcher': reads,
      'changed input: the effect': [contentOf(stage, 'changed'), existsSync(stage.file('original'))],
      'deny: what the model reads': results[1],
      'a hook that throws: what the model reads': results[2],
      'a hook that throws: the effect': existsSync(stage.file('thrown')),
      'added context reaches the model': JSON.stringify(stage.lastRequest.body).includes('The tide is low.'),
      'order of messages': labels(run.messages),
    };
  },
  {
    'events in order': SAME,
    'fields of PreToolUse': SAME,
    'fields of PostToolUse': SAME,
    'fields of UserPromptSubmit': SAME,
    'fields of Stop': SAME,
    'the tool use id': ['string', 'string', 'string'],
    'the third argument': ['signal'],
    'another matcher': 0,
    'changed input: the effect': ['by a hook', false],
    'deny: what the model reads': SAME,
    'a hook that throws: what the model reads': SAME,
    'a hook that throws: the effect': SAME,
    'added context reaches the model': true,
    'order of messages': SAME,
  },
);

compare(
  '[U-3] hooks that stop',
  async (stage) => {
    const input = new Input('First.');
    stage.say(toolUse('Bash', { command: 'true' }), text('Never said.'));
    let results = 0;
    const run = await stage.run(
      input,
      {
        permissionMode: 'bypassPermissions',
        hooks: {
          PostToolUse: [{ hooks: [async () => ({ continue: false, stopReason: 'Enough.' })] }],
          UserPromptSubmit: [
            {
              hooks: [
                async (given) =>
                  given.hook_event_name === 'UserPromptSubmit' && given.prompt === 'Second.'
                    ? { decision: 'block', reason: 'Not now.' }
                    : {},
              ],
            },
          ],
        },
        includeHookEvents: true,
      },
      (message) => {
        if (message.type !== 'result') return;
        results += 1;
        if (results === 1) input.send('Second.');
        else input.end();
      },
    );
    return {
      'order of messages': labels(run.messages),
      results: run.messages.flatMap((message) => (message.type === 'result' ? [message.subtype] : [])),
      'the end': ending(stage, run),
      requests: stage.api.conversation.length,
    };
  },
  { 'order of messages': SAME, results: SAME, 'the end': SAME, requests: SAME },
);

function contentOf(stage: Stage, name: string): string {
  return existsSync(stage.file(name)) ? readFileSync(stage.file(name), 'utf8') : '(missing)';
}

function ending(stage: Stage, { thrown, result }: Run): unknown {
  return [result?.subtype, errorOf(thrown, stage.sdk)];
}
