import { formatCount } from '../../../format/format-number.ts';
import { Table } from '../../../ui/data/table.tsx';
import { CodeView } from '../code/code-view.tsx';
import { useReference } from '../parts/reference-context.ts';
import { EndpointLink, Guide, Section } from './guide.tsx';

export const RateLimitsGuide = () => {
  const { endpoints } = useReference();
  const limited = endpoints.flatMap((endpoint) => {
    const limit = endpoint.operation['x-rate-limit'];
    return limit ? [{ ...endpoint, limit }] : [];
  });
  return (
    <Guide slug="rate-limits">
      <p>
        Requests are counted per minute: for each user or API key and organization, across the whole service; for callers without
        credentials by address. Every response says where you stand.
      </p>
      <CodeView
        label="Headers"
        samples={[
          {
            label: 'Headers of a response',
            language: 'text',
            code: 'RateLimit-Limit: 3000\nRateLimit-Remaining: 2998\nRateLimit-Reset: 44',
          },
        ]}
      />
      <p>
        A request above the limit gets 429 with <code>RATE_LIMITED</code>, is not run, and says in <code>Retry-After</code> how
        many seconds to wait. The client waits by itself, up to a minute.
      </p>
      <Section id="endpoints" title="Endpoints with a limit of their own">
        <p>
          They read your databases and buckets, or are expensive in another way. Limits for an organization are a share of the
          limit of the service, so a deployment can have others.
        </p>
        <Table
          label="Endpoints with a limit of their own"
          rows={limited}
          rowKey={({ id }) => id}
          columns={[
            {
              key: 'endpoint',
              label: 'Endpoint',
              isTitle: true,
              cell: ({ id, area, method, path }) => (
                <EndpointLink area={area} id={id}>
                  <code className="wrap-anywhere">
                    {method} {path}
                  </code>
                </EndpointLink>
              ),
            },
            { key: 'limit', label: 'A minute', isNumber: true, cell: ({ limit }) => formatCount(limit.requestsPerMinute) },
            { key: 'per', label: 'For each', cell: ({ limit }) => limit.per },
          ]}
        />
      </Section>
    </Guide>
  );
};
