import { formatPlural } from '../../format/format-number.ts';
import { CollectionPicker } from '../../parts/source/collection-picker.tsx';
import { Checkbox } from '../../ui/form/field.tsx';
import { RadioCards } from '../../ui/form/radio-cards.tsx';
import type { ScopeKind } from './choice.ts';
import { DocumentPicker } from './document-picker.tsx';
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
      {choice.scope === 'collections' && (
        <CollectionPicker
          backupId={choice.backupId}
          projectId={source.project?.id}
          collections={choice.collections}
          typed={choice.typed}
          onChange={choose}
        />
      )}
      {choice.scope === 'documents' && <DocumentPicker wizard={wizard} source={source} />}
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
