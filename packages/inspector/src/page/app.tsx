import type { ComponentChild } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Audit } from './audit/load-audit.ts';
import { Changes } from './changes/load-changes.ts';
import { Compare } from './compare/load-compare.ts';
import { loginNeeded } from './connection/http.ts';
import { LoginBar, LoginView } from './connection/login-view.tsx';
import { LostBar } from './connection/lost-bar.tsx';
import { serverInfo } from './connection/server-info.ts';
import { ConversationView } from './conversation/conversation-view.tsx';
import { DetailPanel } from './detail/panel.tsx';
import { detailOpen } from './detail/panel-state.ts';
import { HomeView } from './home/home-view.tsx';
import { Help, helpOpen } from './layout/help.tsx';
import { Icon } from './layout/icon.tsx';
import { onKey } from './layout/shortcuts.ts';
import { ThemeButton } from './layout/theme.tsx';
import { Toasts } from './layout/toasts.tsx';
import { NeedsBar } from './needs/needs-bar.tsx';
import { NeedsView } from './needs/needs-view.tsx';
import { Palette } from './palette/load-palette.ts';
import { paletteOpen } from './palette/palette-open.ts';
import { Costs } from './plots/load-costs.tsx';
import { PrintPage } from './print/load-print.ts';
import { QueuesView } from './queues/queues-view.tsx';
import { ReachMenu } from './reach/reach-menu.tsx';
import { route, show } from './route.ts';
import { listLoaded } from './sessions/conversations.ts';
import { ConversationList } from './sessions/list.tsx';
import { SearchView } from './sessions/search-view.tsx';
import { Announcer } from './transcript/announcer.tsx';
import { Waterfall } from './waterfall/load-waterfall.ts';

/** The whole page. */
export function App({ onLogin }: { readonly onLogin: () => void }): ComponentChild {
  useLayoutEffect(() => onKey('n', () => show({ view: 'needs' })), []);
  // What a page has shown stays readable: only its server has changed.
  if (loginNeeded.value && !listLoaded.value) return <LoginView onDone={onLogin} />;
  const { view } = route.value;
  const id = route.value.view === 'conversation' ? route.value.id : null;
  return (
    <div class="shell">
      {loginNeeded.value ? <LoginBar onDone={onLogin} /> : <LostBar />}
      <NeedsBar />
      <main class="columns" data-view={view} data-detail={id !== null && detailOpen.value ? 'open' : 'closed'}>
        <nav class="column-side" aria-label="Conversations">
          <Brand />
          <ConversationList />
        </nav>
        <section class="column-main" aria-label="View">
          {/* The heading above the list is hidden on narrow pages. */}
          <h1 class="hidden-visually only-narrow">Coxswain</h1>
          <Main />
        </section>
        {id === null ? null : <DetailPanel id={id} />}
      </main>
      <Announcer />
      <Toasts />
      <Help />
      {paletteOpen.value ? <Palette /> : null}
    </div>
  );
}

function Main(): ComponentChild {
  const current = route.value;
  switch (current.view) {
    case 'conversation':
      return <ConversationView key={current.id} id={current.id} entry={current.entry} />;
    case 'turn':
      return <Waterfall id={current.id} turn={current.turn} />;
    case 'changes':
      return <Changes id={current.id} path={current.path} />;
    case 'print':
      return <PrintPage id={current.id} />;
    case 'compare':
      return <Compare id={current.id} other={current.other} />;
    case 'needs':
      return <NeedsView />;
    case 'costs':
      return <Costs />;
    case 'audit':
      return <Audit />;
    case 'queues':
      return <QueuesView />;
    case 'search':
      return <SearchView query={current.query} />;
    default:
      return <HomeView />;
  }
}

function Brand(): ComponentChild {
  const info = serverInfo.value;
  return (
    <header class="brand">
      <h1>
        <a href="#/">Coxswain</a>
      </h1>
      {info?.demo ? <span class="tag small">demo</span> : null}
      {info?.readOnly ? <span class="tag small">read-only</span> : null}
      <span class="grow" />
      {info?.has.queues ? (
        <a class="button button-plain button-icon" href="#/queues" aria-label="Queues" title="Queues">
          <Icon name="queue" />
        </a>
      ) : null}
      <a class="button button-plain button-icon" href="#/costs" aria-label="Costs" title="Costs">
        <Icon name="chart" />
      </a>
      <ReachMenu />
      <ThemeButton />
      <button
        type="button"
        class="button button-plain button-icon only-wide"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => (helpOpen.value = true)}
      >
        <Icon name="question" />
      </button>
    </header>
  );
}
