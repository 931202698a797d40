import { useMemo, useState } from 'react';
import { factsOf, schemaFields } from '../../../../../../shared/docs/schema-fields.ts';
import { CopyButton } from '../../../ui/data/code-block.tsx';
import { Button } from '../../../ui/form/button.tsx';
import type { Endpoint } from '../model/read-reference.ts';
import { useReference } from '../parts/reference-context.ts';
import { TryPanel } from '../try/try-panel.tsx';
import { EndpointFacts } from './endpoint-facts.tsx';
import { EndpointResponses } from './endpoint-responses.tsx';
import { EndpointSamples } from './endpoint-samples.tsx';
import { FieldFacts, FieldList } from './field-list.tsx';
import { Method } from './method.tsx';

/** One endpoint: what it does on one side, how to call it on the other. */
export const EndpointSection = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const { resolve } = useReference();
  const [isTrying, setTrying] = useState(false);
  const { id, title, method, path, operation, body } = endpoint;
  const fields = useMemo(() => (body ? schemaFields(body, { resolve }) : []), [body, resolve]);
  return (
    <section className="docs-endpoint" id={id} aria-labelledby={`${id}-title`}>
      <div className="stack stack--medium docs-endpoint__text">
        <h2 id={`${id}-title`} className="docs-endpoint__title">
          <a href={`#${id}`}>{title}</a>
        </h2>
        <div className="row row--single">
          <Method method={method} />
          <code className="wrap-anywhere">{path}</code>
          <CopyButton text={path} label={`Copy the path of ${title}`} />
        </div>
        {operation.summary !== title && <p>{operation.summary}.</p>}
        <EndpointFacts endpoint={endpoint} />
        <Parameters endpoint={endpoint} />
        {body && (
          <>
            <h3>
              Body
              {!operation.requestBody?.required && <span className="small muted regular"> optional</span>}
            </h3>
            {fields.length > 0 ? <FieldList fields={fields} of="request" /> : <p className="secondary">An empty object.</p>}
          </>
        )}
        <EndpointResponses endpoint={endpoint} />
      </div>
      <div className="stack stack--medium docs-endpoint__side">
        <Button
          variant={isTrying ? 'secondary' : 'primary'}
          icon={isTrying ? 'close' : 'play'}
          aria-expanded={isTrying}
          aria-label={isTrying ? `Close: ${title}` : `Try it: ${title}`}
          onClick={() => setTrying(!isTrying)}
        >
          {isTrying ? 'Close' : 'Try it'}
        </Button>
        {isTrying && <TryPanel endpoint={endpoint} />}
        <EndpointSamples endpoint={endpoint} />
      </div>
    </section>
  );
};

const locations = { path: 'in the path', query: 'in the query', header: 'header' } as const;

const Parameters = ({ endpoint: { parameters } }: { readonly endpoint: Endpoint }) => {
  const { resolve } = useReference();
  if (parameters.length === 0) return null;
  return (
    <>
      <h3>Parameters</h3>
      <ul className="docs-fields">
        {parameters.map(({ name, in: location, required, description, schema }) => {
          const facts = factsOf(schema, resolve);
          return (
            <li key={`${location} ${name}`} className="stack stack--close docs-field">
              <div className="docs-field__head">
                <code>{name}</code>
                <span className="small muted regular">
                  {facts.type}, {locations[location]}
                </span>
                {required && <span className="docs-field__required">required</span>}
              </div>
              <FieldFacts {...facts} description={description ?? facts.description} />
            </li>
          );
        })}
      </ul>
    </>
  );
};
