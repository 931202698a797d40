import { type Backup, useBackup } from '../../../data/backups.ts';
import { type Configuration, useConfiguration } from '../../../data/configuration/configuration.ts';
import { sentence } from '../../../format/sentence.ts';
import { Card } from '../../../ui/data/card.tsx';
import { CodeBlock } from '../../../ui/data/code-block.tsx';
import { EmptyState } from '../../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { type Column, Table } from '../../../ui/data/table.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { useParam } from '../../../use-param.ts';
import { NotReadable } from '../not-readable.tsx';
import { fieldWords, modeWords, partWords, scopeWords, settingWords, valueWords } from './configuration-words.ts';
import { LiveCard } from './live-card.tsx';

export const ConfigurationTab = () => {
  const { data: backup } = useBackup(useParam('backupId'));
  if (!backup) return <SkeletonText lines={4} />;
  if (backup.status !== 'completed') return <NotReadable status={backup.status} />;
  return <Shown backup={backup} />;
};

const Shown = ({ backup }: { readonly backup: Backup }) => {
  const { data, error, refetch } = useConfiguration(backup.id);
  if (error && !data)
    return <ErrorNotice error={error} title="The configuration could not be read" onRetry={() => void refetch()} />;
  if (!data) return <SkeletonText lines={4} />;
  const { configuration } = data;
  if (!configuration)
    return (
      <Card>
        <EmptyState icon="database" title="No configuration">
          This backup holds documents only: it was made before configurations were captured, or by a restore.
        </EmptyState>
      </Card>
    );
  return (
    <div className="stack">
      <LiveCard backup={backup} />
      <SettingsCard configuration={configuration} />
      <Card title={partWords.indexes} flush>
        <Part isFlush part={configuration.indexes} none="The database had none." count={configuration.indexes.items.length}>
          <Table
            label={partWords.indexes}
            columns={indexColumns}
            rows={configuration.indexes.items}
            rowKey={(row) => JSON.stringify(row)}
          />
        </Part>
      </Card>
      <Card title={partWords.fields} description="Others have the automatic indexes, and no TTL policy." flush>
        <Part isFlush part={configuration.fields} none="The database had none." count={configuration.fields.items.length}>
          <Table
            label={partWords.fields}
            columns={fieldColumns}
            rows={configuration.fields.items}
            rowKey={({ collectionGroup, fieldPath }) => `${collectionGroup} ${fieldPath}`}
          />
        </Part>
      </Card>
      <Card title={partWords.rules} flush={configuration.rules.items.length === 0}>
        <Part part={configuration.rules} none="No rules were released." count={configuration.rules.items.length}>
          <div className="stack">
            {configuration.rules.items.flatMap(({ release, files }) =>
              files.map(({ name, content }) => (
                <details key={`${release} ${name}`}>
                  <summary>
                    <code className="wrap-anywhere">{release}</code> <span className="small muted">{name}</span>
                  </summary>
                  <CodeBlock code={content} label={`Rules of ${release}`} />
                </details>
              )),
            )}
          </div>
        </Part>
      </Card>
    </div>
  );
};

const SettingsCard = ({ configuration: { settings, capturedAt } }: { readonly configuration: Configuration }) => (
  <Card
    title={partWords.settings}
    description={
      <>
        As of <Time at={capturedAt} />
      </>
    }
  >
    <Part part={settings} none="" count={1}>
      <dl className="facts">
        {Object.entries(settings.value ?? {}).map(([name, value]) => (
          <Fact key={name} label={settingWords[name] ?? name}>
            {valueWords(String(value))}
          </Fact>
        ))}
      </dl>
    </Part>
  </Card>
);

interface PartProps {
  readonly part: Pick<Configuration['rules'], 'state' | 'reason'>;
  readonly count: number;
  readonly none: string;
  /** Whether its card is. */
  readonly isFlush?: boolean;
  readonly children: React.ReactNode;
}

/** What was not captured says why. */
const Part = ({ part: { state, reason }, count, none, isFlush = false, children }: PartProps) => {
  if (state !== 'captured')
    return (
      <div className={isFlush ? 'configuration__note' : undefined}>
        <Notice tone="warn" title="Not captured">
          {sentence(reason ?? state)}
        </Notice>
      </div>
    );
  return count === 0 ? <p className={isFlush ? 'muted configuration__none' : 'muted'}>{none}</p> : children;
};

const indexColumns: readonly Column<Configuration['indexes']['items'][number]>[] = [
  {
    key: 'group',
    label: 'Collection',
    isTitle: true,
    cell: ({ collectionGroup }) => <code className="wrap-anywhere">{collectionGroup}</code>,
  },
  { key: 'scope', label: 'Scope', cell: ({ queryScope }) => scopeWords(queryScope) },
  {
    key: 'fields',
    label: 'Fields',
    cell: ({ fields }) =>
      fields
        .filter(({ fieldPath }) => fieldPath !== '__name__')
        .map(({ fieldPath, ...mode }) => `${fieldPath} ${modeWords(mode)}`)
        .join(', '),
  },
];

const fieldColumns: readonly Column<Configuration['fields']['items'][number]>[] = [
  {
    key: 'field',
    label: 'Field',
    isTitle: true,
    cell: ({ collectionGroup, fieldPath }) => (
      <code className="wrap-anywhere">
        {collectionGroup}.{fieldPath}
      </code>
    ),
  },
  { key: 'settings', label: 'Settings', cell: fieldWords },
];
