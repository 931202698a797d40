import type { FormEvent } from 'react';
import { usePermission } from '../../api/permission.ts';
import { useEdits } from '../../api/use-edits.ts';
import { type Organization, useUpdateOrganization } from '../../data/organization.ts';
import { useStorageDestinations } from '../../data/storage.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Input, Select } from '../../ui/form/field.tsx';
import { RecordOptions } from '../../ui/form/options.tsx';
import { SaveButton } from '../../ui/form/save-button.tsx';

const zones = (current: string): readonly string[] => [...new Set([current, 'UTC', ...Intl.supportedValuesOf('timeZone')])];

export const SettingsForm = ({ organization }: { readonly organization: Organization }) => {
  const { isAllowed, reason } = usePermission('admin');
  const { settings } = organization;
  const update = useUpdateOrganization();
  const storage = useStorageDestinations();
  const { fields, changes, isSame, edit, clear } = useEdits('organization.settings', {
    name: organization.name,
    timezone: settings.timezone,
    defaultStorageId: settings.defaultStorageId,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { name, ...others } = changes;
    update.mutate({ ...(name !== undefined && { name }), settings: others }, { onSuccess: () => clear(changes) });
  };
  return (
    <form className="form" onSubmit={submit}>
      <Input
        label="Name"
        required
        maxLength={100}
        value={fields.name}
        disabled={!isAllowed}
        onChange={({ target }) => edit({ name: target.value })}
        error={fieldError(update.error, 'name')}
      />
      <Select
        label="Time zone"
        hint="The time zone of new schedules. If it is UTC, a new schedule begins with your own time zone."
        value={fields.timezone}
        disabled={!isAllowed}
        onChange={({ target }) => edit({ timezone: target.value })}
        error={fieldError(update.error, 'settings.timezone')}
      >
        {zones(settings.timezone).map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </Select>
      <Select
        label="Default storage"
        hint="Where backups of projects go that name no storage of their own."
        value={fields.defaultStorageId ?? ''}
        disabled={!isAllowed}
        onChange={({ target }) => edit({ defaultStorageId: target.value || null })}
        error={fieldError(update.error, 'settings.defaultStorageId')}
      >
        <option value="">None</option>
        <RecordOptions of={storage.items} />
      </Select>
      {update.error && (
        <ErrorNotice error={update.error} shownFields={['name', 'settings.timezone', 'settings.defaultStorageId']} />
      )}
      <SaveButton busy={update.isPending} isSame={isSame} reason={reason} />
    </form>
  );
};
