import { useState } from 'react';
import { useBackupEntries } from '../../data/backup-entries.ts';
import { usePitr } from '../../data/projects.ts';
import { formatPlural } from '../../format/format-number.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Checkbox, Input } from '../../ui/form/field.tsx';

interface Named {
  readonly collections: readonly string[];
  /** Of another collection: typed, but not added yet. */
  readonly typed: string;
}

interface CollectionPickerProps extends Named {
  /** Undefined for a moment. */
  readonly backupId: string | undefined;
  /** Of the moment. */
  readonly projectId: string | undefined;
  readonly onChange: (change: Partial<Named>) => void;
  /** What the service says about the names. */
  readonly error?: string | undefined;
}

export const isCollectionPath = (path: string): boolean => {
  const names = path.split('/');
  return names.length % 2 === 1 && names.every((name) => name !== '');
};

/** Root collections to tick, and a field for others. A moment offers those of its base backup; it may have more. */
export const CollectionPicker = ({ backupId, projectId, collections, typed, onChange, error }: CollectionPickerProps) => {
  const { data: pitr } = usePitr(projectId ?? '', backupId === undefined && projectId !== undefined);
  const browsed = backupId ?? pitr?.baseBackupId ?? undefined;
  const { items, query } = useBackupEntries(browsed, '');
  const found = items?.filter(({ type }) => type === 'collection') ?? [];
  const others = collections.filter((path) => !found.some((collection) => collection.path === path));
  const toggle = (path: string, isOn: boolean): void =>
    onChange({ collections: isOn ? [...collections, path] : collections.filter((other) => other !== path) });
  return (
    <div className="stack">
      {query.error && (
        <ErrorNotice error={query.error} title="The collections could not be listed" onRetry={() => void query.refetch()} />
      )}
      {!items && !query.error && browsed !== undefined && <SkeletonText />}
      <fieldset className="collections">
        <legend className="field__label">Collections</legend>
        {[...found, ...others.map((path) => ({ path, documents: undefined }))].map(({ path, documents }) => (
          <Checkbox
            key={path}
            label={<code className="wrap-anywhere">{path}</code>}
            {...(documents !== undefined && {
              hint: documents === 0 ? 'Only subcollections' : formatPlural(documents, 'document'),
            })}
            checked={collections.includes(path)}
            onChange={({ target }) => toggle(path, target.checked)}
          />
        ))}
      </fieldset>
      {query.hasNextPage && (
        <Button size="small" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more collections
        </Button>
      )}
      <OtherCollection
        typed={typed}
        error={error}
        onType={(text) => onChange({ typed: text })}
        onAdd={(path) => onChange({ collections: [...new Set([...collections, path])], typed: '' })}
      />
    </div>
  );
};

interface OtherCollectionProps {
  readonly typed: string;
  readonly error: string | undefined;
  readonly onType: (typed: string) => void;
  readonly onAdd: (path: string) => void;
}

const OtherCollection = ({ typed, error, onType, onAdd }: OtherCollectionProps) => {
  // The address follows what is typed, and must not set it back.
  const [text, setText] = useState(typed);
  const [problem, setProblem] = useState<string>();
  const add = (): void => {
    const path = text.trim().replace(/^\/|\/$/g, '');
    const isValid = isCollectionPath(path);
    setProblem(isValid ? undefined : 'Enter the path of a collection, such as users or users/ada/notes');
    if (!isValid) return;
    onAdd(path);
    setText('');
  };
  return (
    <div className="collections__other">
      <Input
        label="Another collection"
        hint="For example a subcollection: users/ada/notes"
        error={problem ?? error}
        mono
        spellCheck={false}
        value={text}
        onKeyDown={(event) => {
          // It may stand in a form, which Enter must not send.
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          event.preventDefault();
          add();
        }}
        onChange={({ target }) => {
          setText(target.value);
          onType(target.value.trim());
        }}
      />
      <Button icon="plus" onClick={add}>
        Add
      </Button>
    </div>
  );
};
