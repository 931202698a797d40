import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ResponseObject } from '../../../../../../shared/contract/openapi/components.ts';
import { schemaFields } from '../../../../../../shared/docs/schema-fields.ts';
import { paths } from '../../../paths.ts';
import type { Endpoint } from '../model/read-reference.ts';
import { useReference } from '../parts/reference-context.ts';
import { FieldList } from './field-list.tsx';

/** The fields of every response, and the errors. */
export const EndpointResponses = ({ endpoint: { responses, errors } }: { readonly endpoint: Endpoint }) => (
  <>
    <h3>Responses</h3>
    <ul className="stack stack--tight">
      {responses.map(([status, response]) => (
        <li key={status}>
          <ResponseFields status={status} response={response} />
        </li>
      ))}
      <li>
        <details className="docs-response">
          <summary>
            <span className="docs-status docs-status--bad">4xx, 5xx</span> {errors.length} errors
          </summary>
          <ul className="stack stack--medium docs-errors">
            {errors.map(({ code, status, meaning }) => (
              <li key={code}>
                <Link to={paths.docsPage('errors')} hash={code}>
                  <code className="wrap-anywhere">{code}</code>
                </Link>{' '}
                <span className="small muted regular">{status}</span>
                <p className="secondary wrap-anywhere">{meaning}.</p>
              </li>
            ))}
          </ul>
        </details>
      </li>
    </ul>
  </>
);

const ResponseFields = ({ status, response }: { readonly status: string; readonly response: ResponseObject }) => {
  const { resolve } = useReference();
  const { description, content = {} } = response;
  const types = Object.keys(content);
  const schema = content['application/json']?.schema;
  const fields = useMemo(() => (schema ? schemaFields(schema, { resolve }) : []), [schema, resolve]);
  const head = (
    <>
      <span className={Number(status) < 400 ? 'docs-status docs-status--good' : 'docs-status docs-status--bad'}>{status}</span>{' '}
      {description}
      {types.length > 0 && schema === undefined && <span className="small muted regular"> {types.join(', ')}</span>}
    </>
  );
  if (fields.length === 0) return <div className="docs-response docs-response--plain">{head}</div>;
  return (
    <details className="docs-response">
      <summary>{head}</summary>
      <FieldList fields={fields} of="response" />
    </details>
  );
};
