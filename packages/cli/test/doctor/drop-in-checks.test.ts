import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dropInFindings } from '../../src/doctor/drop-in-checks.ts';

const OFFICIAL = '@anthropic-ai/claude-agent-sdk';
const PLATFORM = `${OFFICIAL}-${process.platform}-${process.arch}`;

/** A folder with these packages, by location. */
async function folderWith(packages: Readonly<Record<string, { name: string; version: string }>>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'cox-drop-in-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'src'));
  for (const [place, manifest] of Object.entries(packages)) {
    await mkdir(join(folder, place), { recursive: true });
    await writeFile(join(folder, place, 'package.json'), JSON.stringify(manifest));
  }
  return folder;
}

const ours = { name: '@coxswain/drop-in', version: '0.3.10001' };
const theirs = { name: OFFICIAL, version: '0.3.100' };
const statuses = async (folder: string): Promise<string[][]> =>
  (await dropInFindings(folder)).map(({ status, message }) => [status, message.replaceAll(folder, '<folder>')]);

describe('cox doctor --drop-in', () => {
  it('[L-1] reports that the drop-in is used, also from a subfolder', async () => {
    const folder = await folderWith({ [`node_modules/${OFFICIAL}`]: ours });
    const expected = [
      ['ok', expect.stringContaining('use @coxswain/drop-in 0.3.10001')],
      ['ok', `${PLATFORM} is not installed: a program that looks it up itself needs it as a dependency`],
    ];
    expect(await statuses(folder)).toEqual(expected);
    expect(await statuses(join(folder, 'src'))).toEqual(expected);
  });

  it('[L-1] reports that the official SDK is used, or that none is installed', async () => {
    const folder = await folderWith({ [`node_modules/${OFFICIAL}`]: theirs });
    expect(await statuses(folder)).toEqual([['failed', expect.stringContaining('use the official SDK 0.3.100')]]);
    const [finding] = await dropInFindings(folder);
    expect(finding?.details).toEqual([
      `"dependencies": { "${OFFICIAL}": "npm:@coxswain/drop-in@latest" },`,
      `"overrides": { "${OFFICIAL}": "npm:@coxswain/drop-in@latest" }`,
    ]);
    expect(await statuses(await folderWith({}))).toEqual([['failed', expect.stringContaining('is installed')]]);
  });

  it('[L-1] does not mention the package of the platform if it is installed', async () => {
    const platform = { name: PLATFORM, version: '0.3.100' };
    const folder = await folderWith({ [`node_modules/${OFFICIAL}`]: ours, [`node_modules/${PLATFORM}`]: platform });
    expect(await statuses(folder)).toHaveLength(1);
  });

  it('[L-1] explains that Yarn 1 needs the dependency beside the resolution', async () => {
    const folder = await folderWith({ [`node_modules/${OFFICIAL}`]: theirs });
    const nextSteps = async (): Promise<string | undefined> => (await dropInFindings(folder))[0]?.next;
    expect(await nextSteps()).toContain('Add these lines to package.json');
    const resolutions = { [OFFICIAL]: 'npm:@coxswain/drop-in@0.3.10001' };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ resolutions }));
    expect(await nextSteps()).toContain('Yarn 1 does not apply "resolutions" to direct dependencies');
    expect((await dropInFindings(folder))[0]?.details?.[1]).toBe(
      `"resolutions": { "${OFFICIAL}": "npm:@coxswain/drop-in@0.3.10001" }`,
    );
  });

  it('[L-1] explains that tarballs need an override of coxswain, except with npm', async () => {
    const folder = await folderWith({});
    const nextStep = async (): Promise<string | undefined> => (await dropInFindings(folder))[0]?.next;
    const tarball = { [OFFICIAL]: 'file:../coxswain-drop-in-0.3.10001.tgz' };
    const manifest = { dependencies: tarball, overrides: tarball };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    expect(await nextStep()).not.toContain('coxswain, which npm does not have');
    await writeFile(join(folder, 'bun.lock'), '');
    expect(await nextStep()).toContain('add "coxswain": "file:…/coxswain-….tgz" to "overrides"');
    const overrides = { ...tarball, coxswain: 'file:../coxswain-0.2.0.tgz' };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, overrides }));
    expect(await nextStep()).toContain('Add these lines to package.json');
    await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, packageManager: 'pnpm@10.0.0' }));
    expect(await nextStep()).toContain('coxswain, which npm does not have');
    await writeFile(join(folder, 'pnpm-workspace.yaml'), "overrides:\n  'coxswain': file:../coxswain-0.2.0.tgz\n");
    expect(await nextStep()).toContain('package.json and pnpm-workspace.yaml');
  });

  it("[L-1] names the command that looks into Yarn Plug'n'Play", async () => {
    const folder = await folderWith({});
    await writeFile(join(folder, '.pnp.cjs'), '');
    expect(await statuses(folder)).toEqual([['skipped', expect.stringContaining(`"yarn why ${OFFICIAL}"`)]]);
  });

  it('[L-1] finds separate copies of libraries, as nested by npm, yarn and pnpm', async () => {
    const folder = await folderWith({
      [`node_modules/${OFFICIAL}`]: ours,
      [`node_modules/client/node_modules/${OFFICIAL}`]: theirs,
      [`node_modules/@scope/other/node_modules/${OFFICIAL}`]: theirs,
      [`node_modules/.pnpm/sdk@0.3.100/node_modules/${OFFICIAL}`]: theirs,
      [`node_modules/fine/node_modules/${OFFICIAL}`]: ours,
    });
    await mkdir(join(folder, 'node_modules/linked/node_modules/@anthropic-ai'), { recursive: true });
    const target = join(folder, `node_modules/client/node_modules/${OFFICIAL}`);
    await symlink(target, join(folder, `node_modules/linked/node_modules/${OFFICIAL}`));
    const [first, , ...copies] = await statuses(folder);
    expect(first?.[0]).toBe('ok');
    expect(copies.map(([status]) => status)).toEqual(['warning', 'warning', 'warning']);
  });
});
