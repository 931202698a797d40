import { Link } from '@tanstack/react-router';
import { formatCount } from '../../../format/format-number.ts';
import { paths } from '../../../paths.ts';
import { Badge } from '../../../ui/data/badge.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import type { Endpoint } from '../model/read-reference.ts';

/** Who may call an endpoint, how often, and what else holds for every call of it. */
export const EndpointFacts = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const limit = endpoint.operation['x-rate-limit'];
  const isIdempotent = endpoint.parameters.some(({ name }) => name === 'Idempotency-Key');
  const audit = endpoint.operation['x-audit-action'];
  return (
    <dl className="docs-facts">
      <Fact label="Who">{whoOf(endpoint)}</Fact>
      {endpoint.access !== 'public' && (
        <Fact label="API key">{endpoint.scope ? <code>{endpoint.scope}</code> : 'not accepted'}</Fact>
      )}
      <Fact label="Rate limit">
        {limit ? (
          `${formatCount(limit.requestsPerMinute)} a minute${limit.per === 'organization' ? ' and organization' : ''}`
        ) : (
          <Link to={paths.docsPage('rate-limits')}>that of the service</Link>
        )}
      </Fact>
      {isIdempotent && (
        <Fact label="Repeatable">
          with <Link to={paths.docsPage('idempotency')}>Idempotency-Key</Link>
        </Fact>
      )}
      {audit && (
        <Fact label="Audit log">
          <code>{audit}</code>
        </Fact>
      )}
      {endpoint.operation.deprecated && (
        <Fact label="Deprecated">
          <Badge tone="warn">works until {endpoint.operation['x-sunset']}</Badge>
        </Fact>
      )}
      {endpoint.isDestructive && (
        <Fact label="Effect">
          <Badge tone="bad">destructive</Badge>
        </Fact>
      )}
    </dl>
  );
};

const whoOf = ({ access, role }: Endpoint): string => {
  if (access === 'public') return 'everyone';
  if (access === 'user') return 'signed-in people';
  if (access === 'browser') return 'signed-in people, only in the browser';
  return role === 'owner' ? 'owner' : `${role} or above`;
};
