/** Creates an organization with one of every resource, through the API only. */
import { randomUUID } from 'node:crypto';
import { type Role, scopes } from '../../../shared/contract/access.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { alerts } from '../../../shared/contract/endpoints/alerts.ts';
import { apiKeys } from '../../../shared/contract/endpoints/api-keys.ts';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { encryption } from '../../../shared/contract/endpoints/encryption.ts';
import { exports as exportRows } from '../../../shared/contract/endpoints/exports.ts';
import { incidents } from '../../../shared/contract/endpoints/incidents.ts';
import { invites } from '../../../shared/contract/endpoints/invitations.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { erasures } from '../../../shared/contract/endpoints/protection/erasures.ts';
import { restoreTests } from '../../../shared/contract/endpoints/protection/restore-tests.ts';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { schedules } from '../../../shared/contract/endpoints/schedules.ts';
import { serviceAccount } from '../../../shared/contract/endpoints/service-account.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { idPrefixes } from '../../../shared/contract/ids.ts';
import { endOf, newBucket, seed } from '../stage/backup.ts';
import { call } from '../stage/client.ts';
import { settledErasures } from '../stage/erasure.ts';
import { endOfExport } from '../stage/export.ts';
import { putIncident } from '../stage/incident.ts';
import { addMember, type TestOrganization } from '../stage/organization.ts';
import { newEmail, type Person, signIn } from '../stage/person.ts';
import type { Receiver } from '../stage/receiver.ts';
import { endOfRestore } from '../stage/restore.ts';
import { endOfTestRun } from '../stage/restore-test.ts';
import { itemsOf, removeItem } from '../stage/table.ts';

export interface FullOrganization extends TestOrganization {
  readonly people: Readonly<Record<Role, Person>>;
  /** Key of a service account with every scope. */
  readonly apiKey: string;
  /** API key of an admin with every scope, limited to a project without anything. */
  readonly limitedKey: string;
  /** Token of a pending invitation. */
  readonly link: string;
  /** Location of its backup. */
  readonly backupLocation: { readonly bucket: string; readonly prefix: string; readonly path: string };
  /** A file of its export. */
  readonly exportedFile: string;
  /** Existing ids by prefix; calls use the first. The member never signs in. */
  readonly ids: Record<string, readonly string[]>;
  /** The calls that created it. */
  readonly sent: readonly { readonly endpoint: Endpoint; readonly body: object }[];
}

/** Returns a unique word per field, of lower-case letters and digits, which every field accepts. */
export type Word = (field: string) => string;

export const createFullOrganization = async (word: Word, receiver: Receiver, key: string): Promise<FullOrganization> => {
  // Unusual but valid in a name: composed and decomposed, right-to-left, outside the BMP, and not representable in XML.
  const title = (field: string): string => `${word(field)} e\u0301éא🧪\uffff</b>`;
  const sent: { endpoint: Endpoint; body: object }[] = [];
  const owner = await signIn(newEmail(word('owner')));
  let org: string | undefined;
  const make = async <E extends Endpoint>(endpoint: E, body: object, params: Readonly<Record<string, string>> = {}) => {
    sent.push({ endpoint, body });
    const headers = { 'user-agent': word('agent') };
    const result = await call(endpoint, { token: owner.accessToken, org, body, params, headers });
    if (result.status >= 300) throw new Error(`${endpoint.id}: ${result.status} ${result.text}`);
    const data = result.body.data as { id: string; name?: string } & typeof result.body.data;
    // An accepted name is returned unchanged.
    if ('name' in body && data.name !== body.name)
      throw new Error(`${endpoint.id} changed ${String(body.name)} into ${data.name}`);
    return data;
  };

  const name = title('organization');
  const { id, slug } = await make(organizations.create, { name, slug: word('slug') });
  org = id;
  const organization: TestOrganization = { id, name, slug, owner };
  await make(encryption.set, { mode: 'customer', passphrase: word('passphrase') });
  const { apiKey } = await make(serviceAccount.create, { name: title('account'), permissions: scopes });
  const [viewer, member, admin, spared, invited] = (await Promise.all(
    ['viewer', 'member', 'admin', 'spared', 'invited'].map(async (role) => signIn(newEmail(word(role)))),
  )) as [Person, Person, Person, Person, Person];
  for (const [role, person] of [
    ['viewer', viewer],
    ['member', member],
    ['admin', admin],
    ['viewer', spared],
  ] as const)
    await addMember(organization, role, person);
  const invitation = await make(invites.create, { email: invited.email, role: 'viewer' });

  const [bucket, prefix] = [await newBucket(`bucket-${word('bucket')}`), word('prefix')];
  const credentials = { accessKeyId: word('accesskey'), secretAccessKey: word('secretkey') };
  const storage = await make(storageDestinations.create, {
    name: title('storage'),
    type: 's3',
    bucket,
    prefix,
    credentials,
  });
  const sourceProjectId = `source-${word('source')}`;
  const project = await make(projects.create, {
    name: title('project'),
    labels: { team: word('label') },
    sourceProjectId,
    settings: { defaultStorageId: storage.id, searchFields: [word('searched')] },
  });
  const google = { clientEmail: `${word('client')}@example.iam.gserviceaccount.com`, privateKey: key };
  const target = await make(projects.create, {
    name: title('target'),
    sourceProjectId: `target-${word('target')}`,
    databaseId: word('database'),
    credentials: google,
  });
  const spare = await make(projects.create, { name: title('spare'), sourceProjectId: `spare-${word('spare')}` });

  const empty = await make(projects.create, { name: title('empty'), sourceProjectId: `empty-${word('empty')}` });
  const known = { name: title('key'), role: 'admin', permissions: scopes };
  const [plainKey, limitedKey] = [
    await make(apiKeys.create, known),
    await make(apiKeys.create, { ...known, projectIds: [empty.id] }),
  ];

  const [collection, document] = [word('collection'), word('document')];
  await seed(sourceProjectId, {
    [`${collection}/${document}`]: { [word('field')]: { stringValue: word('value') } },
    'plain/one': {},
  });
  const given = { projectId: project.id, storageDestinationId: storage.id };
  const made = await make(backups.create, {
    ...given,
    collections: [collection],
    excludeCollections: [`${collection}/${document}/${word('below')}`],
  });
  const { path } = await endOf(organization, made.id);
  // Removes the record, as after a loss of the table, and imports the backup again.
  await removeItem({ pk: `ORG#${id}`, sk: `BACKUP#${made.id}` });
  const backup = await make(backupContents.register, { ...given, path, metadata: { source: word('origin') } });
  const scope = { collections: [collection], documentIds: [`${collection}/${document}`] };
  const begun = await make(restores.create, {
    backupId: backup.id,
    targetProjectId: target.id,
    ...scope,
    options: { collections: [collection] },
  });
  const { restoreJobId } = begun as unknown as { restoreJobId: string };
  await endOfRestore(organization, restoreJobId);
  const exported = await make(exportRows.create, {
    backupId: backup.id,
    collections: [collection],
    format: 'csv',
    columns: [word('column')],
  });
  await endOfExport(organization, exported.id);

  const plan = {
    name: title('schedule'),
    cron: '@yearly',
    enabled: false,
    collections: [collection],
    excludeCollections: [word('excluded')],
  };
  const schedule = await make(schedules.create, { ...given, ...plan });
  const test = { name: title('restoretest'), projectId: project.id, cron: '@yearly', enabled: false };
  const check = { url: receiver.url(`/${word('checkpath')}`), secret: word('checksecret') };
  const checked = await make(restoreTests.create, { ...test, target: { projectId: target.id }, check });
  const { id: restoreTestId } = await make(restoreTests.create, test);
  const { runId } = await make(restoreTests.run, {}, { restoreTestId });
  await endOfTestRun(organization, runId);
  const hook = {
    name: title('webhook'),
    url: receiver.url(`/${word('path')}`),
    secret: word('hooksecret'),
    headers: { 'X-Own': word('header') },
  };
  const { id: webhookId } = await make(webhooks.create, { ...hook, events: ['*'] });
  const { deliveryId } = await make(webhooks.test, { event: 'backup.completed' }, { webhookId });
  const chat = { name: title('alert'), channel: 'slack', url: receiver.url(`/${word('alertpath')}`) };
  const { id: alertId } = await make(alerts.create, chat);
  const incidentId = await putIncident(id, { id: project.id, name: project.name ?? '' });
  await make(incidents.acknowledge, { note: title('note') }, { incidentId });
  const reason = title('erasure');
  await make(erasures.create, { paths: [`erased/${word('erasedpath')}`], reason }, { projectId: project.id });
  const query = { collection: word('erasedcollection'), field: word('erasedfield'), value: word('erasedvalue') };
  const { id: erasureId } = await make(erasures.create, { query, reason }, { projectId: project.id });
  await settledErasures(organization, project.id);
  const entry = (await itemsOf(`AUDIT#${id}`)).find(({ sk }) => sk.startsWith('ENTRY#')) as { readonly id?: string } | undefined;
  const ids = {
    organization: [id],
    user: [spared.userId],
    invitation: [invitation.id],
    apiKey: [plainKey.id],
    project: [project.id, target.id, spare.id],
    storageDestination: [storage.id],
    backup: [backup.id],
    restore: [restoreJobId],
    export: [exported.id],
    schedule: [schedule.id],
    restoreTest: [restoreTestId, checked.id],
    restoreTestRun: [runId],
    webhook: [webhookId],
    alert: [alertId],
    incident: [incidentId],
    erasure: [erasureId],
    audit: [entry?.id ?? ''],
    delivery: [deliveryId],
  };
  return {
    ...organization,
    people: { owner, viewer, member, admin },
    apiKey,
    limitedKey: limitedKey.apiKey as string,
    link: String(invitation.acceptUrl).split('/').at(-1) ?? '',
    backupLocation: { bucket, prefix, path },
    exportedFile: `${collection}/part-00001.csv`,
    ids: Object.fromEntries(Object.entries(ids).map(([kind, known]) => [idPrefixes[kind as keyof typeof ids], known])),
    sent,
  };
};

/** A unique mark, and words that contain it. */
export const markedWords = (): { readonly mark: string; readonly word: Word } => {
  const mark = `canary${randomUUID().replaceAll('-', '').slice(0, 10)}`;
  return { mark, word: (field) => `${field}${mark}` };
};
