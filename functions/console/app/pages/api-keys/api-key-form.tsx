import type { Scope } from '../../../../../shared/contract/access.ts';
import { normalAddressRange } from '../../../../../shared/contract/address-range.ts';
import { apiKeyDays, apiKeyDaysMax } from '../../../../../shared/contract/limits.ts';
import { useRecordForm } from '../../api/use-record-form.ts';
import { type ApiKey, type ApiKeyInput, useCreateApiKey, useUpdateApiKey } from '../../data/api-keys.ts';
import { ProjectPicker } from '../../parts/project-picker.tsx';
import { RoleChoice } from '../../parts/role-choice.tsx';
import { Input, Select, Textarea } from '../../ui/form/field.tsx';
import { RadioCards } from '../../ui/form/radio-cards.tsx';
import { FormDialog } from '../../ui/overlay/form-dialog.tsx';
import { ApiKeyDialog } from './api-key-dialog.tsx';
import { type PresetName, presets } from './api-key-words.ts';
import { PermissionPicker } from './permission-picker.tsx';

interface ApiKeyFormProps {
  /** Undefined: create one. */
  readonly apiKey: ApiKey | undefined;
  readonly onClose: () => void;
}

const shownFields = ['name', 'role', 'permissions', 'projectIds', 'allowedAddresses', 'expiresAt'];

const lives = [
  [7, 'In 7 days'],
  [30, 'In 30 days'],
  [apiKeyDays, 'In 90 days'],
  [180, 'In 180 days'],
  [apiKeyDaysMax, 'In a year, which is the longest'],
] as const;

/** Earlier by this, so that a clock that is ahead does not exceed the longest life. */
const clockMarginMs = 600_000;

interface Draft {
  readonly preset: PresetName | undefined;
  readonly name: string;
  readonly role: ApiKey['role'];
  readonly permissions: readonly Scope[];
  /** Empty: all projects. */
  readonly projectIds: readonly string[];
  /** One in each line. */
  readonly addresses: string;
  /** 0: keeps its expiry. */
  readonly days: number;
}

const draftOf = (key: ApiKey | undefined): Draft => ({
  preset: key ? undefined : 'backup',
  name: key?.name ?? '',
  role: key?.role ?? presets.backup.role,
  permissions: key?.permissions ?? presets.backup.permissions,
  projectIds: key?.projectIds ?? [],
  addresses: key?.allowedAddresses?.join('\n') ?? '',
  days: key ? 0 : apiKeyDays,
});

const linesOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((line) => line !== '');

const bodyOf = ({ name, role, permissions, projectIds, addresses, days }: Draft): ApiKeyInput => ({
  name,
  role,
  permissions: [...permissions],
  projectIds: projectIds.length === 0 ? null : [...projectIds],
  allowedAddresses: linesOf(addresses).length === 0 ? null : [...linesOf(addresses)],
  ...(days > 0 && { expiresAt: new Date(Date.now() + days * 86_400_000 - clockMarginMs).toISOString() }),
});

/** Creates or changes an API key. */
export const ApiKeyForm = ({ apiKey, onClose }: ApiKeyFormProps) => {
  const create = useCreateApiKey();
  const { draft, change, errorOf, dialog } = useRecordForm({
    name: 'apiKey',
    record: apiKey,
    draftOf,
    bodyOf,
    create,
    update: useUpdateApiKey(apiKey?.id ?? ''),
    onClose,
  });
  const { preset, name, role, permissions, projectIds, addresses, days } = draft;
  if (create.data) return <ApiKeyDialog title="The API key is ready" apiKey={create.data.apiKey} onClose={onClose} />;
  const wrong = linesOf(addresses).find((line) => normalAddressRange(line) === undefined);
  const writes = permissions.some((scope) => scope.endsWith(':write'));
  return (
    <FormDialog
      {...dialog}
      wide
      title={apiKey ? `Edit the API key ${apiKey.name}` : 'Create an API key'}
      description="It does what its role and its permissions both allow, on its projects only."
      action={apiKey ? 'Save' : 'Create API key'}
      creating={create.isPending ? 'The key is being created' : undefined}
      reason={permissions.length === 0 ? 'Give at least one permission' : undefined}
      shownFields={shownFields}
    >
      {!apiKey && (
        <RadioCards
          legend="What is it for?"
          showsLegend
          value={preset}
          onChange={(chosen) => change({ preset: chosen, role: presets[chosen].role, permissions: presets[chosen].permissions })}
          cards={(Object.keys(presets) as PresetName[]).map((value) => ({
            value,
            title: presets[value].title,
            children: presets[value].text,
          }))}
        />
      )}
      <Input
        label="Name"
        required
        placeholder="Deploy pipeline"
        value={name}
        onChange={({ target }) => change({ name: target.value })}
        error={errorOf('name')}
      />
      <RoleChoice value={role} onChange={(given) => change({ role: given })} />
      <PermissionPicker
        value={permissions}
        onChange={(given) => change({ permissions: given })}
        hint={role === 'viewer' && writes ? 'As a viewer the key cannot use its write permissions.' : undefined}
      />
      <ProjectPicker
        value={projectIds}
        onChange={(given) => change({ projectIds: given })}
        error={errorOf('projectIds')}
        hint="For a key with projects the others do not exist, and calls for the whole organization are refused."
      />
      <Select
        label="Expires"
        value={days}
        onChange={({ target }) => change({ days: Number(target.value) })}
        error={errorOf('expiresAt')}
        hint="You are warned 14 days before, and again 3 days before."
      >
        {apiKey && <option value={0}>Unchanged</option>}
        {lives.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Select>
      <Textarea
        label="Allowed addresses"
        optional
        mono
        rows={2}
        placeholder={'203.0.113.7\n2001:db8::/32'}
        hint="IP addresses or ranges in CIDR notation, one in each line. Without any, the key works from everywhere."
        value={addresses}
        onChange={({ target }) => change({ addresses: target.value })}
        error={wrong ? `${wrong} is neither an IP address nor a range` : errorOf('allowedAddresses')}
      />
    </FormDialog>
  );
};
