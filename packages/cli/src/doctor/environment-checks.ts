import { createRedactor, secretsIn } from 'coxswain/transport';
import { type Finding, failed, ok, warning } from './finding.ts';

/** Whether this version of Node is supported. */
export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  return isEnough ? ok('Node', version) : failed('Node', `${version} is too old`, 'Install Node 20.19 or newer.');
}

/** The environment variables that change how the API is reached. `isFile` returns whether a file exists. */
export function networkFindings(env: NodeJS.ProcessEnv, isFile: (path: string) => boolean): Finding[] {
  const check = 'Network';
  const findings: Finding[] = [];
  const proxy = firstOf(env, 'HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy');
  if (proxy !== undefined) {
    findings.push(
      isUrl(proxy.value)
        ? ok(check, `through the proxy ${withoutPassword(proxy.value)} (${proxy.name})`)
        : failed(
            check,
            `${proxy.name} is not a URL`,
            `Set it to a URL such as http://proxy.example:3128, or unset it.`,
          ),
    );
  }
  const authority = env.NODE_EXTRA_CA_CERTS;
  if (authority && !isFile(authority)) {
    findings.push(
      failed(check, `NODE_EXTRA_CA_CERTS names ${authority}, which does not exist`, 'Correct the path, or unset it.'),
    );
  } else if (authority) {
    findings.push(ok(check, `certificates of ${authority} are trusted (NODE_EXTRA_CA_CERTS)`));
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const next = 'Unset it, and name your certificate authority in NODE_EXTRA_CA_CERTS instead.';
    findings.push(warning(check, 'certificates are not checked (NODE_TLS_REJECT_UNAUTHORIZED=0)', next));
  }
  if (env.ANTHROPIC_BASE_URL) {
    findings.push(
      isUrl(env.ANTHROPIC_BASE_URL)
        ? ok(check, `the API address is ${withoutPassword(env.ANTHROPIC_BASE_URL)} (ANTHROPIC_BASE_URL)`)
        : failed(check, 'ANTHROPIC_BASE_URL is not a URL', 'Correct it, or unset it.'),
    );
  }
  return findings.length > 0 ? findings : [ok(check, 'no proxy, no additional certificates, the usual API')];
}

function firstOf(env: NodeJS.ProcessEnv, ...names: string[]): { name: string; value: string } | undefined {
  const name = names.find((candidate) => env[candidate]);
  const value = name === undefined ? undefined : env[name];
  return name === undefined || value === undefined ? undefined : { name, value };
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\/[^\s/]+/i.test(text);
}

/** Removes secrets: a password may contain an `@`, and a token may follow the question mark. */
function withoutPassword(url: string): string {
  return createRedactor(secretsIn({ url }))(url.replace(/\/\/[^/?#]*@/, '//***@'));
}
