import { Fact } from '../../../ui/data/fact.tsx';
import { CodeView } from '../code/code-view.tsx';
import { useReference } from '../parts/reference-context.ts';
import { EndpointLink, Guide, Section } from './guide.tsx';
import { exchangeCode } from './guide-samples.ts';

const names: Readonly<Record<string, string>> = {
  accessToken: 'Access token',
  apiKey: 'API key',
  sessionCookie: 'Session cookie',
};

const roles = [
  ['viewer', 'Reads everything but secrets.'],
  ['member', 'Also starts, cancels and restores backups.'],
  ['admin', 'Also changes projects, storage, schedules, webhooks and members.'],
  ['owner', 'Also deletes the organization and hands it over. There is one.'],
] as const;

export const SigningInGuide = () => {
  const { document, endpoints } = useReference();
  const scopes = [...Map.groupBy(endpoints, ({ scope }) => scope)].flatMap(([scope, of]) =>
    scope === undefined ? [] : [{ scope, count: of.length }],
  );
  return (
    <Guide slug="signing-in">
      <Section id="schemes" title="Three ways to sign in">
        <dl className="docs-terms">
          {Object.entries(document.components.securitySchemes).map(([name, { description }]) => (
            <Fact key={name} label={names[name] ?? name}>
              {description}
            </Fact>
          ))}
        </dl>
      </Section>
      <Section id="tokens" title="Get an access token">
        <p>
          Send the person to{' '}
          <EndpointLink area="authentication" id="auth.google">
            GET /auth/google
          </EndpointLink>{' '}
          with your <code>redirect_uri</code>, <code>state</code> and a PKCE <code>code_challenge</code>. They come back with a{' '}
          <code>code</code>, which you exchange once. Access tokens are short-lived: renew them with the refresh token, which
          works once, too. A second use ends the session.
        </p>
        <CodeView label="Exchange the code" samples={exchangeCode(window.location.origin)} />
      </Section>
      <Section id="keys" title="API keys">
        <p>
          Each pipeline has its own{' '}
          <EndpointLink area="api-keys" id="apiKeys.create">
            API key
          </EndpointLink>
          . It does what its role and its scopes both allow, on its projects, from its addresses, until it expires.{' '}
          <EndpointLink area="api-keys" id="apiKeys.rotate">
            Rotate
          </EndpointLink>{' '}
          it: the old text works for another 24 hours, or as long as you say. A key cannot call what is for people only, and not
          another organization. The one{' '}
          <EndpointLink area="service-account" id="serviceAccount.create">
            service account
          </EndpointLink>{' '}
          is a key with scopes only: with <code>backups:write</code> it also deletes backups. Erasures cannot be undone, so only{' '}
          <code>erasures:write</code> allows them: <code>projects:write</code> does not include it.
        </p>
        <ul className="docs-scopes">
          {scopes.map(({ scope, count }) => (
            <li key={scope}>
              <code>{scope}</code> <span className="small muted regular">{count} endpoints</span>
            </li>
          ))}
        </ul>
      </Section>
      <Section id="roles" title="Roles of people">
        <dl className="docs-terms">
          {roles.map(([role, may]) => (
            <Fact key={role} label={role}>
              {may}
            </Fact>
          ))}
        </dl>
      </Section>
    </Guide>
  );
};
