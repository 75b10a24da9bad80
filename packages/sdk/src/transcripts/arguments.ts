import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { type Check, flag, oneOf, shape, text, whole } from '../options/checks.ts';
import { isSessionId } from './project-folder.ts';

const line = text();
const place = { cwd: line, configDir: line };
const page = { limit: whole(1), offset: whole(0) };
const title = text({ pattern: /^(?=.*\S)[\s\S]{1,1000}$/, what: 'a title of up to 1000 characters' });

/** What each function takes. */
export const checks: Readonly<Record<'list' | 'place' | 'messages' | 'fork', Check>> = {
  list: shape({ ...place, ...page, sort: oneOf('updated', 'created') }),
  place: shape(place),
  messages: shape({
    ...place,
    ...page,
    // It becomes part of a path.
    agentId: text({ pattern: /^[\w-]{1,100}$/, what: 'the id of a subagent' }),
    beforeCompaction: flag,
    sidechains: flag,
  }),
  fork: shape({ ...place, upTo: line, title }),
};

/** Checks the arguments of a function; `given` are named as its parameters are. @throws OptionsError */
export function checkArguments(check: Check, options: unknown, given: { sessionId?: unknown; title?: unknown }): void {
  const problems: OptionProblem[] = [];
  const report = (path: string, message: string): void => void problems.push({ path, message });
  if ('sessionId' in given && !(typeof given.sessionId === 'string' && isSessionId(given.sessionId))) {
    report('sessionId', 'must be the id of a session, a UUID.');
  }
  if ('title' in given) title(given.title, 'title', report);
  check(options, 'options', report);
  if (problems.length > 0) throw new OptionsError(problems);
}
