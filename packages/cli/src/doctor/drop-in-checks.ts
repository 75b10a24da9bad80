import { existsSync } from 'node:fs';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dropInAdvice } from './drop-in-advice.ts';
import { type Finding, failed, ok, skipped, warning } from './finding.ts';

const OFFICIAL = '@anthropic-ai/claude-agent-sdk';
const DROP_IN = '@coxswain/drop-in';
const PLATFORM = `${OFFICIAL}-${process.platform}-${process.arch}`;

/** Which package a program in `folder` gets for the official SDK, and whether another copy exists below `node_modules`. */
export async function dropInFindings(folder: string): Promise<Finding[]> {
  const check = 'Drop-in';
  const used = await nearest(folder);
  const { next, lines } = await dropInAdvice(folder);
  if (used === undefined && existsSync(join(folder, '.pnp.cjs'))) {
    return [skipped(check, `Yarn Plug'n'Play has no node_modules: "yarn why ${OFFICIAL}" shows what a program gets`)];
  }
  if (used === undefined) {
    const message = `no ${OFFICIAL} is installed for ${folder}`;
    return [failed(check, message, `${next} Run this in the folder of your program.`, lines)];
  }
  const first =
    used.name === DROP_IN
      ? ok(check, `programs in this folder use ${DROP_IN} ${used.version} (${used.path})`)
      : failed(check, `programs in this folder use the official SDK ${used.version} (${used.path})`, next, lines);
  const hidden = (await copiesBelow(dirname(dirname(used.at)))).filter(
    ({ name, path }) => name !== DROP_IN && path !== used.path,
  );
  return [
    first,
    ...(used.name === DROP_IN ? await platformFinding(check, used) : []),
    ...hidden.map(({ path, version }) =>
      warning(
        check,
        `a library has its own copy of the official SDK ${version} (${path})`,
        `Replace it as well: add ${lines.at(-1)}, and install again.`,
      ),
    ),
  ];
}

/** The official SDK brings the CLI in a package for each platform, which some programs look up themselves. */
async function platformFinding(check: string, { at }: Copy): Promise<Finding[]> {
  if (await copyAt(join(dirname(dirname(at)), PLATFORM))) return [];
  return [ok(check, `${PLATFORM} is not installed: a program that looks it up itself needs it as a dependency`)];
}

interface Copy {
  /** Its location in a `node_modules` folder. */
  readonly at: string;
  /** The same location with links resolved. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
}

/** The package that Node finds from `folder`. */
async function nearest(folder: string): Promise<Copy | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const copy = await copyAt(join(at, 'node_modules', OFFICIAL));
    if (copy || dirname(at) === at) return copy;
  }
}

/** Copies in the `node_modules` folders of packages, as nested by npm and yarn, and in pnpm's store. */
async function copiesBelow(modules: string): Promise<Copy[]> {
  const packages = await packagesIn(modules);
  const pnpm = (await entriesOf(join(modules, '.pnpm'))).map((name) => join(modules, '.pnpm', name, 'node_modules'));
  const places = [...packages.map((path) => join(path, 'node_modules')), ...pnpm];
  const found = await Promise.all(places.map((place) => copyAt(join(place, OFFICIAL))));
  const byPath = new Map(found.flatMap((copy) => (copy ? [[copy.path, copy] as const] : [])));
  return [...byPath.values()];
}

async function packagesIn(modules: string): Promise<string[]> {
  const names = await entriesOf(modules);
  const scoped = await Promise.all(
    names
      .filter((name) => name.startsWith('@'))
      .map(async (scope) => (await entriesOf(join(modules, scope))).map((name) => join(modules, scope, name))),
  );
  return [...names.filter((name) => !/^[@.]/.test(name)).map((name) => join(modules, name)), ...scoped.flat()];
}

async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function copyAt(at: string): Promise<Copy | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(at, 'package.json'), 'utf8'));
    const { name, version } = Object(manifest);
    return { at, path: await realpath(at), name: String(name), version: String(version) };
  } catch {
    return undefined;
  }
}
