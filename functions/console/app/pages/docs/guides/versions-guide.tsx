import { CodeView } from '../code/code-view.tsx';
import { useReference } from '../parts/reference-context.ts';
import { EndpointLink, Guide, Section } from './guide.tsx';

const sample = `HTTP/1.1 200 OK
Deprecation: @1798761600
Sunset: Wed, 30 Jun 2027 00:00:00 GMT
Link: </docs/versions>; rel="deprecation"; type="text/html", </api/v1/backups>; rel="successor-version"`;

export const VersionsGuide = () => {
  const { document, endpoints } = useReference();
  const deprecated = endpoints.filter(({ operation }) => operation.deprecated);
  return (
    <Guide slug="versions">
      <p>
        The path has the major version, <code>/api/v1</code>. This is version {document.info.version} of the service. Within a
        major version endpoints, fields, values and events are only added, so a client must ignore fields that it does not know. A
        field of a request never becomes required, and no status or error code gets another meaning. <code>CHANGELOG.md</code> of
        each release names what has changed.
      </p>
      <Section id="deprecation" title="When an endpoint will go">
        <p>
          It works unchanged until its last day, at least six months after it was deprecated. From the first day on every response
          says so, errors included: <code>Deprecation</code> (RFC 9745) has the moment since when in Unix seconds,{' '}
          <code>Sunset</code> (RFC 8594) the moment after which it may be gone, and <code>Link</code> leads to this page and to
          what replaces it. Let your client log these headers.
        </p>
        <CodeView label="Response" samples={[{ label: 'Response', language: 'json', code: sample }]} />
      </Section>
      <Section id="deprecated" title="Deprecated endpoints">
        {deprecated.length === 0 ? (
          <p>None.</p>
        ) : (
          <ul className="docs-links">
            {deprecated.map(({ id, area, method, path, operation }) => (
              <li key={id}>
                <EndpointLink area={area} id={id}>
                  <code className="wrap-anywhere">
                    {method} {path}
                  </code>
                </EndpointLink>{' '}
                until {operation['x-sunset']}
              </li>
            ))}
          </ul>
        )}
      </Section>
    </Guide>
  );
};
