import type { FakeApi } from '@coxswain/testkit';
import type { IsolatedHome } from '../../../../conformance/harness/isolated-home.ts';
import { realCli } from '../../../../conformance/harness/real-cli.ts';

/** Converts a value to JSON data with fixed names for ids, paths, ports, times and costs of one run. */
export function normalised<T>(
  value: T,
  { home, api }: { readonly home: IsolatedHome; readonly api: Pick<FakeApi, 'url'> },
): T {
  const places: readonly (readonly [string, string])[] = [
    [home.project.replace(/[^A-Za-z0-9]/g, '-'), '<project-key>'],
    [home.project, '<project>'],
    [home.configDir, '<config>'],
    [home.home, '<home>'],
    [home.root, '<root>'],
    [api.url, '<api>'],
    [new URL(api.url).host, '<api-host>'],
    [realCli(), '<cli>'],
  ];
  let json = JSON.stringify(value);
  for (const [place, name] of places) json = json.replaceAll(place, name);
  for (const [pattern, name] of VARYING) json = json.replace(pattern, name);
  return JSON.parse(json);
}

const VARYING: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>'],
  [/(toolu|msg|req)_01Fake\d+/g, '<$1>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/("(?:\w*(?:_ms|Ms|durationMs|mtime|lastModified|createdAt|updatedAt))"):\d+(?:\.\d+)?/g, '$1:0'],
];
