import { useState } from 'react';
import { useBackupEntries } from '../../data/backup-entries.ts';
import { usePitr } from '../../data/projects.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Textarea } from '../../ui/form/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { isDocumentPath } from './choice.ts';
import type { Source } from './use-source.ts';
import type { Wizard } from './wizard-state.ts';

/** Addresses of pages have at most 10 KB, and the choices are part of them. */
const charactersMax = 6_000;

const namedIn = (text: string): readonly string[] => [
  ...new Set(text.split('\n').map((line) => line.trim().replace(/^\/|\/$/g, ''))),
];

/** Documents by their paths, or picked from the backup. */
export const DocumentPicker = ({ wizard: { choice, choose }, source }: { readonly wizard: Wizard; readonly source: Source }) => {
  const [text, setText] = useState(choice.documents.join('\n'));
  const paths = namedIn(text).filter(Boolean);
  const wrong = paths.find((path) => !isDocumentPath(path));
  const problem =
    wrong !== undefined
      ? `${wrong} is not the path of a document: it needs a collection and an id, such as users/ada`
      : paths.join('').length > charactersMax
        ? 'These are too many for one restore in the console. Restore their collection, or use the API.'
        : undefined;
  const change = (next: string): void => {
    setText(next);
    const named = namedIn(next);
    const valid = named.filter((path) => isDocumentPath(path));
    const isValid = named.every((path) => path === '' || isDocumentPath(path)) && valid.join('').length <= charactersMax;
    choose({ documents: isValid ? valid : [] });
  };
  const toggle = (path: string): void =>
    change((paths.includes(path) ? paths.filter((other) => other !== path) : [...paths, path]).join('\n'));
  return (
    <div className="wizard__documents">
      <Textarea
        label="Documents"
        hint="One path per line, such as users/ada or users/ada/notes/1"
        error={problem}
        mono
        rows={10}
        spellCheck={false}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
      <DocumentBrowser choice={choice} source={source} picked={paths} onToggle={toggle} />
    </div>
  );
};

interface DocumentBrowserProps {
  readonly choice: Wizard['choice'];
  readonly source: Source;
  readonly picked: readonly string[];
  readonly onToggle: (path: string) => void;
}

/** Collections to open and documents to pick. A moment offers those of its base backup; it may have more. */
const DocumentBrowser = ({ choice, source, picked, onToggle }: DocumentBrowserProps) => {
  const [at, setAt] = useState('');
  const isMoment = choice.backupId === undefined;
  const { data: pitr } = usePitr(source.project?.id ?? '', isMoment && source.project !== undefined);
  const browsed = choice.backupId ?? pitr?.baseBackupId ?? undefined;
  const { items, query } = useBackupEntries(browsed, at);
  const up = at.includes('/') ? at.slice(0, at.lastIndexOf('/')) : '';
  // Of a document only its subcollections: it is picked in the list of its collection.
  const entries = items?.filter(({ path }) => path !== at);
  return (
    <section className="field" aria-label="Pick documents">
      <div className="row row--spread">
        <span className="field__label">{at === '' ? 'Or pick them' : <code className="wrap-anywhere">{at}</code>}</span>
        {at !== '' && (
          <Button size="small" variant="quiet" onClick={() => setAt(up)}>
            Up
          </Button>
        )}
      </div>
      <div className="wizard__browser">
        {query.error && !items ? (
          <ErrorNotice error={query.error} title="The backup could not be browsed" onRetry={() => void query.refetch()} />
        ) : !entries ? (
          <SkeletonText lines={4} />
        ) : (
          <ul className="wizard__entries">
            {entries.length === 0 && <li className="muted wizard__entry">Nothing below.</li>}
            {entries.map(({ type, path, id }) => (
              <li key={path} className="wizard__entry">
                {type === 'collection' ? (
                  <button type="button" className="link-button" onClick={() => setAt(path)}>
                    <Icon name="folder" size={14} /> {id}
                  </button>
                ) : (
                  <>
                    <label className="checkbox">
                      <input type="checkbox" checked={picked.includes(path)} onChange={() => onToggle(path)} />
                      <span className="wrap-anywhere">{id}</span>
                    </label>
                    <Button
                      size="small"
                      variant="quiet"
                      aria-label={`Open ${id}`}
                      icon="chevronRight"
                      onClick={() => setAt(path)}
                    />
                  </>
                )}
              </li>
            ))}
          </ul>
        )}
        <LoadMore query={query} />
      </div>
    </section>
  );
};
