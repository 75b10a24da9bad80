import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiRequest, type Reply, text, toolUse } from '@coxswain/testkit';
import { type AgentOptions, type CanUseTool, deny } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { isTestedNow, pinnedVersion } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';
import releases from '../releases.json' with { type: 'json' };

const IN_AUTO = [releases.peculiar.startsInAuto].filter(isTestedNow);

/** Lets the model write a file that no rule allows; returns whether it exists, and the mode of the CLI. */
async function attempt(version: string, options: AgentOptions, prepare: (scene: Scene) => void = () => {}) {
  const script = (request: ApiRequest): Reply =>
    request.toolResults.length > 0
      ? text('done')
      : toolUse('Write', { file_path: join(scene.home.project, 'written'), content: 'by the model' });
  await using scene: Scene = await openScene(script, { version });
  prepare(scene);
  const stream = scene.query('write it', options);
  const { messages: items } = await stream.collect();
  const mode = items.find((message) => message.type === 'system' && message.subtype === 'init')?.permissionMode;
  return { written: existsSync(join(scene.home.project, 'written')), mode, warnings: stream.warnings };
}

/** A guard that denies everything and counts its calls. */
function guard(): { asked: number; canUseTool: CanUseTool } {
  const counting = {
    asked: 0,
    canUseTool() {
      counting.asked += 1;
      return deny('no');
    },
  };
  return counting;
}

describe.concurrent.each(IN_AUTO)('%s, which starts in the mode auto', (startsInAuto) => {
  it('writes the file if neither a mode nor a guard is set', async () => {
    expect(await attempt(startsInAuto, {})).toMatchObject({ written: true, mode: 'auto' });
  });

  it("[O-6, C-6] permissionMode 'default': without a callback, the call is refused", async () => {
    const { written, mode } = await attempt(startsInAuto, { permissionMode: 'default' });
    expect([written, mode]).toEqual([false, 'default']);
  });

  it.each<[string, AgentOptions]>([
    ['alone', {}],
    ["beside permissionMode 'default'", { permissionMode: 'default' }],
  ])('[O-6, P-1] canUseTool (%s) is called, and its decision is followed', async (_, options) => {
    const seen = guard();
    const { written, mode, warnings } = await attempt(startsInAuto, { ...options, canUseTool: seen.canUseTool });
    expect([seen.asked, written, mode]).toEqual([1, false, 'default']);
    expect(warnings.map(({ code }) => code)).toEqual(['permission-denied']);
  });

  it('[O-6, H-4] a PermissionRequest hook is called, and its decision is followed', async () => {
    let asked = 0;
    const PermissionRequest = () => {
      asked += 1;
      return deny('no');
    };
    const { written } = await attempt(startsInAuto, { hooks: { PermissionRequest } });
    expect([asked, written]).toEqual([1, false]);
  });

  it('[P-5] canUseTool with the mode auto causes a warning', async () => {
    const seen = guard();
    const { warnings } = await attempt(startsInAuto, { permissionMode: 'auto', canUseTool: seen.canUseTool });
    expect(warnings).toMatchObject([{ code: 'permissions-shadowed', context: { permissionMode: 'auto' } }]);
    expect(seen.asked).toBe(0);
  });
});

describe.concurrent(`settings on disk, with ${pinnedVersion}`, () => {
  const settings = { permissions: { defaultMode: 'acceptEdits' } };
  const onDisk = ({ home }: Scene): void =>
    writeFileSync(join(home.configDir, 'settings.json'), JSON.stringify(settings));

  it('[O-6, P-1] do not bypass a guard', async () => {
    const seen = guard();
    const { written } = await attempt(pinnedVersion, { canUseTool: seen.canUseTool }, onDisk);
    expect([seen.asked, written]).toEqual([1, false]);
  });

  it('[O-6] decide without a guard, and the settings of the options decide even with one', async () => {
    expect(await attempt(pinnedVersion, {}, onDisk)).toMatchObject({ written: true, mode: 'acceptEdits' });
    const seen = guard();
    const given = await attempt(pinnedVersion, { canUseTool: seen.canUseTool, settings });
    expect(given).toMatchObject({ written: true, mode: 'acceptEdits', warnings: [] });
    expect(seen.asked).toBe(0);
  });
});
