import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiFailure } from '../../../../../shared/client/index.ts';
import { formatBytes } from '../../../../../shared/contract/format-bytes.ts';
import { downloadKeptDays, downloadMaxBytes, retentionDaysMax } from '../../../../../shared/contract/limits.ts';
import { usePermission } from '../../api/permission.ts';
import { useDraft } from '../../api/use-draft.ts';
import { useBackup } from '../../data/backups.ts';
import { downloadChoice } from '../../data/export/export-words.ts';
import { usePlanExport, useStartExport } from '../../data/export/exports.ts';
import { useProjects } from '../../data/projects.ts';
import { useStorageDestinations } from '../../data/storage.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { formatPlural } from '../../format/format-number.ts';
import { allowUnmatchedLabel } from '../../parts/mask/mask-rules.ts';
import { RuleList } from '../../parts/mask/rule-list.tsx';
import { CollectionPicker } from '../../parts/source/collection-picker.tsx';
import { useMomentWindow } from '../../parts/source/use-moment-window.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { Checkbox, Input, Select, Textarea } from '../../ui/form/field.tsx';
import { RecordOptions } from '../../ui/form/options.tsx';
import { RadioCards } from '../../ui/form/radio-cards.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { bodyOf, draftOf, lineError, missingIn } from './export-draft.ts';
import { ExportPlanCard } from './export-plan-card.tsx';
import { FormatFields } from './format-fields.tsx';
import { SourceCard } from './source-card.tsx';

/** Another address begins another form. */
export const NewExportPage = () => {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const address = JSON.stringify(search);
  return <NewExport key={address} address={address} search={search} />;
};

interface NewExportProps {
  readonly address: string;
  readonly search: Readonly<Record<string, unknown>>;
}

const NewExport = ({ address, search }: NewExportProps) => {
  const navigate = useNavigate();
  const { reason } = usePermission('member');
  const begun = draftOf(search);
  const wasMasked = begun.areRulesLost;
  const [kept, change, forget] = useDraft(`export${address}`, begun);
  // Said on an earlier visit, "without masking" does not count.
  const [isUnmasked, setUnmasked] = useState(false);
  const draft = { ...kept, areRulesLost: wasMasked && !isUnmasked && kept.rules.length === 0 };
  const { items: projects } = useProjects();
  const { items: destinations } = useStorageDestinations();
  const { data: backup } = useBackup(draft.backupId ?? '', draft.backupId !== undefined);
  const project = projects?.find(({ id }) => id === (backup?.projectId ?? draft.projectId));
  const window = useMomentWindow(project?.id, draft.kind === 'moment' ? draft.at : undefined);
  const planning = usePlanExport();
  const start = useStartExport();
  const body = bodyOf(draft);
  // What is shown is what would be started: a change needs a new plan.
  const plan = JSON.stringify(planning.variables) === JSON.stringify(body) ? planning.data : undefined;
  const blocker = reason ?? (window === null ? 'This point in time cannot be exported' : missingIn(draft));
  const error = start.error ?? planning.error;
  const ruleError = (index: number, part: string) => fieldError(error, `transform.rules.${index}.${part}`);
  const shownFields = [
    'collections',
    'columns',
    'storageDestinationId',
    'recipients',
    'retention',
    ...draft.rules.flatMap((_, n) => [`transform.rules.${n}.collection`, `transform.rules.${n}.field`]),
  ];
  const isBusy = planning.isPending || start.isPending;
  const makePlan = (): void => {
    if (blocker !== undefined || isBusy || plan !== undefined) return;
    start.reset();
    planning.mutate(body);
  };
  const begin = (): void =>
    start.mutate(body, {
      onSuccess: ({ id }) => {
        forget();
        void navigate({ to: paths.export(id) });
      },
    });
  return (
    <>
      <PageHeader
        title="New export"
        crumbs={[{ label: 'Exports', to: paths.exports }]}
        description="Documents become files in one of your buckets. The database is not read, and the backup stays as it is."
      />
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          makePlan();
        }}
      >
        {reason && (
          <Notice tone="warn" title="You cannot start an export">
            {reason} An admin or the owner of the organization can change your role.
          </Notice>
        )}
        <SourceCard
          draft={draft}
          projects={projects}
          backup={backup}
          project={project}
          window={window}
          // Another source may have other collections.
          onChoose={(source) => change({ ...source, scope: 'all', collections: [], typed: '' })}
        />
        {projects?.length !== 0 && (
          <>
            <Card title="What is exported">
              <div className="stack">
                <RadioCards
                  legend="Scope"
                  isWide
                  value={draft.scope}
                  onChange={(scope) => change({ scope })}
                  cards={[
                    { value: 'all', title: 'Everything', children: 'All documents, also those of subcollections.' },
                    { value: 'collections', title: 'Collections', children: 'Only these, each with everything below it.' },
                  ]}
                />
                {draft.scope === 'collections' && (
                  <CollectionPicker
                    backupId={draft.backupId}
                    projectId={project?.id}
                    collections={draft.collections}
                    typed={draft.typed}
                    onChange={change}
                    error={fieldError(error, 'collections')}
                  />
                )}
              </div>
            </Card>
            <FormatFields draft={draft} onChange={change} error={error} />
            <Card title="Where it goes">
              <div className="form">
                <Select
                  label="Storage destination"
                  hint={
                    draft.storageId === downloadChoice
                      ? `The files are beside the backup for ${formatPlural(downloadKeptDays, 'day')}, unless you say for how many, and are deleted then.`
                      : 'The files have a folder of their own below exports/, and a manifest that lists them.'
                  }
                  value={draft.storageId}
                  error={fieldError(error, 'storageDestinationId')}
                  onChange={({ target }) => change({ storageId: target.value })}
                >
                  <option value="">
                    {backup ? `${backup.storageDestination.name}, where the backup is` : 'Where the backup is'}
                  </option>
                  <RecordOptions of={destinations?.filter(({ id }) => id !== backup?.storageDestination.id)} />
                  <option value={downloadChoice}>Only to download, at most {formatBytes(downloadMaxBytes)}</option>
                </Select>
                <Textarea
                  label="Encrypt for, one public key per line"
                  optional
                  hint="Keys of age, which begin with age1. Only their owners can read the files, with any program for age. Without a key the files are as the bucket stores them."
                  mono
                  rows={2}
                  spellCheck={false}
                  autoCapitalize="off"
                  value={draft.recipients}
                  onChange={({ target }) => change({ recipients: target.value })}
                  error={lineError(error, { field: 'recipients', lines: draft.recipients })}
                />
                <Input
                  label="Delete the files after (days)"
                  optional
                  hint={draft.storageId === downloadChoice ? undefined : 'Without a number the files stay: they are yours.'}
                  type="number"
                  min={1}
                  max={retentionDaysMax}
                  value={draft.retention}
                  error={fieldError(error, 'retention')}
                  onChange={({ target }) => change({ retention: target.value })}
                />
              </div>
            </Card>
            <Card
              title="Masked data"
              description="Rules hide personal data in the files. A named field counts more than a wildcard. Without rules everything is exported as it is."
            >
              <div className="stack">
                {draft.areRulesLost && (
                  <Notice
                    tone="warn"
                    title="The export before was masked"
                    actions={<Button onClick={() => setUnmasked(true)}>Export without masking</Button>}
                  >
                    The service does not show its rules. Enter them again.
                  </Notice>
                )}
                <RuleList rules={draft.rules} onChange={(rules) => change({ rules })} errorOf={ruleError} />
                {draft.rules.length > 0 && (
                  <Checkbox
                    label={allowUnmatchedLabel}
                    hint="Otherwise a rule without a match fails the export at its end, and its files are deleted."
                    checked={draft.allowUnmatched}
                    onChange={({ target: { checked } }) => change({ allowUnmatched: checked })}
                  />
                )}
              </div>
            </Card>
            {plan && <ExportPlanCard plan={plan} rules={draft.rules.length} />}
            {error && (
              <ErrorNotice
                error={error}
                title={start.error ? 'The export was not started' : 'The plan could not be made'}
                shownFields={shownFields}
                {...(isPartialRefusal(error) && {
                  advice: 'Choose another point in time, or collections that are complete there.',
                })}
              />
            )}
            <div className="form__actions">
              <Button
                // Enter in a field plans; only the button starts, and not by the second click of a double click on the plan.
                type={plan ? 'button' : 'submit'}
                variant="primary"
                busy={isBusy}
                disabledReason={blocker}
                onClick={plan ? ({ detail }) => void (detail <= 1 && begin()) : undefined}
              >
                {plan ? 'Export' : 'Make the plan'}
              </Button>
              <ButtonLink to={paths.exports} onClick={forget}>
                Cancel
              </ButtonLink>
            </div>
          </>
        )}
      </form>
    </>
  );
};

/** 409: the moment is not proven complete for everything that was asked for. */
const isPartialRefusal = (error: unknown): boolean =>
  error instanceof ApiFailure && error.code === 'CONFLICT' && Array.isArray(error.details.collections);
