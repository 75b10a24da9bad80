import './styles/main.css';
import { render } from 'preact';
import type { ServerEvent } from '../api.ts';
import { App } from './app.tsx';
import { followApiLinks } from './connection/api-links.ts';
import { startEvents } from './connection/event-stream.ts';
import { login, loginNeeded, loginProblem, RequestError } from './connection/http.ts';
import { followInfo, loadInfo } from './connection/server-info.ts';
import { openTranscript } from './conversation/open-transcript.ts';
import { followTurns } from './detail/turn-events.ts';
import { notifyFailure } from './layout/toasts.tsx';
import { followApprovals } from './needs/approvals.ts';
import { followFigures } from './plots/stats-version.ts';
import { announceRequests } from './reach/announce-requests.ts';
import { followList } from './sessions/conversations.ts';
import { announce } from './transcript/announcer.tsx';

const root = document.getElementById('app');
if (root !== null) render(<App onLogin={() => void start()} />, root);
followApiLinks();
announceRequests();
// A restarted server has a new URL, which differs only in its fragment; the user may open it in the same tab.
window.addEventListener('hashchange', () => location.hash.startsWith('#token=') && location.reload());
void start();

/** Logs in with the token in the URL, if present, and follows the server's events. */
async function start(): Promise<void> {
  try {
    const token = /^#token=([^&]+)/.exec(location.hash)?.[1];
    if (token !== undefined) {
      history.replaceState(null, '', `${location.pathname}${location.search}#/`);
      await login(decoded(token));
    }
    await loadInfo();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.code === 'wrong-token') {
      loginProblem.value = 'The token in this address is wrong or no longer valid.';
      loginNeeded.value = true;
    }
    if (error.code !== 'wrong-token' && error.code !== 'unreachable' && !loginNeeded.value)
      notifyFailure(error.message);
    if (loginNeeded.value) return;
  }
  startEvents((events) => {
    for (const event of events) follow(event);
  });
}

/** A token that was cut while it was copied may end in half an escape; the server then reports that it is wrong. */
function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

function follow(event: ServerEvent): void {
  followList(event);
  followApprovals(event);
  followFigures(event);
  followInfo(event);
  followTurns(event);
  openTranscript.peek()?.follow(event);
  announce(event);
}
