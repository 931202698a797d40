import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { Parameter } from '../../../../../../shared/contract/openapi/components.ts';
import { factsOf } from '../../../../../../shared/docs/schema-fields.ts';
import { clientOf } from '../../../api/use-api.ts';
import { Input, Select } from '../../../ui/form/field.tsx';
import type { Endpoint, Reference } from '../model/read-reference.ts';
import { useReference } from '../parts/reference-context.ts';

interface ParameterInputProps {
  readonly endpoint: Endpoint;
  readonly parameter: Parameter;
  readonly values: Readonly<Record<string, string>>;
  readonly organizationId: string | undefined;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

/** A parameter of a call: a choice if its values are enumerated; an id with the reader's own resources to pick from. */
export const ParameterInput = ({ endpoint, parameter, values, organizationId, error, onChange }: ParameterInputProps) => {
  const reference = useReference();
  const list = useId();
  const { name, required, description, schema } = parameter;
  const { values: options, bounds, description: meaning } = factsOf(schema, reference.resolve);
  const suggestions = useSuggestions(endpoint, { parameter, values, organizationId });
  const hint = [description ?? meaning, ...bounds].filter(Boolean).join(' · ');
  const shared = { label: name, optional: !required, error, ...(hint !== '' && { hint }) };
  if (options.length > 1)
    return (
      <Select {...shared} value={values[name] ?? ''} onChange={({ target }) => onChange(target.value)}>
        <option value="">{required ? 'Choose' : 'Not sent'}</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </Select>
    );
  return (
    <>
      <Input {...shared} mono value={values[name] ?? ''} list={list} onChange={({ target }) => onChange(target.value)} />
      <datalist id={list}>
        {suggestions.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </datalist>
    </>
  );
};

interface Suggestion {
  readonly id: string;
  readonly label: string;
}

/** The newest resources of the list that the parameter's path belongs to: `{backupId}` of /backups/{backupId} is one of GET /backups. */
const useSuggestions = (
  { path }: Endpoint,
  {
    parameter: { name, in: location },
    values,
    organizationId,
  }: {
    readonly parameter: Parameter;
    readonly values: Readonly<Record<string, string>>;
    readonly organizationId: string | undefined;
  },
): readonly Suggestion[] => {
  const { endpoints } = useReference();
  const before = path.slice(0, path.indexOf(`/{${name}}`));
  const list = location === 'path' && organizationId ? listAt(endpoints, before) : undefined;
  const isKnown = list?.parameters.every((one) => one.in !== 'path' || values[one.name]) ?? false;
  const { data = [] } = useQuery({
    queryKey: [organizationId, 'suggestions', before, isKnown ? values : {}],
    enabled: isKnown,
    queryFn: async ({ signal }): Promise<readonly Suggestion[]> => {
      const route = `GET ${before.replace(/^\/api\/v1(?=\/)/, '')}`;
      const { text } = await clientOf(organizationId ?? '').send(route as never, { params: values, signal });
      const { data: items } = JSON.parse(text) as { data?: unknown };
      return Array.isArray(items) ? items.flatMap((item: Record<string, unknown>) => suggestionOf(item, name)) : [];
    },
    retry: false,
  });
  return data;
};

const listAt = (endpoints: Reference['endpoints'], path: string): Endpoint | undefined =>
  endpoints.find((one) => one.method === 'GET' && one.path === path && one.parameters.some(({ name }) => name === 'cursor'));

const suggestionOf = (item: Record<string, unknown>, name: string): readonly Suggestion[] => {
  const id = item[name] ?? item.id ?? item.restoreJobId;
  const label = [item.name ?? item.email ?? item.projectName, item.status, item.createdAt].filter(Boolean).join(' · ');
  return typeof id === 'string' ? [{ id, label }] : [];
};
