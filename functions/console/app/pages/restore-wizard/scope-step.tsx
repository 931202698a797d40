import { useState } from 'react';
import { formatPlural } from '../../format/format-number.ts';
import { Checkbox, Textarea } from '../../ui/form/field.tsx';
import { RadioCards } from '../../ui/form/radio-cards.tsx';
import { isDocumentPath, type ScopeKind } from './choice.ts';
import { CollectionPicker } from './collection-picker.tsx';
import type { Source } from './use-source.ts';
import type { Wizard } from './wizard-state.ts';

interface StepProps {
  readonly wizard: Wizard;
  readonly source: Source;
}

export const ScopeStep = ({ wizard, source }: StepProps) => {
  const { choice, choose } = wizard;
  const { backup } = source;
  const users = backup?.authUsers;
  return (
    <div className="stack">
      <RadioCards<ScopeKind>
        legend="Scope"
        value={choice.scope}
        onChange={(scope) => choose({ scope })}
        cards={[
          {
            value: 'all',
            title: 'Everything',
            children: backup
              ? `All ${formatPlural(backup.documentCount, 'document')} of the backup.`
              : 'All documents as they were at that moment.',
          },
          { value: 'collections', title: 'Collections', children: 'Whole collections, such as orders or users/ada/notes.' },
          { value: 'documents', title: 'Single documents', children: 'Only the documents that you name.' },
        ]}
      />
      {choice.scope === 'collections' && <CollectionPicker wizard={wizard} source={source} />}
      {choice.scope === 'documents' && <DocumentPicker wizard={wizard} />}
      {choice.scope !== 'all' && (
        <Checkbox
          label="With subcollections"
          hint="Everything below the chosen collections or documents is restored, too."
          checked={choice.includeSubcollections}
          onChange={({ target }) => choose({ includeSubcollections: target.checked })}
        />
      )}
      {users !== undefined && (
        <Checkbox
          label={`With ${formatPlural(users, 'user')} of Firebase Authentication`}
          hint="Users that only the target has stay as they are."
          checked={choice.users ?? choice.scope === 'all'}
          onChange={({ target }) => choose({ users: target.checked })}
        />
      )}
    </div>
  );
};

/** Addresses of pages have at most 10 KB, and the choices are part of them. */
const charactersMax = 6_000;

const DocumentPicker = ({ wizard: { choice, choose } }: { readonly wizard: Wizard }) => {
  const [text, setText] = useState(choice.documents.join('\n'));
  const paths = [...new Set(text.split('\n').map((line) => line.trim().replace(/^\/|\/$/g, '')))].filter(Boolean);
  const wrong = paths.find((path) => !isDocumentPath(path));
  const problem =
    wrong !== undefined
      ? `${wrong} is not the path of a document: it needs a collection and an id, such as users/ada`
      : paths.join('').length > charactersMax
        ? 'These are too many for one restore in the console. Restore their collection, or use the API.'
        : undefined;
  return (
    <Textarea
      label="Documents"
      hint="One path per line, such as users/ada or users/ada/notes/1"
      error={problem}
      mono
      rows={6}
      spellCheck={false}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const named = target.value.split('\n').map((line) => line.trim().replace(/^\/|\/$/g, ''));
        const valid = [...new Set(named)].filter((path) => isDocumentPath(path));
        const isValid = named.every((path) => path === '' || isDocumentPath(path)) && valid.join('').length <= charactersMax;
        choose({ documents: isValid ? valid : [] });
      }}
    />
  );
};
