import { useState } from 'react';
import { useBackupEntries } from '../../data/backup-entries.ts';
import { usePitr } from '../../data/projects.ts';
import { formatPlural } from '../../format/format-number.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Checkbox, Input } from '../../ui/form/field.tsx';
import { isCollectionPath } from './choice.ts';
import type { Source } from './use-source.ts';
import type { Wizard } from './wizard-state.ts';

interface CollectionPickerProps {
  readonly wizard: Wizard;
  readonly source: Source;
}

/** Root collections to tick, and a field for others. A moment offers those of its base backup; it may have more. */
export const CollectionPicker = ({ wizard: { choice, choose }, source }: CollectionPickerProps) => {
  const isMoment = choice.backupId === undefined;
  const { data: pitr } = usePitr(source.project?.id ?? '', isMoment && source.project !== undefined);
  const browsed = choice.backupId ?? pitr?.baseBackupId ?? undefined;
  const { items, query } = useBackupEntries(browsed, '');
  const found = items?.filter(({ type }) => type === 'collection') ?? [];
  const others = choice.collections.filter((path) => !found.some((collection) => collection.path === path));
  const toggle = (path: string, isOn: boolean): void =>
    choose({ collections: isOn ? [...choice.collections, path] : choice.collections.filter((other) => other !== path) });
  return (
    <div className="stack">
      {query.error && (
        <ErrorNotice error={query.error} title="The collections could not be listed" onRetry={() => void query.refetch()} />
      )}
      {!items && !query.error && browsed !== undefined && <SkeletonText />}
      <fieldset className="wizard__collections">
        <legend className="field__label">Collections</legend>
        {[...found, ...others.map((path) => ({ path, documents: undefined }))].map(({ path, documents }) => (
          <Checkbox
            key={path}
            label={<code className="wrap-anywhere">{path}</code>}
            {...(documents !== undefined && {
              hint: documents === 0 ? 'Only subcollections' : formatPlural(documents, 'document'),
            })}
            checked={choice.collections.includes(path)}
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
        typed={choice.typed}
        onType={(typed) => choose({ typed })}
        onAdd={(path) => choose({ collections: [...new Set([...choice.collections, path])], typed: '' })}
      />
    </div>
  );
};

interface OtherCollectionProps {
  readonly typed: string;
  readonly onType: (typed: string) => void;
  readonly onAdd: (path: string) => void;
}

const OtherCollection = ({ typed, onType, onAdd }: OtherCollectionProps) => {
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
    <form
      className="wizard__other"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <Input
        label="Another collection"
        hint="For example a subcollection: users/ada/notes"
        error={problem}
        mono
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          onType(target.value.trim());
        }}
      />
      <Button type="submit" icon="plus">
        Add
      </Button>
    </form>
  );
};
