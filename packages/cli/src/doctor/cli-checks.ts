import { compareVersions } from '@coxswain/shared/version';
import type { CliInspection, InstalledCopy } from 'coxswain/cli';
import { howToUse } from '../own-copy/install.ts';
import { type Finding, failed, ok, skipped, warning } from './finding.ts';

/** Where the CLI was searched for, and whether it was found. `copies` are those that `cox cli install` has downloaded. */
export function locationFinding({ found, searched, pinned }: CliInspection, copies: readonly InstalledCopy[]): Finding {
  const check = 'Claude Code';
  const places = searched.map(({ place, reason }) => `${place}: ${reason}`);
  if (found !== undefined) {
    const via = found.foundAt === found.path ? '' : `, by ${found.foundAt}`;
    const passedOver = places.length > 0 ? { places } : {};
    return { ...ok(check, `${found.path} (${found.source}${via})`), ...passedOver };
  }
  const copy = copies.find(({ version }) => version === pinned) ?? copies.at(-1);
  if (copy !== undefined) {
    const message = `not found, but ${copy.version} was downloaded`;
    return { ...failed(check, message, `${capital(howToUse(copy.version))}.`), places };
  }
  const next = `Install it (npm install -g @anthropic-ai/claude-code), set COXSWAIN_CLI to its path, or download ${pinned}: cox cli install.`;
  return { ...failed(check, 'not found', next), places };
}

/** Whether it is new enough, and how it compares with the release that this version is tested with. */
export function versionFinding({ found, version, supported, newer, minimum, pinned }: CliInspection): Finding {
  const check = 'Version';
  if (found === undefined || version === undefined) return skipped(check, 'no CLI was found');
  if (version.kind === 'failed') {
    return failed(
      check,
      `could not be determined: ${version.reason}`,
      `Run it by hand: ${found.command.join(' ')} --version`,
    );
  }
  if (version.kind === 'unparseable') {
    return warning(
      check,
      `it printed no version number: ${version.output.slice(0, 80)}`,
      'Check that it is Claude Code.',
    );
  }
  const update = 'Update it: claude update, or npm install -g @anthropic-ai/claude-code@latest.';
  if (supported === 'no') {
    return failed(check, `${version.version} is older than ${minimum}, the oldest that cox supports`, update);
  }
  if (newer !== undefined) {
    const known = newer.differences.length === 0 ? 'No differences are known.' : newer.differences.join(' ');
    const message = `${newer.version} is newer than ${newer.measured}, the newest release that was measured. ${known}`;
    return warning(check, message, 'Update cox, or use the measured release: cox cli install, then --cli pinned.');
  }
  const relation = compareVersions(version.version, pinned);
  if (relation < 0) return ok(check, `${version.version} (tested with ${pinned}; older ones may lack newer options)`);
  return ok(check, `${version.version}, the release cox is tested with`);
}

/** The output of `claude auth status`. */
export interface LoginStatus {
  readonly loggedIn: boolean;
  readonly authMethod?: string | undefined;
  readonly apiProvider?: string | undefined;
  readonly apiKeySource?: string | undefined;
  readonly email?: string | undefined;
}

/** Whether the user is logged in, according to the CLI. */
export function loginFinding({ found }: CliInspection, login: LoginStatus | undefined): Finding {
  const check = 'Login';
  if (found === undefined) return skipped(check, 'no CLI was found');
  if (login === undefined)
    return skipped(check, 'this CLI cannot report its login; the first run will show whether it works');
  if (!login.loggedIn) {
    return failed(check, 'not logged in', 'Run `claude` and log in with /login, or set ANTHROPIC_API_KEY.');
  }
  const how = [login.authMethod, login.apiKeySource && `from ${login.apiKeySource}`, login.email].filter(Boolean);
  const where = login.apiProvider === undefined || login.apiProvider === 'firstParty' ? '' : `, ${login.apiProvider}`;
  return ok(check, `${how.join(', ') || 'yes'}${where}`);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
