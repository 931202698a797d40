import { Link } from '@tanstack/react-router';
import { paths } from '../../../paths.ts';
import { Notice } from '../../../ui/data/notice.tsx';
import { CodeView } from '../code/code-view.tsx';
import { useReader } from '../try/use-try.ts';
import { EndpointLink, Guide, Section } from './guide.tsx';
import { firstBackup, firstCall, keyVariables, waitForBackup } from './guide-samples.ts';

/** From nothing to a completed backup, in four steps. */
export const GettingStarted = () => {
  const { membership } = useReader();
  const origin = window.location.origin;
  const organization = membership?.id ?? 'org_…';
  return (
    <Guide slug="getting-started">
      <p>
        Every call is HTTPS with JSON below <code>{origin}/api/v1</code>. A script signs in with an API key, a person with an
        access token and the id of an organization in <code>X-Organization-Id</code>, which a key does not need.
      </p>
      <Section id="key" title="1. Get an API key">
        <p>
          An admin creates it in the console under <Link to={paths.apiKeys}>API keys</Link>, or with{' '}
          <EndpointLink area="api-keys" id="apiKeys.create">
            POST /organizations/current/api-keys
          </EndpointLink>
          . It begins with <code>fb_key_</code> and is shown once. For this guide it needs the role admin and the scopes{' '}
          <code>organization:read</code>, <code>projects:write</code>, <code>storage:write</code>, <code>backups:read</code> and{' '}
          <code>backups:write</code>.
        </p>
        <CodeView label="Variables of the examples" samples={keyVariables(origin, organization)} />
        {membership && (
          <Notice>
            The examples have the id of your organization {membership.name}. On every endpoint of this reference, “Try it” sends
            the call with your session instead, without a key.
          </Notice>
        )}
      </Section>
      <Section id="first-call" title="2. Make the first call">
        <p>Read the organization. If it answers, the key and the organization fit together.</p>
        <CodeView label="First call" samples={firstCall} />
      </Section>
      <Section id="first-backup" title="3. Connect, and back up">
        <p>
          A backup needs a{' '}
          <EndpointLink area="projects" id="projects.create">
            project
          </EndpointLink>
          , which is one Firestore database, and a{' '}
          <EndpointLink area="storage-destinations" id="storageDestinations.create">
            storage destination
          </EndpointLink>
          , a bucket of yours. The bucket is tested before it is saved. An API key connects a new project with the key of a Google
          service account, as here, or without any (<code>workloadIdentity</code>). Without one of them it is refused with 403:
          only a person connects a project with their own Google sign-in.
        </p>
        <CodeView label="First backup" samples={firstBackup} />
      </Section>
      <Section id="wait" title="4. Wait for it">
        <p>
          A backup runs in the background; its answer has the status 202. Poll it, or let a{' '}
          <Link to={paths.docsPage('events')}>webhook</Link> tell you with <code>backup.completed</code> or{' '}
          <code>backup.failed</code>.
        </p>
        <CodeView label="Wait for the backup" samples={waitForBackup} />
        <p>
          The client is the folder <code>shared/client</code> of the service's sources: no dependencies, typed by the same
          contract as this reference. It repeats lost calls with one Idempotency-Key and waits when it is asked to. Next, read one
          document of the backup with{' '}
          <EndpointLink area="contents-of-backups" id="backupContents.documents">
            GET /backups/&#123;backupId&#125;/documents
          </EndpointLink>
          , or{' '}
          <EndpointLink area="restores" id="restores.create">
            plan a restore
          </EndpointLink>
          .
        </p>
      </Section>
    </Guide>
  );
};
