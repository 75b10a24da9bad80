import { type AgentOptions, allow, deny, type PermissionRequest, permissions, query } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { inMemoryCli } from '../../src/scripted/in-memory.ts';
import { script } from '../../src/scripted/script.ts';
import type { TurnScript } from '../../src/scripted/turn.ts';

describe('the permissions of a scripted agent', () => {
  it('[K-7] allow `git status | cat` and `find .` without asking, like the real CLI', async () => {
    const { asked, tools } = await played(
      bash('git status | cat', 'find .', 'git log --oneline -20', 'grep -rn x src'),
    );
    expect(asked).toEqual([]);
    expect(tools).toEqual(['ran', 'ran', 'ran', 'ran']);
  });

  it('[K-7] require a request for an unknown command, and for every part of a line', async () => {
    const { asked } = await played(bash('npm test', 'ls && npm test', './deploy.sh --now', 'git push'));
    expect(asked).toEqual(['npm test', 'ls && npm test', './deploy.sh --now', 'git push']);
  });

  it('[K-7] refuse a call if the host cannot be asked', async () => {
    const { transport, runs } = inMemoryCli(script().otherwise(bash('npm test', 'ls')));
    await query('go', { transport }).collect();
    expect(runs()[0]?.tools.map(({ outcome }) => outcome)).toEqual(['refused', 'ran']);
  });

  it.each([
    ['echo $(rm x)', 'whether Bash(rm *) denies it'],
    ['sudo rm x', 'whether Bash(rm *) denies it'],
  ])('[K-7] end the run at %j with a rule that may deny it, instead of guessing', async (command, why) => {
    const { error, tools } = await played(bash(command), { disallowedTools: ['Bash(rm *)'], allowedTools: ['Bash'] });
    expect(error).toContain(
      `The scripted CLI does not decide about Bash {"command":"${command}"}: it was not measured ${why}.`,
    );
    expect(error).toContain('the mode default; deny: Bash(rm *); allow: Bash');
    expect(error).toContain("permission: 'allow'");
    expect(error).toContain('startFakeApi(asApiScript(script))');
    expect(tools).toEqual([]);
  });

  it.each([
    ['allow', [], ['ran']],
    ['ask', ['echo $(ls)'], ['refused']],
    ['deny', [], ['refused']],
  ] as const)('[K-7] follow the scripted decision: %s', async (permission, asked, tools) => {
    const found = await played((turn) => turn.useTool('Bash', { command: 'echo $(ls)' }, { permission }));
    expect(found).toMatchObject({ asked, tools, error: undefined });
  });

  it('[K-7] follow rules and modes even if the script states another decision', async () => {
    const stated = (turn: TurnScript) => turn.useTool('Bash', { command: 'npm test' }, { permission: 'allow' });
    const rules = { disallowedTools: ['Bash(npm *)'] };
    expect((await played(stated, rules)).tools).toEqual(['refused']);
    expect((await played(stated, { settings: { permissions: { ask: ['Bash(npm *)'] } } })).asked).toEqual(['npm test']);
  });

  it('[K-7] follow rules and the mode in settings', async () => {
    const settings = { permissions: { allow: ['Bash(npm *)'], deny: ['Read(.env)'], defaultMode: 'acceptEdits' } };
    const { asked, tools } = await played(
      (turn) =>
        turn
          .useTool('Bash', { command: 'npm test' })
          .useTool('Read', { file_path: '.env' })
          .useTool('Write', { file_path: 'a.txt', content: '' }),
      { settings },
    );
    expect(asked).toEqual([]);
    expect(tools).toEqual(['ran', 'unavailable', 'ran']);
  });

  it('[K-7] exclude tools that are not in the option `tools`', async () => {
    const { tools } = await played((turn) => turn.useTool('Write', { file_path: 'a.txt', content: '' }), {
      tools: ['Read'],
    });
    expect(tools).toEqual(['unavailable']);
  });

  it('[K-7] are decided for the input that a hook replaced', async () => {
    const hooks = {
      PreToolUse: () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'rm x' } } }),
    };
    const { tools } = await played(bash('ls'), { hooks, disallowedTools: ['Bash(rm *)'] } as AgentOptions);
    expect(tools).toEqual(['refused']);
  });

  it('[K-7] follow the rules that an answer adds, including those that deny', async () => {
    const rule = (behavior: 'allow' | 'deny', ruleContent: string) =>
      ({ type: 'addRules', rules: [{ toolName: 'Bash', ruleContent }], behavior, destination: 'session' }) as const;
    const updatedPermissions = [rule('allow', 'npm run *'), rule('deny', 'npm publish *')];
    const { asked, tools } = await played(
      bash('npm test', 'npm run build', 'npm publish x'),
      { allowPermissionUpdates: true },
      () => allow({ updatedPermissions }),
    );
    expect(asked).toEqual(['npm test']);
    expect(tools).toEqual(['ran', 'ran', 'refused']);
  });

  it('[K-7] include a background command', async () => {
    const { asked, tools } = await played((turn) => turn.runInBackground('npm start').say('Started.'));
    expect(asked).toEqual(['npm start']);
    expect(tools).toEqual(['refused']);
  });

  it('[K-7, P-4] follow a policy', async () => {
    const policy = permissions({ allow: ['Bash(npm test)'], deny: ['Read(./secrets/**)'], ask: () => deny('no') });
    const { transport, runs } = inMemoryCli(
      script().otherwise((turn) =>
        turn
          .useTool('Bash', { command: 'npm test' })
          .useTool('Read', { file_path: 'secrets/key.pem' })
          .useTool('Read', { file_path: 'notes.md' })
          .useTool('Bash', { command: 'make' }),
      ),
    );
    await query('go', { transport, ...policy }).collect();
    expect(runs()[0]?.tools.map(({ outcome }) => outcome)).toEqual(['ran', 'unavailable', 'ran', 'refused']);
  });
});

describe('a scripted budget', () => {
  const options = { maxBudgetUsd: 0.1 };

  it('[K-7] also ends a turn that only answers', async () => {
    const { error, result } = await played((turn) => turn.say('x').result({ costUsd: 0.2 }), options);
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ subtype: 'error_max_budget_usd', total_cost_usd: 0.2 });
  });

  it('[K-7] is spent when it is reached exactly', async () => {
    expect((await played((turn) => turn.say('x').result({ costUsd: 0.1 }), options)).result).toMatchObject({
      subtype: 'error_max_budget_usd',
    });
    expect((await played((turn) => turn.say('x').result({ costUsd: 0.09 }), options)).result).toMatchObject({
      subtype: 'success',
    });
  });
});

describe('a scripted structured output', () => {
  const outputSchema = {
    type: 'object',
    properties: { seats: { type: 'integer' }, class: { enum: ['eight', 'single'] } },
    required: ['seats'],
    additionalProperties: false,
  };

  it('[K-7] that does not match the schema of the run ends it: the real CLI would reject it', async () => {
    for (const value of [
      { seats: 'eight' },
      { seats: 1.5 },
      {},
      { seats: 8, oars: 8 },
      { seats: 8, class: 'four' },
      [8],
    ]) {
      const { error } = await played((turn) => turn.structuredOutput(value), { outputSchema });
      expect(error, JSON.stringify(value)).toContain('does not match the outputSchema of the run');
    }
    const { result } = await played((turn) => turn.structuredOutput({ seats: 8, class: 'eight' }), { outputSchema });
    expect(result).toMatchObject({ subtype: 'success', structured_output: { seats: 8, class: 'eight' } });
  });

  it('[K-7] that matches cannot be rejected', async () => {
    const { error } = await played((turn) => turn.rejectedOutput({ seats: 8 }, 'no'), { outputSchema });
    expect(error).toContain('the CLI accepts it');
  });

  it('[K-7] requires a schema: without one the agent has no tool for it', async () => {
    const { error } = await played((turn) => turn.structuredOutput({ seats: 8 }));
    expect(error).toContain('the run has no outputSchema');
  });

  it('[K-7] is left to the script if the schema uses more than types, fields and lists', async () => {
    const schema = { type: 'object', properties: { seats: { type: 'number', minimum: 9 } } };
    const { result } = await played((turn) => turn.structuredOutput({ seats: 8 }), { outputSchema: schema });
    expect(result).toMatchObject({ subtype: 'success' });
  });

  it('[K-7] that is rejected five times ends the turn', async () => {
    const { result } = await played((turn) => turn.rejectedOutput({ seats: 'x' }, 'no', 9), { outputSchema });
    expect(result).toMatchObject({ subtype: 'error_max_structured_output_retries' });
  });

  it('[K-7] that is missing is requested once more', async () => {
    const agent = script()
      .onPrompt('You MUST call the StructuredOutput tool', (turn) => turn.structuredOutput({ seats: 8 }))
      .otherwise((turn) => turn.say('Eight.'));
    const { transport } = inMemoryCli(agent);
    const result = await query('How many?', { transport, outputSchema }).result();
    expect(result).toMatchObject({ subtype: 'success', structured_output: { seats: 8 } });
  });
});

function bash(...commands: readonly string[]): (turn: TurnScript) => TurnScript {
  return (turn) => commands.reduce((so, command) => so.useTool('Bash', { command }), turn);
}

async function played(
  build: (turn: TurnScript) => TurnScript,
  options: AgentOptions = {},
  answer: AgentOptions['canUseTool'] = () => deny('no'),
) {
  const asked: unknown[] = [];
  const { transport, runs } = inMemoryCli(script().otherwise(build));
  const canUseTool: AgentOptions['canUseTool'] = (request: PermissionRequest, context) => {
    asked.push('command' in request.input ? request.input.command : request.input);
    return answer?.(request, context) ?? deny('no');
  };
  const { messages, terminalError } = await query('go', { transport, canUseTool, ...options }).collect();
  const tools = runs()[0]?.tools.map(({ outcome }) => outcome) ?? [];
  return { asked, tools, error: terminalError?.message, result: messages.findLast(({ type }) => type === 'result') };
}
