import { useMemo } from 'react';
import type { Schema } from '../../../../../../shared/contract/openapi/json-schema.ts';
import { clientCallOf } from '../../../../../../shared/docs/client-call.ts';
import { curlOf } from '../../../../../../shared/docs/curl.ts';
import { type Resolve, sampleOf } from '../../../../../../shared/docs/sample.ts';
import type { CodeSample } from '../code/code-sample.ts';
import { CodeView } from '../code/code-view.tsx';
import type { Endpoint, Reference } from '../model/read-reference.ts';
import { useReference } from '../parts/reference-context.ts';

/** The request with curl and with the client, and the response to it. */
export const EndpointSamples = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const reference = useReference();
  const { requests, responses } = useMemo(() => samplesOf(endpoint, reference), [endpoint, reference]);
  return (
    <>
      <CodeView label={`Request: ${endpoint.title}`} samples={requests} />
      {responses.length > 0 && <CodeView label={`Response: ${endpoint.title}`} samples={responses} />}
    </>
  );
};

const samplesOf = (endpoint: Endpoint, { resolve }: Reference) => {
  const { method, path, operation, parameters } = endpoint;
  const documented = { method: method.toLowerCase(), path, operation };
  const requests: readonly CodeSample[] = [
    {
      label: 'curl',
      language: 'sh',
      code: curlOf(documented, parameters, resolve).replaceAll('$BASE', window.location.origin),
    },
    { label: 'Client', language: 'ts', code: clientCallOf(documented, parameters, resolve) },
  ];
  return { requests, responses: responseSamples(endpoint, resolve) };
};

/** A sample for each shape of the data; statuses with the same content share it. */
const responseSamples = ({ responses }: Endpoint, resolve: Resolve): readonly CodeSample[] => {
  const statuses = Map.groupBy(
    responses.flatMap(([status, { content = {} }]) => {
      const schema = content['application/json']?.schema;
      return schema ? [{ status, schema }] : [];
    }),
    ({ schema }) => JSON.stringify(schema),
  );
  return [...statuses.values()].flatMap((same) => {
    const schema: Schema = same[0]?.schema ?? {};
    const label = same.map(({ status }) => status).join(', ');
    const { data } = (schema.properties ?? {}) as { readonly data?: Schema };
    const shapes = (data?.anyOf ?? []) as readonly Schema[];
    const sample = sampleOf(schema, resolve) as Readonly<Record<string, unknown>>;
    const json = (value: unknown): string => JSON.stringify(value, null, 2);
    if (shapes.length < 2) return [{ label: `Response ${label}`, language: 'json', code: json(sample) }];
    return shapes.map(
      (shape): CodeSample => ({
        label:
          String(shape.$ref ?? shape.title ?? '')
            .split('/')
            .at(-1) || `Response ${label}`,
        language: 'json',
        code: json({ ...sample, data: sampleOf(shape, resolve) }),
      }),
    );
  });
};
