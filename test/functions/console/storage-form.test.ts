/** The form of a storage destination: what it sends, what it says to paste, and what it says about a failed test. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { describeProvider } from '../../../functions/console/app/forms/keyless/keyless.ts';
import { providerById, providerOf, providers } from '../../../functions/console/app/forms/storage/providers.ts';
import { setupGuide } from '../../../functions/console/app/forms/storage/setup-guide.ts';
import { findingAdvice } from '../../../functions/console/app/forms/storage/step-advice.ts';
import {
  accessOf,
  draftOf,
  fieldsOf,
  noSecrets,
  withProvider,
} from '../../../functions/console/app/forms/storage/storage-draft.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { storageFailureKinds } from '../../../shared/contract/models/storage-destination.ts';

const keys = { ...noSecrets, accessKeyId: 'AKIATEST', secretAccessKey: 'secret' };
const privateKey = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n';
const googleKey = { clientEmail: 'backups@shop.iam.gserviceaccount.com', privateKey, projectId: 'shop' };
const typed = { name: ' ', bucket: 'my-backups', region: 'eu-central-1' };

for (const provider of providers)
  test(`storage form: what it sends for ${provider.label} is a valid request`, () => {
    const draft = { ...draftOf(undefined), ...withProvider(provider.id), ...typed, endpoint: 'https://s3.example.com' };
    const access = accessOf(draft, { ...keys, googleKey });
    const body = { ...fieldsOf(draft, provider), type: provider.type, ...access };
    const { success, data } = storageDestinations.create.body.safeParse(body);
    ok(success, provider.id);
    deepEqual([data.name, data.type], ['my-backups', provider.type]);
    // What belongs to other providers is not sent.
    equal('endpoint' in body, provider.endpointExample !== undefined);
    equal('region' in body, provider.id !== 'gcs');
    equal('clientEmail' in (access?.credentials ?? {}), provider.id === 'gcs');
  });

test('storage form: saved credentials stay unless new ones are typed', () => {
  const draft = { ...draftOf(undefined), ...typed };
  equal(accessOf(draft, noSecrets), undefined);
  equal(accessOf({ ...draft, usesRole: true }, keys), undefined);
  equal(accessOf({ ...draft, ...withProvider('gcs') }, keys), undefined);
  const roleArn = 'arn:aws:iam::123456789012:role/backups';
  deepEqual(accessOf({ ...draft, usesRole: true, roleArn }, keys), { credentials: { roleArn } });
});

test('storage form: a bucket of Google without a key sends the workload identity and never the key', () => {
  const draft = { ...draftOf(undefined), ...withProvider('gcs'), ...typed, isKeyless: true };
  equal(accessOf(draft, { ...noSecrets, googleKey }), undefined);
  const serviceAccountEmail = googleKey.clientEmail;
  const access = accessOf({ ...draft, projectNumber: '123456789012', serviceAccountEmail }, { ...noSecrets, googleKey });
  deepEqual(access, { workloadIdentity: { projectNumber: '123456789012', serviceAccountEmail } });
  ok(storageDestinations.create.body.safeParse({ ...fieldsOf(draft, providerById('gcs')), type: 'gcs', ...access }).success);
  // Another provider has no such access.
  ok(!('workloadIdentity' in (accessOf({ ...draft, ...withProvider('s3'), projectNumber: '1' }, keys) ?? {})));
  // The service names the commands; only the creation of a bucket with locks remains.
  deepEqual(setupGuide('gcs', draft, trusted), []);
  match(setupGuide('gcs', { ...draft, lockMode: 'governance' }, trusted)[0]?.code ?? '', /--enable-per-object-retention/);
  const saved = { type: 'gcs', endpoint: null, credentials: {}, objectLock: null, workloadIdentity: { audience: '//x' } };
  const audience = '//iam.googleapis.com/projects/12/locations/global/workloadIdentityPools/backups/providers/aws';
  deepEqual([describeProvider(audience), describeProvider('//x')], ['backups/aws of project 12', '//x']);
  ok(draftOf(saved as unknown as Parameters<typeof draftOf>[0]).isKeyless);
});

test('storage form: the provider of a saved destination follows from its type and endpoint', () => {
  for (const { id, type, endpointExample } of providers) equal(providerOf({ type, endpoint: endpointExample ?? null }).id, id);
  equal(providerById('unknown').id, 's3');
});

const trusted = { organizationId: 'org_1', awsAccountId: '123456789012' };

test('storage form: every provider says how to give access to the bucket, for this bucket and folder', () => {
  for (const { id } of providers) {
    const chosen = {
      bucket: 'archive-7',
      prefix: 'shop',
      usesRole: false,
      isKeyless: false,
      immutable: false,
      lockMode: '',
    } as const;
    const text = setupGuide(id, chosen, trusted)
      .map((step) => `${step.text} ${step.code ?? ''}`)
      .join('\n');
    match(text, /archive-7/, id);
    match(
      setupGuide(id, { ...chosen, bucket: '' }, trusted)
        .map((step) => `${step.text} ${step.code}`)
        .join(),
      /my-backups/,
    );
  }
});

test('storage form: the policy of Amazon S3 covers the folder only, and nothing is deleted in an immutable bucket', () => {
  const policyOf = (immutable: boolean) => {
    const guide = setupGuide('s3', { ...draftOf(undefined), bucket: 'b', prefix: 'shop/', usesRole: true, immutable }, trusted);
    const [trust, policy] = guide.map(({ code = '' }) => code);
    equal(JSON.parse(trust ?? '').Statement[0].Principal.AWS, 'arn:aws:iam::123456789012:root');
    deepEqual(JSON.parse(trust ?? '').Statement[0].Condition, { StringEquals: { 'sts:ExternalId': 'org_1' } });
    return JSON.parse(policy ?? '').Statement[1] as { Action: string[]; Resource: string };
  };
  equal(policyOf(false).Resource, 'arn:aws:s3:::b/shop/*');
  ok(policyOf(false).Action.includes('s3:DeleteObject'));
  ok(!policyOf(true).Action.includes('s3:DeleteObject'));
});

test('storage form: an object lock is sent for stores that have it, and its permissions are part of what is pasted', () => {
  for (const provider of providers) {
    const draft = { ...draftOf(undefined), ...withProvider(provider.id), ...typed };
    const locked = { ...draft, lockMode: 'compliance', lockDays: '90' } as const;
    const lock = ['r2', 'spaces'].includes(provider.id) ? undefined : { mode: 'compliance', days: 90 };
    deepEqual(fieldsOf(locked, provider).objectLock, lock, provider.id);
    equal(fieldsOf(draft, provider).objectLock, lock && null, provider.id);
    const text = JSON.stringify(setupGuide(provider.id, locked, trusted));
    equal(/lock|retention/i.test(text), lock !== undefined, provider.id);
    ok(!/lock|retention/i.test(JSON.stringify(setupGuide(provider.id, draft, trusted))), provider.id);
  }
  const guide = JSON.stringify(setupGuide('s3', { ...draftOf(undefined), lockMode: 'governance', bucket: 'b' }, trusted));
  for (const action of ['PutObjectRetention', 'GetObjectRetention', 'GetObjectVersion', 'ListBucketVersions'])
    match(guide, new RegExp(`s3:${action}`));
});

test('storage form: the lock of a saved destination is shown again, and a day that is no number is refused', () => {
  const objectLock = { mode: 'governance', days: 7 } as const;
  const saved = { type: 's3', endpoint: null, credentials: {}, objectLock } as unknown as Parameters<typeof draftOf>[0];
  const draft = draftOf(saved);
  deepEqual([draft.lockMode, draft.lockDays], ['governance', '7']);
  const accepts = (lockDays: string) => {
    const { objectLock: sent } = fieldsOf({ ...draft, lockDays }, providerById('s3'));
    return storageDestinations.update.body.safeParse({ objectLock: sent }).success;
  };
  deepEqual(['7', '36500', '', '0', '1.5', '36501', 'x'].map(accepts), [true, true, false, false, false, false, false]);
});

test('storage form: a failed test says what to do, by the step and the kind of the failure', () => {
  match(findingAdvice({ step: 'write', kind: 'denied' }) ?? '', /s3:PutObject/);
  match(findingAdvice({ step: 'role', kind: 'denied' }) ?? '', /trust policy/);
  match(findingAdvice({ step: 'write', kind: 'missing' }) ?? '', /Create the bucket first/);
  equal(findingAdvice({ step: 'write', kind: null }), undefined);
  // Each kind has advice, also for a step that has none of its own.
  for (const kind of storageFailureKinds) ok(findingAdvice({ step: 'constructor', kind }));
  equal(new Set(storageFailureKinds.map((kind) => findingAdvice({ step: null, kind }))).size, storageFailureKinds.length);
});
