import '../styles/changes.css';
import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ChangedFile, ChangesPage } from '../../api.ts';
import { connection } from '../connection/event-stream.ts';
import { getJson } from '../connection/http.ts';
import { inRequestOrder } from '../connection/request-order.ts';
import { Icon } from '../layout/icon.tsx';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { usePaced } from '../layout/use-paced.ts';
import { ViewHead } from '../layout/view-head.tsx';
import { linkToConversation } from '../route.ts';
import { conversationOf, needsFetch } from '../sessions/conversations.ts';
import { loadConversation } from '../sessions/load-conversation.ts';
import { plural } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { CopyPatch } from './copy-patch.tsx';
import { FileView } from './file-view.tsx';
import { FileTree } from './tree-view.tsx';

/** Shortest interval between two fetches. */
const PAUSE_MS = 2_000;

/** All edits of a conversation: the files it has changed, and the merged changes of one of them. */
export function ChangesView({ id, path }: { readonly id: string; readonly path: string | null }): ComponentChild {
  const page = useSignal<ChangesPage | null>(null);
  const read = useMemo(() => inRequestOrder<ChangesPage>((found) => (page.value = found)), [id]);
  const conversation = conversationOf(id);
  const isLive = connection.value === 'live';
  const base = `api/conversations/${encodeURIComponent(id)}/changes`;
  useEffect(() => {
    if (needsFetch(id)) void loadConversation(id);
  }, [id, isLive]);
  usePaced(PAUSE_MS, () => read(() => getJson(base)), [id, isLive, conversation?.entries, conversation?.turns]);
  const files = page.value?.files ?? [];
  const chosen = files.find((file) => file.path === path) ?? null;
  const shown = chosen ?? files[0] ?? null;
  return (
    <>
      <ViewHead title="Changes" note={noteOf(page.value, conversation?.title)}>
        {files.length === 0 ? null : <CopyPatch base={base} label="Copy as patch" />}
        <a class="button" href={linkToConversation(id)}>
          <Icon name="list" />
          <span class="only-wide">Transcript</span>
          <span class="only-narrow hidden-visually">Transcript</span>
        </a>
      </ViewHead>
      <ScrollRegion name="view changes" label="Changed files">
        {page.value === null || shown === null ? (
          page.value === null ? null : (
            <NoChanges />
          )
        ) : (
          <div class="changes-columns" data-chosen={chosen !== null}>
            <FileTree id={id} page={page.value} shown={shown.path} />
            <FileView key={`${id} ${shown.path}`} id={id} base={base} file={shown} folder={page.value.folder} />
          </div>
        )}
        {page.value === null || page.value.leftOut === 0 ? null : (
          <p class="small quiet">{plural(page.value.leftOut, 'later edit')} not shown</p>
        )}
      </ScrollRegion>
    </>
  );
}

function NoChanges(): ComponentChild {
  return (
    <div class="empty">
      <h2>No changes</h2>
      <p class="quiet">
        No tool has edited a file in this conversation. Changes by commands, such as <code>sed -i</code>, are not shown.
      </p>
    </div>
  );
}

function noteOf(page: ChangesPage | null, title: string | undefined): string {
  if (page === null) return 'Loading …';
  const sum = (name: 'added' | 'removed'): number => page.files.reduce((all, file: ChangedFile) => all + file[name], 0);
  const size =
    page.files.length === 0 ? '' : `${plural(page.files.length, 'file')} · +${sum('added')} −${sum('removed')}`;
  return [size, visible(title ?? '')].filter(Boolean).join(' · ');
}
