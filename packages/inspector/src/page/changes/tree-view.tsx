import type { ComponentChild } from 'preact';
import type { ChangesPage } from '../../api.ts';
import { linkToChanges } from '../route.ts';
import { Size } from '../text/size.tsx';
import { visible } from '../text/visible.ts';
import { type FolderNode, treeOf } from './file-tree.ts';

/** The changed files as a tree. */
export function FileTree({
  id,
  page,
  shown,
}: {
  readonly id: string;
  readonly page: ChangesPage;
  readonly shown: string;
}): ComponentChild {
  return (
    <nav class="changes-tree small" aria-label="Changed files">
      <Folder id={id} node={treeOf(page.files, page.folder)} shown={shown} />
    </nav>
  );
}

function Folder({
  id,
  node,
  shown,
}: {
  readonly id: string;
  readonly node: FolderNode;
  readonly shown: string;
}): ComponentChild {
  return (
    <ul class="plain-list">
      {node.folders.map((folder) => (
        <li key={folder.name}>
          <details open>
            <summary class="changes-folder cut" dir="ltr">
              {visible(folder.name)}
            </summary>
            <Folder id={id} node={folder} shown={shown} />
          </details>
        </li>
      ))}
      {node.files.map(({ name, file }) => (
        <li key={file.path}>
          <a
            class="changes-file"
            href={linkToChanges(id, file.path)}
            aria-current={file.path === shown ? 'page' : undefined}
            title={visible(file.path)}
          >
            <code class="cut grow" dir="ltr">
              {visible(name)}
            </code>
            {file.created === true ? <span class="tag small">new</span> : null}
            <Size added={file.added} removed={file.removed} />
          </a>
        </li>
      ))}
    </ul>
  );
}
