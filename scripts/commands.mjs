// The commands of `npm run do -- <name>`, in groups. Those of every day are scripts of package.json instead.

/**
 * @typedef {object} Command
 * @property {string} name
 * @property {string} does one line for the list
 * @property {'build' | 'downloads'} [needs] the built packages, or also what the tests download
 * @property {readonly string[][]} run arguments of Node for one process after the other; the first gets those of the caller
 */

const TSX = ['--import', 'tsx'];
const VITEST = ['node_modules/vitest/vitest.mjs', 'run'];

/** @type {readonly { group: string, commands: readonly Command[] }[]} */
export const GROUPS = [
  {
    group: 'Tests',
    commands: [
      {
        name: 'test:real',
        does: 'only the tests on the real CLI',
        needs: 'downloads',
        run: [[...VITEST, '--project', 'real']],
      },
      {
        name: 'test:older',
        does: 'conformance on 2.1.197; what holds on every supported release on 2.1.97 and 2.1.290',
        needs: 'downloads',
        run: [['scripts/suites/older-releases.mjs']],
      },
      {
        name: 'test:parked',
        does: 'the real CLI with parked requests; COXSWAIN_LONG=1 for each release, after test:older',
        needs: 'downloads',
        run: [[...VITEST, '--project', 'parked']],
      },
      {
        name: 'test:rehearsals',
        does: 'the real CLI with rehearsals of recorded conversations, and guards under attack',
        needs: 'downloads',
        run: [[...VITEST, '--project', 'rehearsals']],
      },
      {
        name: 'test:clients',
        does: 'clients from npm on the official SDK and on the drop-in, compared; --node 22 for the newest',
        needs: 'build',
        run: [['scripts/suites/clients.mjs']],
      },
      {
        name: 'types:drop-in',
        does: "the drop-in's declarations against the official package's; --name Options for one name",
        needs: 'build',
        run: [['packages/drop-in/clients/install.mjs'], [...TSX, 'scripts/suites/drop-in-types.mjs']],
      },
      {
        name: 'test:projects',
        does: 'the projects of examples/testing and new ones of create-coxswain, with packed packages',
        needs: 'build',
        run: [['scripts/suites/example-projects.mjs']],
      },
      {
        name: 'test:pgbouncer',
        does: 'a fleet behind PgBouncer in both modes, from the Debian package, not installed',
        needs: 'build',
        run: [[...TSX, 'scripts/suites/pgbouncer.mjs']],
      },
      {
        name: 'test:container',
        does: 'builds and starts the image of examples/container; needs root, buildah and debootstrap',
        needs: 'build',
        run: [[...TSX, 'scripts/suites/container.mjs']],
      },
      {
        name: 'test:runtimes',
        does: 'the suites on each Node line, Bun and Deno; --only 24 --suite unit for some',
        needs: 'downloads',
        run: [['scripts/suites/runtimes.mjs']],
      },
      {
        name: 'test:live',
        does: 'six conversations on the real API with COXSWAIN_LIVE=1; at most $0.05, never in CI',
        needs: 'build',
        run: [['scripts/suites/live.mjs']],
      },
    ],
  },
  {
    group: 'Trials (long, random)',
    commands: [
      {
        name: 'walk',
        does: 'random walks on the real CLI; --seeds 100 --steps 40, --shrink, --replay <file>',
        needs: 'build',
        run: [[...TSX, 'scripts/trials/walk.mjs']],
      },
      {
        name: 'chaos',
        does: 'turns of a fleet while workers and PostgreSQL are killed; --turns 300 --outage 3000 --seed 7',
        needs: 'build',
        run: [[...TSX, 'scripts/trials/chaos.mjs']],
      },
      {
        name: 'chaos:cli',
        does: 'the same with the real CLI; --turns 100 --kills 10',
        needs: 'build',
        run: [[...TSX, 'scripts/trials/chaos-cli.mjs']],
      },
      {
        name: 'fleet:hosts',
        does: 'a fleet on three hosts (network namespaces, as root) whose links are cut; --turns 300 --cuts 12',
        needs: 'build',
        run: [[...TSX, 'scripts/trials/fleet-hosts.mjs']],
      },
      {
        name: 'kills:clear',
        does: 'kills the CLI of restarting sessions around clear(); --rounds 50',
        needs: 'build',
        run: [[...TSX, 'scripts/suites/clear-kills.mjs']],
      },
      {
        name: 'soak',
        does: 'thousands of runs one after the other; --minutes 30 for mixed load with kills',
        needs: 'build',
        run: [[...TSX, 'scripts/trials/soak.mjs']],
      },
      {
        name: 'fuzz',
        does: 'random frames, cut anywhere; --frames 5000000 --seed 1',
        run: [[...TSX, 'scripts/fuzz/fuzz.mjs']],
      },
      {
        name: 'mutants',
        does: 'which random changes of the sources no unit test notices; --count 200 --seed 1',
        needs: 'build',
        run: [['scripts/mutants/mutants.mjs']],
      },
      {
        name: 'rehearsal:measure',
        does: '200 generated conversations rehearsed with ten planted changes; --conversations 10',
        needs: 'build',
        run: [[...TSX, 'conformance/rehearsal/measure.ts']],
      },
    ],
  },
  {
    group: 'Measurements of the CLI',
    commands: [
      {
        name: 'conformance',
        does: 'what releases support, for docs/compatibility.md; --cli <version>,… or --newest',
        run: [[...TSX, 'scripts/trials/conformance.mjs']],
      },
      {
        name: 'permissions',
        does: 'which commands each permission rule covers, for the scripted CLI',
        needs: 'build',
        run: [
          [...TSX, 'conformance/permissions/measure.ts'],
          [...TSX, 'conformance/scenarios/write-page.ts'],
          ['scripts/fetch/tool.mjs', 'biome', 'check', '--write'],
        ],
      },
      {
        name: 'record:frames',
        does: 'records the frames of a release for the tests of the wire',
        needs: 'build',
        run: [[...TSX, 'conformance/record-frames.ts']],
      },
      {
        name: 'follow',
        does: 'follows the newest CLI and official SDK; writes a report of what a person must decide',
        needs: 'downloads',
        run: [[...TSX, 'scripts/follow/follow.mjs']],
      },
    ],
  },
  {
    group: 'Benchmarks',
    commands: [
      {
        name: 'bench:fleet',
        does: 'dispatch, throughput, takeover, memory, parked turns, growth; --quick',
        needs: 'build',
        run: [[...TSX, 'bench/fleet.mjs']],
      },
      {
        name: 'bench:inspector',
        does: "the inspector's page in a browser: size, paint, event to pixel, memory",
        needs: 'build',
        run: [[...TSX, 'scripts/trials/inspector-figures.mjs']],
      },
      {
        name: 'bench:faults',
        does: 'the fault scenarios on Coxswain and on the official SDK; minutes',
        needs: 'build',
        run: [['bench/faults.mjs']],
      },
      {
        name: 'bench:profile',
        does: 'CPU profiles of the scenarios that have a limit against bare Node',
        needs: 'build',
        run: [['bench/profile.mjs']],
      },
    ],
  },
  {
    group: 'Checks',
    commands: [
      {
        name: 'contract',
        does: 'the rules of docs/contract.md that no test names; --all for the whole table',
        run: [['scripts/docs/contract.mjs']],
      },
      {
        name: 'check:package',
        does: 'publint and attw on the packed tarballs',
        needs: 'build',
        run: [['scripts/build/check-package.mjs']],
      },
      {
        name: 'licences',
        does: 'the licence of every package in the lockfiles',
        run: [['scripts/licences/licences.mjs']],
      },
      {
        name: 'surface',
        does: 'how many names each entry point exports; --root <path> for another checkout',
        run: [['scripts/build/surface.mjs']],
      },
      {
        name: 'shape',
        does: 'sizes, cycles and ways through the core; --write redraws the architecture pages',
        run: [['scripts/shape/shape.mjs']],
      },
    ],
  },
  {
    group: 'Documentation',
    commands: [
      {
        name: 'docs:site',
        does: 'builds the site with the API reference into .cache/site/dist',
        run: [['scripts/docs/site.mjs']],
      },
      {
        name: 'docs:dev',
        does: 'serves the site while pages are written',
        run: [['scripts/docs/site.mjs', '--dev']],
      },
      {
        name: 'snippets',
        does: 'copies the code blocks of the pages from the files in examples/; --check compares',
        run: [['scripts/docs/snippets.mjs']],
      },
      {
        name: 'reliability',
        does: 'the measured part of docs/reliability.md from the last results',
        run: [['scripts/reliability/reliability.mjs']],
      },
      {
        name: 'demo:record',
        does: 'plays the demo in a terminal and draws docs/demo.svg',
        needs: 'build',
        run: [[...TSX, 'scripts/demo/record.mjs']],
      },
      {
        name: 'trace:picture',
        does: 'draws the trace of the OpenTelemetry guide',
        needs: 'build',
        run: [[...TSX, 'scripts/docs/trace-picture.mjs']],
      },
      {
        name: 'fonts',
        does: "makes the fonts of the inspector's page from those in tools/fonts",
        run: [['scripts/docs/page-fonts.mjs']],
      },
      {
        name: 'screenshots',
        does: 'takes the pictures of the inspector in docs/images',
        needs: 'build',
        run: [[...TSX, 'scripts/docs/inspector-screenshots.mjs']],
      },
    ],
  },
  {
    group: 'Releases',
    commands: [
      {
        name: 'release',
        does: 'one step of a release; without arguments, the list of steps',
        run: [['scripts/release/release.mjs']],
      },
      {
        name: 'release:rehearse',
        does: 'the whole release on a registry on loopback; --only npm,bun --keep',
        needs: 'build',
        run: [['scripts/release/rehearse.mjs']],
      },
    ],
  },
];

/** @param {string} name */
export function commandNamed(name) {
  return GROUPS.flatMap(({ commands }) => commands).find((command) => command.name === name);
}
