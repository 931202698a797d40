/** Guides about what all calls have in common. */
import { Link } from '@tanstack/react-router';
import { paths } from '../../../paths.ts';
import { CodeView } from '../code/code-view.tsx';
import { useReference } from '../parts/reference-context.ts';
import { EndpointLink, Guide, Section } from './guide.tsx';
import { readAllPages, repeatSafely } from './guide-samples.ts';

const json = (label: string, value: unknown) => [{ label, language: 'json' as const, code: JSON.stringify(value, null, 2) }];

export const RequestsGuide = () => {
  const { document } = useReference();
  return (
    <Guide slug="requests">
      {document.info.description.split('\n\n').map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <Section id="envelope" title="The envelope">
        <CodeView
          label="One resource"
          samples={json('One resource', { success: true, data: { id: 'bkp_…', status: 'completed' } })}
        />
        <CodeView
          label="A list"
          samples={json('A list', { success: true, data: [{ id: 'bkp_…' }], pagination: { nextCursor: 'eyJ…', hasMore: true } })}
        />
        <p>
          Errors have the same shape everywhere; see <Link to={paths.docsPage('errors')}>Errors</Link>.
        </p>
      </Section>
      <Section id="headers" title="Headers of every response">
        <dl className="docs-terms">
          {Object.entries(document.components.headers).map(([name, { description }]) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>{description}.</dd>
            </div>
          ))}
        </dl>
      </Section>
    </Guide>
  );
};

export const IdempotencyGuide = () => {
  const { document, endpoints } = useReference();
  const accepting = endpoints.filter(({ parameters }) => parameters.some(({ name }) => name === 'Idempotency-Key'));
  return (
    <Guide slug="idempotency">
      <p>
        A connection can break after the service has done the work and before you have the answer. Send an{' '}
        <code>Idempotency-Key</code> with every call that creates or starts something, and repeat the call with the same key: the
        work is done once.
      </p>
      <p>{document.components.parameters.IdempotencyKey.description}.</p>
      <CodeView label="Repeat safely" samples={repeatSafely} />
      <p>
        The same key with another body is refused with{' '}
        <Link to={paths.docsPage('errors')} hash="IDEMPOTENCY_KEY_REUSED">
          IDEMPOTENCY_KEY_REUSED
        </Link>
        . The client sends a key by itself.
      </p>
      <Section id="endpoints" title="Endpoints that accept it">
        <ul className="docs-links">
          {accepting.map(({ id, area, method, path }) => (
            <li key={id}>
              <EndpointLink area={area} id={id}>
                <code className="wrap-anywhere">
                  {method} {path}
                </code>
              </EndpointLink>
            </li>
          ))}
        </ul>
      </Section>
    </Guide>
  );
};

export const PagingGuide = () => {
  const { document } = useReference();
  const { Limit, Cursor } = document.components.parameters;
  return (
    <Guide slug="paging">
      <p>
        Lists are sorted newest first. <code>limit</code> is from {Limit.schema.minimum} to {Limit.schema.maximum}, by default{' '}
        {Limit.schema.default}. While <code>pagination.hasMore</code> is true, ask for the next page with <code>cursor</code>:{' '}
        {Cursor.description}. A cursor belongs to its list, filters and organization; it cannot be made by hand.
      </p>
      <CodeView label="Read all pages" samples={readAllPages} />
    </Guide>
  );
};
